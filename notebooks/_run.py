"""Runs notebooks, writes HTML pages: ``python notebooks/_run.py [NAME …] --out FOLDER [--set KEY=JSON] [--workers N]``.

A notebook is a ``.py`` file in percent format whose cell tagged ``parameters`` holds plain values; ``--set`` changes
them where a notebook has the parameter. Equal code and data give equal bytes: no times, no messages, fixed cell ids.
"""

from __future__ import annotations

import argparse
import ast
import json
import multiprocessing
import os
import re
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent


def names() -> list[str]:
    """Notebooks by name; files that begin with an underscore are tools."""
    return sorted(p.stem for p in FOLDER.glob("*.py") if not p.name.startswith("_"))


def is_parameters(cell: Any) -> bool:
    return "parameters" in cell.metadata.get("tags", [])


def parameters(source: str) -> dict[str, Any]:
    """The values of a parameters cell: ``name = value`` lines with plain JSON values and nothing else."""
    found = {}
    for node in ast.parse(source).body:
        if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
            raise ValueError(f"line {node.lineno} of the parameters cell is not `name = value`")
        found[node.targets[0].id] = json.loads(json.dumps(ast.literal_eval(node.value)))
    return found


def read(name: str, values: dict[str, Any]) -> Any:
    """A notebook with its parameters changed and with fixed cell ids."""
    import jupytext

    notebook = jupytext.read(FOLDER / f"{name}.py")
    for cell in notebook.cells:
        if cell.cell_type == "code" and is_parameters(cell):
            found = parameters(cell.source)
            for key in found.keys() & values.keys():
                line = f"{key} = {values[key]!r}".replace("\\", r"\\")
                cell.source = re.sub(rf"(?m)^{key} = .*$", line, cell.source)
    for i, cell in enumerate(notebook.cells):
        cell["id"] = f"cell-{i}"
    text = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    heading = re.search(r"^# (.+)$", text, re.M)
    notebook.metadata["title"] = heading[1] if heading else name
    return notebook


def execute(notebook: Any, timeout: int = 600) -> None:
    """Run all cells in a fresh kernel; an error in a cell is raised with its traceback."""
    from jupyter_client.manager import AsyncKernelManager
    from nbclient import NotebookClient

    with tempfile.TemporaryDirectory() as sockets:
        # sockets with a full name: a relative one is looked for in two different working folders
        manager = AsyncKernelManager(kernel_name="python3", transport="ipc", ip=f"{sockets}/kernel")
        client = NotebookClient(notebook, km=manager, timeout=timeout, record_timing=False)
        client.owns_km = True  # the client ends the kernel, also after an error
        # `path` is the working folder of the kernel, the same as in JupyterLab
        client.resources = {"metadata": {"path": str(FOLDER)}}
        client.execute()
    for cell in notebook.cells:
        if cell.cell_type == "code":
            # messages (a first compilation, say) are for whoever runs it, not for whoever reads it
            messages = [o for o in cell.outputs if o.output_type == "stream" and o.name == "stderr"]
            sys.stderr.writelines(o.text for o in messages)
            cell.outputs = [o for o in cell.outputs if o not in messages]
            cell["execution_count"] = None
            for output in cell.outputs:
                if "execution_count" in output:
                    output["execution_count"] = None


def to_html(notebook: Any, name: str) -> str:
    """One page without scripts and external addresses."""
    from nbconvert import HTMLExporter
    from traitlets.config import Config

    config = Config({"TemplateExporter": {"extra_template_basedirs": [str(FOLDER)], "template_name": "_template"}})
    page, _ = HTMLExporter(config=config).from_notebook_node(notebook, {"metadata": {"name": name}})
    return str(page)


def make_page(name: str, out: Path, values: dict[str, Any]) -> Path:
    """Run one notebook and write its page."""
    notebook = read(name, values)
    execute(notebook)
    page = out / f"{name}.html"
    temporary = page.with_suffix(".tmp")
    temporary.write_text(to_html(notebook, name), encoding="utf-8")
    temporary.replace(page)
    return page


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Run notebooks and write HTML pages.")
    parser.add_argument("names", nargs="*", default=[], help="notebooks; default: all")
    parser.add_argument("--out", type=Path, default=FOLDER.parent / "reports" / "notebooks")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=JSON", help="change a parameter")
    parser.add_argument("--workers", type=int, default=1, help="notebooks at a time")
    given = parser.parse_args(argv)
    known = names()
    for name in given.names:
        if name not in known:
            parser.error(f"no notebook '{name}'; accepted: {', '.join(known)}")
    values = {key: json.loads(value) for key, _, value in (text.partition("=") for text in given.set)}
    # one root for imports, whether or not the package is installed
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(FOLDER.parent), os.environ.get("PYTHONPATH", "")]))
    given.out.mkdir(parents=True, exist_ok=True)
    # each in a process of its own: the kernels are processes anyway
    with ProcessPoolExecutor(given.workers, multiprocessing.get_context("spawn")) as pool:
        pages = [pool.submit(make_page, name, given.out, values) for name in given.names or known]
        for page in pages:
            print(f"wrote {page.result()}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
