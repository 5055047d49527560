"""The Python of docs/contact.md runs as it stands, one block after the other."""

from __future__ import annotations

import re

import pytest


def test_the_contact_page_runs(root, capsys):
    text = (root / "docs" / "contact.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
    assert len(blocks) == 4
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, "docs/contact.md", "exec"), names)
    total = names["solution"].reactions.sum(axis=0)
    assert total[2] == pytest.approx(2 * 9.81)  # u_n = 0: the impulse of the weight
    assert names["warm"].solved
    assert not names["best"].solved
    *_, chain, skew = capsys.readouterr().out.split()
    assert max(float(chain), float(skew)) <= 1e-8


def test_links_between_pages_lead_somewhere(root):
    for page in [*(root / "docs").glob("*.md"), root / "README.md"]:
        text = page.read_text(encoding="utf-8")
        for target in re.findall(r"\]\((?!https?:)([^)#\s]*)", text):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
