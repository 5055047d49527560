"""`sole contact solve` and `sole contact bench`: what they store, say and refuse."""

from __future__ import annotations

import csv
import json
from dataclasses import replace

import numpy as np
import pytest
from command_line import in_this_process
from fclib_files import local, ours, random_local, residual

from contact.fclib import (
    SolverComparison,
    SolverRow,
    find_problems,
    load_solution,
    our_solvers,
    read_fclib,
    run_bench,
    save_problem,
)
from contact.fclib import bench as fclib_bench
from contact.fclib import solve_fclib as fclib_solve
from contact.fclib.fclib_file import load_problem
from contact.problem import Outcome, Problem
from contact.solvers import GaussSeidel, check_direction
from contact.solvers.solve_problem import METHODS
from contact.summaries.problem_summary import describe_solution
from sole.base.errors import SoleError

TOLERANCE = 1e-8


@pytest.fixture
def solve(monkeypatch, capsys):
    return in_this_process(monkeypatch, capsys, "contact", "solve")


@pytest.fixture
def bench(monkeypatch, capsys):
    return in_this_process(monkeypatch, capsys, "contact", "bench")


@pytest.fixture(scope="module")
def problem_file(tmp_path_factory):
    """Six contacts: some open, some sticking, some slipping."""
    W, q, mu = random_local(6, seed=11)
    q[::3] -= 1.0
    return local(tmp_path_factory.mktemp("fclib") / "six.hdf5", W, q, mu)


def residual_of_file(path, npz):
    """The same from the two files alone."""
    problem = load_problem(path)
    with np.load(npz) as arrays:
        r = arrays["reactions"]
    assert r.shape == (problem.contacts, 3)
    return residual(problem.operator.dense(), problem.offset.ravel(), problem.friction, r)


# --- solve -------------------------------------------------------------------------------------


def test_a_stored_solution_solves_the_problem(problem_file, solve, tmp_path):
    output = tmp_path / "r.npz"
    code, out, err = solve(problem_file, "-o", output, "--json")
    assert (code, err) == (0, "")
    said = json.loads(out)
    assert said["outcome"] == "solved"
    assert residual_of_file(problem_file, output) <= TOLERANCE
    assert said["natural_map"] == pytest.approx(residual_of_file(problem_file, output), rel=1e-3)
    assert said["open"] + said["stick"] + said["slip"] == said["contacts"] == 6
    assert min(said["open"], said["slip"]) > 0
    for name in ("cone", "dual_cone", "complementarity", "asymmetry", "signorini"):
        assert 0 <= said[name] <= 1e-7, name
    assert said["time"] > 0
    assert said["iterations"] > 0
    assert solve(problem_file, "-o", output)[1].splitlines()[-1] == f"output: {output}"


def test_reactions_are_in_our_order(solve, tmp_path):
    """W = diag(2, 3, 4), (n, t1, t2): r_n = 1, r_t1 = -0.1, r_t2 = -0.2, sticking."""
    path = local(tmp_path / "a.hdf5", np.diag([2.0, 3.0, 4.0]), [-2.0, 0.3, 0.8], [0.5])
    assert solve(path, "-o", tmp_path / "r.npz", "--quiet") == (0, "", "")
    with np.load(tmp_path / "r.npz") as arrays:
        assert np.allclose(arrays["reactions"], [[-0.1, -0.2, 1.0]], rtol=0, atol=1e-7)
        assert arrays["status"].tolist() == [1]


def test_the_file_says_what_was_solved_and_how(problem_file, solve, tmp_path):
    import hashlib

    output = tmp_path / "r.npz"
    solve(problem_file, "-o", output, "--method", "gauss-seidel", "--seed", 3, "--tolerance", 1e-6)
    record = load_solution(output)
    assert record.outcome is Outcome.SOLVED
    assert record.problem["digest"] == hashlib.sha256(problem_file.read_bytes()).hexdigest()[:32]
    assert (record.method, record.seed, record.tolerance) == ("gauss-seidel", 3, 1e-6)
    assert record.certificate.natural_map <= 1e-6
    assert record.iterations["sweeps"] > 0
    problem = load_problem(problem_file)
    velocity = problem.velocity(record.reactions)  # sums in another order
    np.testing.assert_allclose(record.velocity, velocity, rtol=0, atol=1e-13)


def test_the_table_names_every_figure(problem_file, solve):
    code, out, err = solve(problem_file)
    assert (code, err) == (0, "")
    for name in (
        "contacts",
        "method",
        "iterations",
        "time",
        "natural map",
        "cone",
        "dual cone",
        "complementarity",
        "asymmetry",
        "open",
        "stick",
        "slip",
        "outcome",
    ):
        assert name in out


def test_info_reads_problem_and_solution(problem_file, solve, monkeypatch, capsys, tmp_path):
    solve(problem_file, "-o", tmp_path / "r.npz")
    info = in_this_process(monkeypatch, capsys, "info")
    code, out, _ = info(tmp_path / "r.npz", "--json")
    assert (code, json.loads(out)["outcome"]) == (0, "solved")
    code, out, _ = info(problem_file, "--json")
    assert (code, json.loads(out)["contacts"]) == (0, 6)
    assert json.loads(out)["kind"] == "fclib_local"


def test_the_same_seed_gives_the_same_bits(problem_file, solve, tmp_path):
    def reactions(seed):
        solve(problem_file, "-o", tmp_path / "r.npz", "--method", "gauss-seidel", "--seed", seed)
        return load_solution(tmp_path / "r.npz").reactions

    first = reactions(5)
    assert np.array_equal(first, reactions(5))
    assert not np.array_equal(first, reactions(6))


def test_an_unsolved_problem_is_exit_2_and_keeps_its_best(problem_file, solve, tmp_path):
    output = tmp_path / "r.npz"
    code, out, err = solve(
        problem_file, "-o", output, "--method", "gauss-seidel", "--max-sweeps", 2
    )
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "not solved" in err
    assert str(output) in err
    record = load_solution(output)
    assert record.outcome is Outcome.STALLED
    reached = residual_of_file(problem_file, output)
    assert reached > TOLERANCE
    assert f"{record.certificate.worst:.1e}" in err
    assert record.certificate.natural_map == pytest.approx(reached, rel=1e-9)


def test_an_unsolved_problem_still_prints_its_figures_as_json(problem_file, solve):
    options = ("--method", "gauss-seidel", "--max-sweeps", 2, "--json")
    code, out, err = solve(problem_file, *options)
    assert (code, err.count("\n")) == (2, 1)
    said = json.loads(out)
    assert said["outcome"] == "not solved"
    assert said["natural_map"] > TOLERANCE
    assert said["iterations"] == 2


@pytest.mark.parametrize("place", ["nowhere/r.npz", "folder.npz"])
def test_an_output_that_cannot_be_written_is_found_before_the_work(
    place, problem_file, solve, tmp_path, monkeypatch
):
    (tmp_path / "folder.npz").mkdir()
    monkeypatch.setattr("contact.fclib.solve_file", None)  # a call would be another error
    code, out, err = solve(problem_file, "-o", tmp_path / place)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "cannot write" in err


def test_the_result_is_printed_even_if_its_file_then_fails(
    problem_file, solve, tmp_path, monkeypatch
):
    def full(*_):
        raise SoleError("the disk is full")

    monkeypatch.setattr("contact.fclib.save_solution", full)
    code, out, err = solve(problem_file, "-o", tmp_path / "r.npz", "--json")
    assert (code, json.loads(out)["outcome"]) == (2, "solved")
    assert "disk" in err


@pytest.mark.parametrize("title", ["a [/bold] b", "[red]b[/red]", ":smile:", "\\[x]\\", "\x1b[2J"])
def test_names_and_titles_are_shown_as_they_are(title, problem_file, monkeypatch, capsys, tmp_path):
    path = tmp_path / "[red]a.hdf5"
    W, q, mu = random_local(2)
    local(path, W, q, mu, title=title)
    sole = in_this_process(monkeypatch, capsys)
    shown = title.replace("\x1b", "?")
    for command in (("contact", "solve", path), ("info", path)):
        code, out, err = sole(*command)
        assert (code, err) == (0, "")
        assert shown in out
    assert "[red]a.hdf5" in sole("contact", "solve", path)[1]
    code, out, err = sole("contact", "bench", tmp_path, "--methods", "gauss-seidel")
    assert (code, err) == (0, "")
    assert "[red]a.hdf5" in out


def test_pivots_are_counted(problem_file, solve, bench, tmp_path):
    output = tmp_path / "r.npz"
    _, out, _ = solve(problem_file, "-o", output, "--method", "lcp-4", "--json")
    pivots = load_solution(output).iterations["pivots"]
    assert pivots == json.loads(out)["iterations"] > 0
    _, out, _ = bench(problem_file.parent, "--methods", "lcp-4", "--json")
    assert json.loads(out)["rows"][0]["iterations"] == pivots


def test_help_names_every_method(solve):
    said = " ".join(solve("--help")[1].split())
    for method in METHODS:
        assert method in said


def test_an_oblique_proof_says_what_it_excludes(problem_file):
    """Of a record with a proof; the certificate itself does not matter."""
    source = read_fclib(problem_file)
    record = fclib_solve.solve_file(source)
    proof = check_direction(source.problem, np.ones((6, 3)))
    for normal, oblique in ((0.0, False), (0.3, True)):
        shown = replace(proof, normal=normal)
        told = replace(record, outcome=Outcome.INFEASIBLE, proof=shown)
        notes = " ".join(describe_solution(told).warnings)
        assert "no solution" in notes
        assert ("oblique" in notes) == oblique


def test_without_output_nothing_is_written(problem_file, solve, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert solve(problem_file, "--quiet") == (0, "", "")
    assert list(tmp_path.iterdir()) == []


def test_a_problem_with_q_zero_has_the_answer_zero(solve, tmp_path):
    W, _, mu = random_local(2)
    path = local(tmp_path / "a.hdf5", W, np.zeros(6), mu)
    assert solve(path, "-o", tmp_path / "r.npz")[0] == 0
    assert not load_solution(tmp_path / "r.npz").reactions.any()


def test_an_empty_problem_has_an_empty_answer(solve, tmp_path):
    path = local(tmp_path / "a.hdf5", np.zeros((0, 0)), [], [])
    code, out, err = solve(path, "-o", tmp_path / "r.npz", "--json")
    assert (code, err) == (0, "")
    assert load_solution(tmp_path / "r.npz").reactions.shape == (0, 3)
    assert json.loads(out)["contacts"] == 0


def test_a_guess_that_solves_needs_no_iterations(problem_file, solve, tmp_path):
    solve(problem_file, "-o", tmp_path / "r.npz", "--tolerance", 1e-11, "--method", "gauss-seidel")
    r = load_solution(tmp_path / "r.npz").reactions
    path = tmp_path / "guess.hdf5"
    save_problem(path, load_problem(problem_file), guesses=[r])
    _, out, _ = solve(path, "--guess", "--json", "--tolerance", 1e-6, "--method", "gauss-seidel")
    assert json.loads(out)["iterations"] <= 1
    code, _, err = solve(problem_file, "--guess")
    assert code == 2
    assert "--guess" in err


def test_a_proof_that_there_is_no_solution_is_a_result(solve, tmp_path):
    """A body without rotation between two walls that close, n = +x and -x: u = H' v with
    H = [n t1 t2 | n t1 t2]; d = (1, 0, 0, 1, 0, 0) has H d = 0 and q'd = -2 |q|/sqrt(2)."""
    H = np.array([[1.0, 0, 0, -1, 0, 0], [0, 1, 0, 0, 1, 0], [0, 0, 1, 0, 0, -1]])
    W, q = H.T @ H, np.array([-1.0, 0, 0, -1, 0, 0])
    output = tmp_path / "r.npz"
    code, out, err = solve(local(tmp_path / "a.hdf5", W, q, [0.5, 0.5]), "-o", output, "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["outcome"] == "infeasible"
    record = load_solution(output)
    assert record.outcome is Outcome.INFEASIBLE
    d, order = record.direction.ravel(), ours(2)
    d = d / np.linalg.norm(d)
    assert np.abs(W[np.ix_(order, order)] @ d).max() <= TOLERANCE
    assert q[order] @ d / np.linalg.norm(q) == pytest.approx(-1.0, abs=1e-6)
    assert record.proof.descent == pytest.approx(-1.0, abs=1e-6)


def test_a_proof_that_fails_its_check_is_no_result(problem_file, monkeypatch):
    """A direction without descent, as if a solver had made a mistake."""
    problem = load_problem(problem_file)

    def mistaken(problem, *_, **__):
        solution = GaussSeidel(max_sweeps=1).solve(problem)
        return replace(solution, outcome=Outcome.INFEASIBLE, direction=np.ones((6, 3)))

    monkeypatch.setattr(fclib_solve, "solve", mistaken)
    solution, _ = fclib_solve.solve_problem(problem)
    assert solution.outcome is Outcome.STALLED
    assert solution.direction is None


REFUSED = [
    (["--method", "magic"], "auto, gauss-seidel"),
    (["--tolerance", "0"], "got 0"),
    (["--tolerance", "nan"], "nan"),
    (["--max-sweeps", "0"], "got 0"),
    (["-o", "r.txt"], "r.txt"),
    (["-o", "nowhere/r.npz"], "nowhere"),
]


@pytest.mark.parametrize(("options", "mention"), REFUSED, ids=[" ".join(o) for o, _ in REFUSED])
def test_bad_options_are_one_line(options, mention, problem_file, solve, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = solve(problem_file, *options)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert mention in err
    assert list(tmp_path.iterdir()) == []


def test_a_solution_that_was_altered_or_cut_is_refused(problem_file, solve, tmp_path):
    output = tmp_path / "r.npz"
    solve(problem_file, "-o", output)
    whole = output.read_bytes()
    output.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(SoleError, match=r"r\.npz"):
        load_solution(output)


# --- bench -------------------------------------------------------------------------------------


@pytest.fixture
def folder(problem_file, tmp_path):
    folder = tmp_path / "problems"
    folder.mkdir()
    (folder / "six.hdf5").write_bytes(problem_file.read_bytes())
    local(folder / "two.hdf5", *random_local(2))
    (folder / "broken.hdf5").write_text("nothing")
    (folder / "notes.txt").write_text("not a problem")
    return folder


def test_bench_compares_solvers(folder, bench, tmp_path):
    code, out, err = bench(folder, "--methods", "auto,gauss-seidel", "--json", "--tolerance", 1e-7)
    assert (code, err) == (0, "")
    said = json.loads(out)
    assert [row["problem"] for row in said["rows"]] == ["broken.hdf5"] + 2 * ["six.hdf5"] + 2 * [
        "two.hdf5"
    ]
    assert said["rows"][0]["outcome"] == "unreadable"
    for row in said["rows"][1:]:
        assert row["outcome"] == "solved"
        assert row["residual"] <= 1e-7
        assert row["seconds"] > 0
    assert {row["solver"] for row in said["rows"][1:]} == {"auto", "gauss-seidel"}
    assert said["profile"]["tau"][-1] is None
    assert said["profile"]["auto"][-1] == said["profile"]["gauss-seidel"][-1] == 1.0


def test_bench_prints_tables_and_writes_both_files(folder, bench, tmp_path):
    table, picture = tmp_path / "t.csv", tmp_path / "p.png"
    code, out, err = bench(folder, "--methods", "gauss-seidel", "-o", table, "--plot", picture)
    assert (code, err) == (0, "")
    words = "six.hdf5", "gauss-seidel", "time [s]", "solved", "tau 10", "broken.hdf5", "100 %"
    for word in words:
        assert word in out
    assert out.splitlines()[-2:] == [f"output: {table}", f"output: {picture}"]
    with table.open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [row["problem"] for row in rows] == ["broken.hdf5", "six.hdf5", "two.hdf5"]
    assert float(rows[1]["residual"]) <= TOLERANCE
    assert float(rows[1]["seconds[s]"]) > 0
    assert picture.read_bytes()[:4] == b"\x89PNG"
    assert bench(folder, "--methods", "gauss-seidel", "--quiet") == (0, "", "")


@pytest.mark.parametrize(
    ("make", "options", "mention"),
    [
        ("none", [], "no such folder"),
        ("empty", [], "no file"),
        ("file", [], "not a folder"),
        ("good", ["--methods", "magic"], "magic"),
        ("good", ["-o", "t.txt"], "t.txt"),
        ("good", ["--tolerance", "-1"], "-1"),
        ("good", ["--peers"], "--peers"),
        ("good", ["--methods", ","], "no solver"),
    ],
)
def test_bench_refuses(make, options, mention, bench, tmp_path):
    path = tmp_path / "there"
    if make == "file":
        path.write_text("")
    elif make != "none":
        path.mkdir()
    if make == "good":
        local(path / "a.hdf5", *random_local(1))
    code, out, err = bench(path, *options)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert mention in err


@pytest.mark.parametrize("place", ["nowhere/t.csv", "folder.png"])
def test_a_table_that_cannot_be_written_is_found_before_the_work(
    place, folder, bench, tmp_path, monkeypatch
):
    (tmp_path / "folder.png").mkdir()
    monkeypatch.setattr("contact.fclib.run_bench", None)
    code, out, err = bench(folder, "-o", tmp_path / "t.csv", "--plot", tmp_path / place)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "cannot write" in err


def test_an_error_that_nobody_foresaw_is_a_row(folder, bench, monkeypatch):
    solved = fclib_bench.solve_problem

    def broken(problem, **options):
        if problem.contacts == 2:
            raise ZeroDivisionError("by zero")
        return solved(problem, **options)

    monkeypatch.setattr(fclib_bench, "solve_problem", broken)
    code, out, err = bench(folder, "--methods", "gauss-seidel", "--json")
    assert (code, err) == (0, "")
    rows = json.loads(out)["rows"]
    assert [row["outcome"] for row in rows] == ["unreadable", "solved", "failed"]
    assert rows[2]["remark"] == "ZeroDivisionError: by zero"


def test_an_interrupted_comparison_keeps_its_rows(folder, bench, monkeypatch, tmp_path):
    solved = fclib_bench.solve_problem

    def interrupted(problem, **options):
        if problem.contacts == 2:
            raise KeyboardInterrupt
        return solved(problem, **options)

    monkeypatch.setattr(fclib_bench, "solve_problem", interrupted)
    table = tmp_path / "t.csv"
    code, _, _ = bench(folder, "--methods", "gauss-seidel", "-o", table, "--quiet")
    assert code == 130
    with table.open(newline="") as stream:
        outcomes = [row["outcome"] for row in csv.DictReader(stream)]
    assert outcomes == ["unreadable", "solved"]


def test_a_table_that_cannot_be_kept_on_the_way_does_not_end_the_run(problem_file):
    def keep(part):
        raise SoleError("the disk is full")

    assert len(run_bench([problem_file], our_solvers(["gauss-seidel"]), keep=keep).rows) == 1


def test_methods_twice_are_once_and_unreadable_files_are_told_apart(folder, bench):
    code, out, _ = bench(folder, "--methods", "gauss-seidel,gauss-seidel", "--json")
    said = json.loads(out)
    assert (code, len(said["rows"]), said["unreadable"]) == (0, 3, 1)
    assert said["profile"]["gauss-seidel"][-1] == 1.0
    _, out, _ = bench(folder, "--methods", "gauss-seidel")
    assert "2 problems" in out
    assert "not counted there: 1" in out


def test_only_the_natural_map_judges_a_row(problem_file, monkeypatch):
    """Forces off the tolerance only by Signorini's law or the cone."""
    problem = load_problem(problem_file)
    solution = GaussSeidel(tolerance=1e-12).solve(problem)
    c = replace(solution.certificate, natural_map=1e-9, signorini=1e-3)
    mine = replace(solution, certificate=c, outcome=Outcome.STALLED)
    monkeypatch.setattr(fclib_bench, "compile_kernels", lambda method: None)
    monkeypatch.setattr(fclib_bench, "solve_problem", lambda *_, **__: (mine, 1.0))
    assert [r.outcome for r in run_bench([problem_file], our_solvers(["auto"])).rows] == ["solved"]


def row(problem, solver, seconds, outcome="solved"):
    return SolverRow(
        problem=problem,
        contacts=1,
        solver=solver,
        iterations=1,
        seconds=seconds,
        residual=0.0,
        outcome=outcome,
    )


def test_the_profile_by_hand():
    """a takes 3, 8, - and b 6, 2, - seconds: ratios a 1, 4, inf, b 2, 1, inf; nobody solves the
    third problem, a proof that it has no solution would count."""
    rows = (
        row("p", "a", 3.0),
        row("p", "b", 6.0),
        row("q", "a", 8.0),
        row("q", "b", 2.0),
        row("s", "a", 0.1, "not solved"),
        row("s", "b", 0.1, "refused"),
    )
    bench = SolverComparison(rows=rows, solvers=("a", "b"), tolerance=1e-8)
    assert bench.ratios("a") == [1.0, 4.0, np.inf]
    assert bench.profile("a", (1.0, 2.0, 4.0, np.inf)) == [1 / 3, 1 / 3, 2 / 3, 2 / 3]
    assert bench.profile("b", (1.0, 2.0, 4.0, np.inf)) == [1 / 3, 2 / 3, 2 / 3, 2 / 3]
    proved = SolverComparison(
        rows=(*rows[:4], row("s", "a", 0.1, "infeasible"), rows[5]),
        solvers=("a", "b"),
        tolerance=1e-8,
    )
    assert proved.profile("a")[-1] == 1.0


def test_problems_are_found_by_name(folder):
    assert [path.name for path in find_problems(folder)] == ["broken.hdf5", "six.hdf5", "two.hdf5"]
    assert isinstance(load_problem(find_problems(folder)[1]), Problem)
    (folder / "A.HDF5").write_text("")
    (folder / "z.H5").write_text("")
    assert [path.name for path in find_problems(folder)][::4] == ["A.HDF5", "z.H5"]
