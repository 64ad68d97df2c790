"""The page as PDF: printed by a browser that is there, because the page is made for browsers."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

from sim.errors import FaultError, ReportError, listing

#: programs that print, in the order they are looked for
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge")
#: nothing is fetched and nothing is remembered
FLAGS = (
    "--headless",
    "--disable-gpu",
    "--no-sandbox",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--no-pdf-header-footer",
)
#: seconds after which a browser is given up
PATIENCE = 120


def find_browser() -> str:
    """Path of the first browser found.

    Raises
    ------
    ReportError
        In one line, where there is none.
    """
    found = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if found is None:
        raise ReportError(f"no browser to print the page with; accepted: one of {listing(BROWSERS)} on the PATH")
    return found


def print_pdf(page: Path, out: Path) -> Path:
    """Print a page.

    Parameters
    ----------
    page : Path
        The HTML file.
    out : Path
        The PDF file; it appears complete or not at all.

    Raises
    ------
    ReportError
        Where there is no browser.
    FaultError
        Where it prints nothing.
    """
    browser = find_browser()
    with tempfile.TemporaryDirectory() as profile:
        made = Path(profile) / "page.pdf"
        command = [browser, *FLAGS, f"--user-data-dir={profile}", f"--print-to-pdf={made}", page.resolve().as_uri()]
        try:
            done = subprocess.run(command, capture_output=True, timeout=PATIENCE, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise FaultError(f"{browser} did not print {page}: {error}") from None
        if not made.is_file() or not made.read_bytes().startswith(b"%PDF"):
            raise FaultError(f"{browser} did not print {page} (status {done.returncode})")
        part = out.with_suffix(".pdf.tmp")
        shutil.copyfile(made, part)
        part.replace(out)
    return out
