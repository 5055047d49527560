"""Solvers of others: their processes, units and order, and the comparison that judges them."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from dataclasses import replace

import fclib_solvers
import numpy as np
import pytest
from fclib_files import local, ours, random_local, residual
from fclib_solvers import main, peer_solvers
from peers import run as peers
from peers.run import MODULE, PLACES

from contact.fclib import bench as product
from contact.fclib import our_solvers, run_bench
from contact.fclib.fclib_file import load_problem
from contact.problem import Outcome
from contact.solvers import GaussSeidel
from sole.base.errors import SoleError


@pytest.fixture(scope="module")
def problem_file(tmp_path_factory):
    """Six contacts: some open, some sticking, some slipping."""
    W, q, mu = random_local(6, seed=11)
    q[::3] -= 1.0
    return local(tmp_path_factory.mktemp("fclib") / "six.hdf5", W, q, mu)


def with_peer(file, name):
    """Compare with one peer alone."""
    return run_bench([file], peer_solvers((name,))[0])


def test_the_process_of_a_peer_finds_its_module(tmp_path):
    # -S: no site-packages, as in Debian's Python, which knows nothing of our installation.
    program = (
        "import importlib.util, sys; "
        "sys.exit(any(importlib.util.find_spec(name) is None for name in sys.argv[1:]))"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", program, *sorted(set(MODULE.values()))],
        cwd=tmp_path,
        env={"PYTHONPATH": os.pathsep.join(map(str, PLACES))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert len(MODULE) >= 4 and done.returncode == 0, done.stderr


def test_ours_and_peers_are_judged_by_the_same_residual(problem_file, monkeypatch):
    """The same forces, off the tolerance only by Signorini's law or the cone, from both."""
    problem = load_problem(problem_file)
    solution = GaussSeidel(tolerance=1e-12).solve(problem)
    c = replace(solution.certificate, natural_map=1e-9, signorini=1e-3)
    mine = replace(solution, certificate=c, outcome=Outcome.STALLED)
    run = peers.PeerRun(
        reactions=solution.reactions, iterations=1, seconds=1.0, settings="", tolerance=1e-8
    )
    monkeypatch.setattr(product, "compile_kernels", lambda method: None)
    monkeypatch.setattr(fclib_solvers, "missing", lambda name: None)
    monkeypatch.setattr(product, "solve_problem", lambda *_, **__: (mine, 1.0))
    monkeypatch.setattr(fclib_solvers, "run_peer", lambda *_, **__: run)
    monkeypatch.setattr(fclib_solvers, "certify", lambda *_: c)
    solvers = {**our_solvers(["auto"]), **peer_solvers(["siconos-nsgs"])[0]}
    rows = run_bench([problem_file], solvers).rows
    assert [row.outcome for row in rows] == ["solved", "solved"]


def test_absent_peers_are_listed_not_fatal(problem_file, monkeypatch, capsys):
    monkeypatch.setattr(fclib_solvers, "missing", lambda name: f"{name} is not installed")
    words = [str(problem_file.parent), "--methods", "gauss-seidel"]
    result = main([*words, "--json"])
    out, err = capsys.readouterr()
    assert [row["outcome"] for row in json.loads(out)["rows"]] == ["solved"]
    assert result.solvers == ("gauss-seidel",)
    assert err.count("missing: ") == len(peers.PEERS)
    main([*words, "--peers", "siconos-nsgs"])
    assert capsys.readouterr().err.count("missing: ") == 1


@pytest.mark.parametrize(
    ("words", "mention"),
    [
        (["--budget", "0"], "got 0 s"),
        (["--methods", "magic"], "magic"),
        (["--tolerance", "2"], "got 2"),
    ],
)
def test_the_comparison_refuses(words, mention, problem_file):
    with pytest.raises(SoleError, match=mention):
        main([str(problem_file.parent), *words])


def test_an_unknown_peer_is_named():
    with pytest.raises(SoleError, match="pinocchio-admm"):
        peers.missing("bullet")


def test_a_peer_that_crashes_is_a_row(problem_file, monkeypatch):
    """A process that dies (Pinocchio without stack) must not take the comparison with it."""
    monkeypatch.setattr(fclib_solvers, "missing", lambda name: None)
    monkeypatch.setattr(peers, "missing", lambda name: None)
    monkeypatch.setattr(peers, "MODULE", {**peers.MODULE, "pinocchio-pgs": "peers.no_such_file"})
    result = with_peer(problem_file, "pinocchio-pgs")
    assert result.rows[0].outcome == "refused"
    assert "exit code 1" in result.rows[0].remark


def test_a_problem_too_large_for_a_peer_is_a_row(problem_file, monkeypatch):
    """18 rows are 2592 bytes; a process is not even started."""
    monkeypatch.setattr(fclib_solvers, "missing", lambda name: None)
    monkeypatch.setattr(fclib_solvers, "run_peer", None)
    monkeypatch.setattr(fclib_solvers, "LARGEST", 2591)
    result = with_peer(problem_file, "siconos-nsgs")
    assert result.rows[0].outcome == "refused"
    assert "6 contacts" in result.rows[0].remark


@pytest.mark.skipif(importlib.util.find_spec("pinocchio") is None, reason="needs pinocchio")
@pytest.mark.parametrize("name", ["pinocchio-admm", "pinocchio-pgs"])
def test_pinocchio_in_our_units_and_order(name):
    """Forces scale with q and inversely with W; the answer meets our residual in any unit."""
    W, q, mu = random_local(3, seed=12)
    q[::3] -= 2.0
    order = ours(3)
    W, q = 1e-6 * W[np.ix_(order, order)], 1e-3 * q[order]
    run = peers.run_peer(name, W, q, mu, tolerance=1e-6)
    assert residual(W, q, mu, run.reactions) <= 1e-6
    assert run.seconds > 0
    assert run.iterations > 0


@pytest.mark.skipif(peers.missing("siconos-nsgs") is not None, reason="needs Siconos")
@pytest.mark.parametrize("name", ["siconos-nsgs", "siconos-nsn-ac"])
def test_siconos_in_our_units_and_order(name):
    W, q, mu = random_local(3, seed=12)
    q[::3] -= 2.0
    order = ours(3)
    W, q = 1e-6 * W[np.ix_(order, order)], 1e-3 * q[order]
    run = peers.run_peer(name, W, q, mu, tolerance=1e-6)
    assert residual(W, q, mu, run.reactions) <= 1e-6
    assert run.reactions.any()
