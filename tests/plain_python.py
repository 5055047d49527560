"""Kernels without numba's compiler give the numbers of machine code, to 1e-12 of the largest.

    python tests/plain_python.py            the cases in two processes, compared; exit code 1 if not
    python tests/plain_python.py PAD.npz    the numbers of this process, as JSON

One process has ``NUMBA_DISABLE_JIT=1``: every kernel is the Python that stands in its file. What is
condensed is condensed once, since elimination calls LAPACK by address. `make test-python`.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from doors import compiled_door
from solver_problems import banded, definite, soles
from step_cases import go, small_pad, thrown, world

from contact.ground import parse_ground
from contact.margins import LimitSurface
from contact.problem import Problem
from contact.solvers import GaussSeidel, solve
from contact.solvers.lemke import lemke
from contact.step import Body
from contact.wrench_cone import rectangle_margin
from robot.model import load_robot
from robot.tree import tree_of, tree_sheet
from robot.tree.tree_arrays import open_tree
from robot.tree.tree_kernels import fill_inertia, move_links, sum_forces, weigh_links
from sole.base.numba_settings import set_up_numba
from sole.condense import load_condensed, save_condensed

CLOSE = 1e-12  # of the largest number of a case
Numbers = Callable[[], list[Any]]


def solved(problem: Problem) -> list[Any]:
    """Forces and velocities of a problem."""
    found = solve(problem, tolerance=1e-13)
    return [found.reactions, found.velocity]


def swept(problem: Problem) -> list[Any]:
    """Forces after a few sweeps."""
    return [GaussSeidel(max_sweeps=7, tolerance=1e-14).solve(problem).reactions]


def touched(ground: str) -> list[Any]:
    """Gaps and frames of points near a ground."""
    points = np.random.default_rng(1).uniform([-0.5, -0.5, -0.02], [1.0, 0.5, 0.3], (60, 3))
    found = parse_ground(ground).query(points)
    return [np.where(np.isfinite(found.gap), found.gap, -1.0), found.frames]


def held() -> list[Any]:
    """Margins of a foot's wrenches, and the gauge of its friction."""
    rng = np.random.default_rng(2)
    wrenches = rng.normal(size=(40, 6)) * [30, 30, 20, 5, 8, 3] + [0, 0, 400, 0, 0, 0]
    points = rng.uniform([-0.1, -0.05, 0.0], [0.1, 0.05, 0.0], (12, 3))
    surface = LimitSurface(points, rng.uniform(1.0, 50.0, 12), 0.6)
    slip = surface.slip([60.0, 20.0, 3.0])
    return [rectangle_margin(wrenches, 0.11, 0.06, 0.4).value, slip.gauge, slip.forces]


def complementary() -> list[Any]:
    """The solution of a linear complementarity problem."""
    rng = np.random.default_rng(3)
    A = rng.normal(size=(9, 9))
    return [lemke(A @ A.T + 0.5 * np.eye(9), rng.normal(size=9)).z]


def moved() -> list[Any]:
    """Forces and inertia of a robot in motion."""
    model, rng = load_robot("hrp2-like").model, np.random.default_rng(4)
    q = np.r_[0.1, 0.2, 0.7, 0.0, 0.0, 0.0, 1.0, rng.normal(size=model.nq - 7)]
    v, dv = rng.normal(size=(2, model.nv))
    tree = tree_of(model)
    links = open_tree(np.zeros(tree_sheet(model.njoints, model.nv).size), model.njoints)
    tau, M = np.empty(model.nv), np.empty((model.nv, model.nv))
    compiled_door(move_links)(tree, q, v, dv, links)
    compiled_door(weigh_links)(tree, links)
    compiled_door(sum_forces)(tree, dv, links, tau)
    compiled_door(fill_inertia)(tree, links, M)
    return [tau, M]


def thrown_down(pad: Path, ground: str) -> list[Any]:
    """A foot on a sole that is thrown at a ground: it lands, slides and sticks."""
    body = Body.of(load_condensed(pad), eta=0.001, friction=0.4)
    scene = world(body, parse_ground(ground))
    steps = go(scene, thrown(scene, np.random.default_rng(5), 0.1, 0.5), 1e-3, 25)
    last = steps[-1].state
    return [last.twists, last.soles.displacement, [step.forces for step in steps]]


def cases(pad: Path) -> dict[str, Numbers]:
    """The named list."""
    return {
        "two contacts": partial(solved, definite(1, 2, 0.5)),
        "nine contacts": partial(swept, definite(2, 9, 0.5)),
        "a sparse operator": partial(swept, banded(3, 12, 0.5)),
        "two soles on feet": partial(swept, soles(4, 8, 0.5)),
        "gravel": partial(touched, "gravel"),
        "a step": partial(touched, "step:0.005"),
        "stairs": partial(touched, "stairs"),
        "a foot's margins": held,
        "linear complementarity": complementary,
        "a robot's tree": moved,
        "a foot thrown on a plane": partial(thrown_down, pad, "plane"),
        "a foot thrown on a step": partial(thrown_down, pad, "step:0.005"),
    }


def numbers(pad: Path) -> dict[str, list[list[float]]]:
    """The numbers of all cases, flat."""
    return {
        name: [np.asarray(part, float).ravel().tolist() for part in case()]
        for name, case in cases(pad).items()
    }


def of_process(pad: Path, plain: bool) -> dict[str, list[list[float]]]:
    """The same, of a process with or without machine code."""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": str(int(plain))}
    command = [sys.executable, __file__, str(pad)]
    done = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True)
    found: dict[str, list[list[float]]] = json.loads(done.stdout)
    return found


def apart(compiled: list[list[float]], plain: list[list[float]]) -> float:
    """How far the numbers of a case are apart, of the largest; infinite if one is none."""
    pairs = [(np.array(a), np.array(b)) for a, b in zip(compiled, plain, strict=True)]
    if not all(np.isfinite(array).all() for pair in pairs for array in pair):
        return math.inf
    return max(float(np.abs(a - b).max() / max(np.abs(a).max(), 1e-300)) for a, b in pairs)


def main() -> int:
    """Compare, or print."""
    set_up_numba()
    if len(sys.argv) > 1:
        print(json.dumps(numbers(Path(sys.argv[1]))))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        pad = Path(folder) / "pad.npz"
        save_condensed(pad, small_pad())
        compiled, plain = of_process(pad, False), of_process(pad, True)
    wrong = 0
    for name, parts in compiled.items():
        off = apart(parts, plain[name])
        wrong += off > CLOSE
        print(f"{name}: {off:.1e}{'' if off <= CLOSE else ', too far apart'}")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
