"""Files of the two forges: of their schemas, on every Python, and the same questions in forms."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib

import pytest
import yaml

# File, the vendored schema of check-jsonschema, and its name of how the file is to be read.
FILES = (
    (".github/workflows/ci.yml", "github-workflows", ()),
    (".github/ISSUE_TEMPLATE/bug.yml", "github-issue-forms", ()),
    (".github/ISSUE_TEMPLATE/idea.yml", "github-issue-forms", ()),
    (".github/ISSUE_TEMPLATE/config.yml", "github-issue-config", ()),
    (".gitlab-ci.yml", "gitlab-ci", ("--data-transform", "gitlab-ci")),
    ("CITATION.cff", "citation-file-format", ("--force-filetype", "yaml")),
)


@pytest.fixture(scope="module")
def github(root):
    """The jobs of the one workflow."""
    return yaml.safe_load((root / FILES[0][0]).read_text(encoding="utf-8"))["jobs"]


@pytest.fixture(scope="module")
def gitlab(root):
    """The jobs of the pipeline."""
    return yaml.safe_load((root / ".gitlab-ci.yml").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("file", "schema", "how"), FILES, ids=[f for f, *_ in FILES])
def test_it_is_of_its_schema(root, file, schema, how):
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}"]
    command += [*how, str(root / file)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_file_of_the_forges_is_checked(root):
    found = {p.relative_to(root).as_posix() for p in (root / ".github").rglob("*.yml")}
    assert found == {file for file, *_ in FILES if file.startswith(".github")}


def test_all_pythons_of_the_classifiers_run_the_one_script(root, github, gitlab):
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pythons = [c.split()[-1] for c in project["classifiers"] if re.search(r" 3\.\d+$", c)]
    assert len(pythons) == 4
    assert github["run"]["strategy"]["matrix"]["python"] == pythons
    assert gitlab["run"]["parallel"]["matrix"] == [{"PYTHON": pythons}]
    assert github["run"]["steps"][-1]["run"] == gitlab["run"]["script"][-1] == ".ci/run"
    lowest = project["requires-python"].removeprefix(">=")
    assert github["lowest"]["steps"][1]["with"]["python-version"] == lowest
    assert gitlab["lowest"]["image"] == f"python:{lowest}-bookworm"
    assert github["lowest"]["steps"][-1]["run"] == gitlab["lowest"]["script"][-1]
    assert gitlab["lowest"]["script"][-1] == "make test-lowest"


@pytest.mark.parametrize("form", ["bug", "idea"])
def test_both_forges_ask_the_same(root, form):
    path = root / ".github" / "ISSUE_TEMPLATE" / f"{form}.yml"
    fields = yaml.safe_load(path.read_text(encoding="utf-8"))["body"]
    asked = [f["attributes"] for f in fields if f["type"] == "textarea"]
    text = (root / ".gitlab" / "issue_templates" / f"{form}.md").read_text(encoding="utf-8")
    there = re.findall(r"^## (.+)\n<!-- (.+) -->$", text, flags=re.MULTILINE)
    assert len(there) >= 3
    assert there == [(a["label"], a["description"]) for a in asked]
