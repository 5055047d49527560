"""The benchmark's recorder: problems of a robot on two pads that are what they claim to be."""

from __future__ import annotations

import importlib.util
import sys
from functools import lru_cache
from types import ModuleType

import numpy as np
import pytest

from contact.problem import ContactStatus, Problem, certify
from contact.solvers import GaussSeidel

WEIGHT = 58.0 * 9.81  # N, of the robot


@lru_cache
def recorder(root) -> ModuleType:
    path = root / "benchmarks" / "contact_problems.py"
    spec = importlib.util.spec_from_file_location("benchmarks_contact_problems", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("young", [1e6, 1e8])
@pytest.mark.parametrize("state", ["touchdown", "double support", "sliding"])
def test_recorded_problems_can_be_solved_and_look_like_their_name(root, state, young):
    bench = recorder(root)
    records = bench.record(20, young, state, count=4, span=8)
    assert len(records) == 4
    statuses = []
    for r in records:
        solution = GaussSeidel(tolerance=1e-10, max_sweeps=2000).solve(r.problem, r.start)
        assert certify(r.problem, solution.reactions).worst <= 2e-10
        # The operator of the feet, formed, is symmetric positive semi-definite: checked here.
        dense = Problem.dense(r.problem.operator.dense(), r.problem.offset, r.problem.friction)
        assert certify(dense, solution.reactions).worst <= 1e-9
        statuses.append(solution.status)
        again = bench.fresh(r.problem)
        np.testing.assert_array_equal(again.velocity(r.start), r.problem.velocity(r.start))
        assert "blocks" not in vars(bench.fresh(r.problem).operator)
    shares = [np.mean(np.concatenate(statuses) == s) for s in ContactStatus]
    if state == "touchdown":
        assert shares[ContactStatus.OPEN] > 0.1
    elif state == "sliding":
        assert shares[ContactStatus.SLIP] > 0.5
    else:
        assert shares[ContactStatus.STICK] > 0.2


def test_the_warm_start_is_the_extrapolation_of_what_was_solved_before(root):
    # Three steps in a row: the forces kept with the last are the answers to the two before.
    bench = recorder(root)
    first, second, third = bench.record(20, 3e5, "double support", count=3, span=3)
    for earlier, kept in ((second, third.last), (first, third.before)):
        solved = GaussSeidel(tolerance=1e-12, max_sweeps=3000).solve(earlier.problem)
        assert len(solved.reactions) == len(kept)  # all nodes of both feet touch
        # The soles carry their forces along: equal in the axes of the foot. The recorder solves
        # to 1e-10; W is conditioned below 1e3.
        was = np.einsum("kab,ka->kb", earlier.problem.operator.frames, solved.reactions)
        now = np.einsum("kab,ka->kb", third.problem.operator.frames, kept)
        np.testing.assert_allclose(was, now, atol=1e-7 * np.abs(kept).max())
    np.testing.assert_array_equal(third.start, 2 * third.last - third.before)
    # A smooth motion: the start is nearer than nothing and than the last step alone.
    errors = [certify(third.problem, r).natural_map for r in (third.start, third.last)]
    assert errors[0] < errors[1] < 1.0


def test_standing_carries_the_weight(root):
    # Almost at rest: vertical acceleration of the trunk is that of the sway, below 0.2 g.
    bench = recorder(root)
    for r in bench.record(20, 3e5, "double support", count=2, span=8):
        carried = GaussSeidel(tolerance=1e-8).solve(r.problem, r.start).reactions[:, 2].sum()
        assert carried == pytest.approx(WEIGHT, rel=0.2)
