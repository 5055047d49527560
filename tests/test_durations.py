"""Which files a run collects and which tests are quick: the hooks of durations.py."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from durations import pytest_ignore_collect, quick


@pytest.mark.parametrize(
    ("asked", "text", "left_out"),
    [
        ("long and not nightly", "pytestmark = pytest.mark.slow\n", True),
        ("long and not nightly", "pytestmark = pytest.mark.long\n", None),
        ("not long and not nightly", "pytestmark = pytest.mark.slow\n", None),
        ("", "pytestmark = pytest.mark.slow\n", None),
    ],
)
def test_files_without_a_long_test_are_left_out_of_the_second_stage(
    asked, text, left_out, tmp_path
):
    path = tmp_path / "test_it.py"
    path.write_text(text)
    config = SimpleNamespace(option=SimpleNamespace(markexpr=asked))
    assert pytest_ignore_collect(path, config) is left_out
    assert pytest_ignore_collect(tmp_path, config) is None


def test_the_quickest_tests_that_fit_are_chosen():
    took = {"a": 3.0, "b": 1.0, "c": 2.0}
    assert quick(took, 3.5) == {"b", "c"} and quick(took, 0.5) == set()
