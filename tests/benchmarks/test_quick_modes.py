"""Every benchmark runs: its `--quick` mode, in this process, prints the table that it promises."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys

import pytest

pytestmark = pytest.mark.long

QUICK = (
    "assembly",
    "block_on_pad",
    "condensation",
    "fast_forms",
    "contact_cost",
    "ground",
    "identify",
    "linear_model_error",
    "live_page",
    "online_plan",
    "own_simulator",
    "page_in_browser",
    "penalty",
    "sole_aware_tick",
    "sole_margin",
    "residual_policy",
    "retiming",
    "shape_gradients",
    "standing_still",
    "study_walks",
    "sweep",
    "time_step",
    "walk_kinematics",
    "few_contacts",
    "walk_speed",
    "wrench_cone",
)
NIGHTLY = pytest.mark.nightly
MARKED = ("block_on_pad", "few_contacts")  # their tables look like results
# Some seconds each, a minute the last: `make test-nightly`.
LATE = (
    "contact_cost",
    "wrench_cone",
    "fast_forms",
    "page_in_browser",
    "time_step",
    "live_page",
    "residual_policy",
    "standing_still",
    "identify",
    "linear_model_error",
    "own_simulator",
    "walk_kinematics",
    "condensation",
    "study_walks",
)
PROCESSES = ("study_workers", "study_kills")  # several processes each: tens of seconds
# Tested elsewhere: test_peers, test_contact_solvers, test_docs_numbers, test_start_up, test_ends,
# test_public_robots.
APART = (
    "contact_solvers",
    "docs_numbers",
    "fall_verdicts",
    "fclib_solvers",
    "public_robots",
    "start_up",
)


def in_time(name):
    """The name as a parameter, marked if only the nightly run has time for it."""
    return pytest.param(name, marks=[NIGHTLY] if name in LATE else [])


@pytest.fixture
def load(root):
    """Load a benchmark by its path below benchmarks/: examples have the same names."""

    def loaded(name):
        path = root / "benchmarks" / f"{name}.py"
        spec = importlib.util.spec_from_file_location(f"benchmarks_{name}", path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module  # dataclasses look their module up
        spec.loader.exec_module(module)
        return module

    return loaded


def test_every_benchmark_has_a_quick_mode(root):
    scripts = {
        path.stem
        for path in (root / "benchmarks").glob("*.py")
        if '__name__ == "__main__"' in path.read_text(encoding="utf-8")
    }
    assert scripts == {*QUICK, *PROCESSES, *APART}, "give it a --quick mode and name it here"


def test_every_script_sets_numba_up_before_it_calls_kernels(root):
    """Those that only start `sole`, or peers, in other processes leave it to these."""
    only = {"start_up.py", "study_walks.py", "public_robots.py"}
    only |= {"endings.py", "pinocchio.py", "siconos.py"}
    files = [*(root / "benchmarks").rglob("*.py"), root / "examples" / "gallery" / "__main__.py"]
    ends = {
        path: path.read_text(encoding="utf-8").rpartition('if __name__ == "__main__":')
        for path in files
    }
    scripts = {path: end for path, (_, guard, end) in ends.items() if guard}
    assert len(scripts) > 60
    late = [
        path.name for path, end in scripts.items() if not end.startswith("\n    set_up_numba()")
    ]
    assert set(late) == only


@pytest.mark.parametrize("name", [in_time(name) for name in QUICK])
def test_it_runs(name, load, capsys):
    load(name).main(["--quick"])
    told = capsys.readouterr().out
    assert len(re.findall(r"\d", told)) > 10 and "nan" not in told
    if name in MARKED:
        first, *tables, last = told.strip().splitlines()
        assert first == last and "no figure here is a measurement" in first and tables


@pytest.mark.parametrize(
    "name, mode",
    [
        ("shape_design", "elsewhere"),
        ("shape_design", "front"),
        *(pytest.param("shape_design", m, marks=NIGHTLY) for m in ("search", "friction")),
        *(pytest.param("shape_walks", m, marks=NIGHTLY) for m in ("pads", "front")),
    ],
)
def test_tables_of_pages_run(name, mode, load, capsys, tmp_path):
    picture = ["-o", str(tmp_path / "front.png")] if mode == "front" else []
    load(f"page_tables/{name}").main([mode, "--quick", *picture])
    told = capsys.readouterr().out
    assert re.search(r"^\| .*\d", told, re.MULTILINE) and "nan" not in told
    assert not picture or (tmp_path / "front.png").stat().st_size > 5_000


def printed(root, name):
    """Run a benchmark of several processes in its own; return what it prints."""
    words = [sys.executable, str(root / "benchmarks" / f"{name}.py"), "--quick"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.nightly
def test_the_workers_are_compared(root):
    assert len(re.findall(r"^\| [\d.]+ s \|", printed(root, "study_workers"), re.MULTILINE)) == 4


@pytest.mark.slow
@pytest.mark.nightly
def test_kills_leave_the_table_as_it_was(root):
    told = printed(root, "study_kills")
    assert told.startswith("2 kills") and "all identical" in told
