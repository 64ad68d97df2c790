"""The content of a sweep file, before anything in it is understood."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from sim.errors import SweepError


class _Loader(yaml.SafeLoader):
    """Refuses a key that stands twice in one mapping instead of silently taking the last."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen: set[Any] = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if isinstance(key, Hashable) and key in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key '{key}' stands twice", key_node.start_mark
                )
            seen.add(key)
        return super().construct_mapping(node, deep)


def content_of(source: str | Path | Mapping[str, Any], accepted: Sequence[str]) -> tuple[str, Mapping[Any, Any]]:
    """What messages call a source, and the mapping in it.

    Parameters
    ----------
    source : path or mapping
    accepted : sequence of str
        Keys, for the message about a file that holds no mapping.

    Raises
    ------
    SweepError
        In one line: what was given, what is accepted.
    """
    if isinstance(source, Mapping):
        where, content = "sweep", dict(source)
    elif not isinstance(source, str | Path):
        raise SweepError(f"sweep = {source!r} is not accepted; accepted: a YAML file, as in sweeps/, or a mapping")
    else:
        where = str(source)
        try:
            with open(source, encoding="utf-8") as file:
                content = yaml.load(file, _Loader)
        except OSError as error:
            raise SweepError(
                f"cannot read sweep file {where}: {error.strerror}; accepted: a YAML file, as in sweeps/"
            ) from None
        except (yaml.YAMLError, UnicodeDecodeError) as error:
            mark = getattr(error, "problem_mark", None)
            line = f" line {mark.line + 1}" if mark is not None else ""
            problem = getattr(error, "problem", None) or str(error).splitlines()[0]
            raise SweepError(
                f"{where}{line}: not readable as YAML ({problem}); accepted: a YAML file, as in sweeps/"
            ) from None
        if not isinstance(content, Mapping):
            raise SweepError(f"{where} holds no mapping; accepted keys: {', '.join(accepted)}")
    return where, content
