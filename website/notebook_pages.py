"""Notebooks as pages: their text, code, and the outputs that are stored in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from page_links import ROOT

FOLDER = ROOT / "docs" / "notebooks"
COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def notebook_pages() -> Iterator[tuple[str, str]]:
    """Yield the place and the Markdown of every notebook."""
    for file in sorted(FOLDER.glob("*.ipynb")):
        yield f"notebooks/{file.stem}.md", page_of(file)


def page_of(file: Path) -> str:
    """Return a notebook as Markdown; pictures are part of the page."""
    import nbformat

    parts = []
    for cell in nbformat.read(file, as_version=4).cells:
        if cell.cell_type == "markdown":
            parts.append(cell.source)
            continue
        parts.append(f"```python\n{cell.source}\n```")
        parts += [shown(output) for output in cell.outputs]
    note = f"This page is a notebook: [{file.name}]({file.name}). The tests run it.\n"
    first, *rest = parts
    return "\n\n".join([first, note, *rest]) + "\n"


def shown(output: Any) -> str:
    """Return one output of a cell."""
    if output.output_type == "stream":
        return f"```text\n{COLOURS.sub('', output.text).rstrip()}\n```"
    data = output.get("data", {})
    if "image/png" in data:
        code = data["image/png"].replace("\n", "")
        return f"![Output of the cell above](data:image/png;base64,{code})"
    return f"```text\n{data.get('text/plain', '')}\n```"
