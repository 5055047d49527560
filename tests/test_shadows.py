"""A user's file with the name of a package: the error names the file and says what to do."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("file", "wanted"), [("robot", "contact.press"), ("contact", "robot.walk"), ("robot", "sole")]
)
def test_a_file_in_the_way_of_a_package_is_named(tmp_path, file, wanted):
    (tmp_path / f"{file}.py").write_text("x = 1\n")
    script = tmp_path / "mine.py"
    script.write_text(f"import {wanted}\n")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    last = done.stderr.strip().splitlines()[-1]
    assert done.returncode == 1
    assert last == (
        f"ImportError: {tmp_path / file}.py hides the package '{file}' of compliant-sole: "
        "rename this file"
    )


def test_other_files_of_a_user_are_no_matter(tmp_path):
    (tmp_path / "press.py").write_text("x = 1\n")
    (tmp_path / "mine.py").write_text("import sole.material\n")
    done = subprocess.run([sys.executable, tmp_path / "mine.py"], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
