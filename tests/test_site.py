"""The documentation site: built strictly, whole, nothing from elsewhere, searched offline."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from browser import Browser, needs_browser

from sole.claims import known_claims

pytestmark = pytest.mark.long


def check_links(root, site):
    command = [sys.executable, root / "website" / "check_links.py", site]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def site(root, tmp_path_factory):
    """The folder of the built site: that of `make docs` if SITE names it, as in CI."""
    if "SITE" in os.environ:
        return Path(os.environ["SITE"])
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-d", folder]
    done = subprocess.run(
        command,
        cwd=root,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_every_link_of_the_site_leads_somewhere(root, site):
    done = check_links(root, site)
    assert done.returncode == 0, done.stdout
    assert int(done.stdout.split()[0]) >= 50


def test_every_public_name_is_in_the_reference(root, site):
    names, door = [], ""
    for line in (root / "docs" / "api.md").read_text(encoding="utf-8").splitlines():
        if match := re.match(r"## `([\w.]+)`", line):
            door = match[1]
        elif match := re.match(r"- `(\w+)`", line):
            names.append(f"{door}.{match[1]}")
    assert len(names) > 250
    pages = "".join(p.read_text(encoding="utf-8") for p in (site / "reference").glob("*.html"))
    there = set(re.findall(r'id="([\w.]+)"', pages))
    assert [name for name in names if name not in there] == []


def test_every_claim_has_its_experiment_and_verdict(site):
    pages = [p.read_text(encoding="utf-8") for p in (site / "experiments").glob("*.html")]
    assert len(pages) >= 24
    for claim in known_claims():
        assert any(f"<code>{claim.name}</code>" in page for page in pages), claim.name


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ('<a href="lost.html">x</a>', "lost.html is not there"),
        ('<a href="#lost">x</a>', "#lost has no such anchor"),
        ('<img src="https://example.org/a.png">', "loads https://example.org/a.png"),
        ('<link rel="stylesheet" href="//example.org/a.css">', "loads //example.org/a.css"),
    ],
)
def test_a_broken_link_is_told(root, tmp_path, body, told):
    (tmp_path / "index.html").write_text(f'<p id="here">{body}<a href="#here">y</a></p>')
    done = check_links(root, tmp_path)
    assert done.returncode == 1
    assert told in done.stdout


@pytest.fixture(scope="module")
def landing(site):
    """The landing page in a browser without a network."""
    with Browser() as page:
        page.offline()
        page.open((site / "index.html").as_uri(), "document.readyState == 'complete'")
        page.run("document.querySelector('label[for=__search]').click(); 1")
        page.wait("document.querySelector('[data-md-toggle=search]').checked")
        yield page
        assert not page.errors
        assert not [r for r in page.requests if not r.startswith(("file:", "data:"))]


# What is typed -> pages one of which must come first.
SOUGHT = {
    "condensation": ("theory.html", "concepts.html"),
    "install": ("install.html",),
    "citation": ("index.html",),
    "pressure map": ("howto/my_sole.html",),
    "my robot": ("howto/my_robot.html",),
    "units": ("conventions.html",),
}


@needs_browser
@pytest.mark.parametrize("words", SOUGHT)
def test_the_search_finds_a_sensible_page_first(site, landing, words):
    links = "[...document.querySelectorAll('.md-search-result__item > a')].map(a => a.href)"
    before = landing.run(f"{links}.join()")
    field = "document.querySelector('input[name=query]')"
    landing.run(f"{field}.value = ''; {field}.focus(); 1")
    landing.send("Input.insertText", text=words)
    landing.run(f"{field}.dispatchEvent(new Event('keyup')); 1")
    landing.wait(f"{links}.length > 0 && {links}.join() != {before!r}")
    first = landing.run(f"{links}[0]").split("?")[0].split("#")[0]
    assert first.removeprefix(site.as_uri() + "/") in SOUGHT[words]
