"""The Python of the documentation's pages runs as it stands, one block after the other."""

from __future__ import annotations

import re
from pathlib import Path

import pytest


def python_of(page, blocks):
    """Run the page's Python blocks, of which there must be `blocks`; return the names they made."""
    text = page.read_text(encoding="utf-8")
    programs = re.findall(r"^```python\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
    assert len(programs) == blocks
    names: dict[str, object] = {}
    for program in programs:
        exec(compile(program, page.name, "exec"), names)
    return names


def test_the_contact_page_runs(root, capsys):
    names = python_of(root / "docs" / "contact.md", 4)
    total = names["solution"].reactions.sum(axis=0)
    assert total[2] == pytest.approx(2 * 9.81)  # u_n = 0: the impulse of the weight
    assert names["warm"].solved
    assert not names["best"].solved
    *_, chain, skew = capsys.readouterr().out.split()
    assert max(float(chain), float(skew)) <= 1e-8


def test_every_page_with_python_is_run_here(root):
    here = Path(__file__).read_text(encoding="utf-8")
    for page in (root / "docs").glob("*.md"):
        if "```python" in page.read_text(encoding="utf-8"):
            assert f'"{page.name}"' in here, page.name


def test_links_between_pages_lead_somewhere(root):
    for page in [*(root / "docs").glob("*.md"), root / "README.md"]:
        text = page.read_text(encoding="utf-8")
        for target in re.findall(r"\]\((?!https?:)([^)#\s]*)", text):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
