"""From the Markdown of the repository's host to that of the site's generator.

The former takes a list or a table right after a line of text; the latter wants an empty line
before it. Everything else is the same in both.
"""

from __future__ import annotations

import re

ITEM = re.compile(r"(- |\* |\d+\. )")


def spaced(text: str) -> str:
    """Return the page with an empty line before every list and table."""
    lines: list[str] = []
    fence, before = "", ""
    for line in text.splitlines():
        mark = re.match(r"\s*(```+|~~~+)", line)
        if mark and not fence:
            fence = mark[1]
        elif mark and line.strip() == fence:
            fence = ""
        elif not fence and before.strip() and starts_block(line, before):
            lines.append("")
        lines.append(line)
        before = line
    return "\n".join(lines) + "\n"


def starts_block(line: str, before: str) -> bool:
    """Whether `line` opens a list or a table and the line before it is neither."""
    if line.startswith("|"):
        return not before.startswith("|")
    return bool(ITEM.match(line)) and not ITEM.match(before) and not before.startswith(" ")
