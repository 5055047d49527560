"""What each fast form of a step is worth: the same walk with one more of them at every line.

A walk of hrp2-like on pads, as in `benchmarks/walk_speed.py` but without a recorder: first by the
general way alone, then with the short ways of the contact step (`contact.swept_step`), and with
many ticks in one call (`robot.fused`). The factor is the time of the line before over that of this
one. Times are CPU us per step, the least of some runs, forms in turn. The second table is the
contact step alone of a block of 30 kg on such a pad, which slides or stands: Gauss-Seidel on the
columns of W, on the compliance of the sole, the general way, and its short way. The third has the
same walk by the general way without and with sweeps by velocities, the last one the short way of
`solve` for a few contacts.

    python benchmarks/fast_forms.py [--nodes 50 104 300] [--ground step:0.005,0.4] [--plan online]
        [--duration s] [--rounds n] [--quick]
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import numpy as np
from few_contacts import TARGET, cases
from threadpoolctl import threadpool_limits
from walk_speed import CELLS, FOOT, box_mesh, walk_on

from contact.ground import Plane
from contact.problem import DenseDelassus, Problem, SoleDelassus, Solution
from contact.solvers import GaussSeidel, solve
from contact.step import Body, CompliantStep, StepMotion, StepOptions, compliant_step, step_solver
from contact.swept_step import AffineStep, SweptStep
from robot.fused import BufferSenses, TickBlocks
from robot.sensing import StepSenses
from robot.walk import Walk
from sole.base.arrays import FloatArray
from sole.base.constants import GRAVITY
from sole.base.numba_settings import set_up_numba
from sole.condense import condense
from sole.material import Material

CALLS, DT = 50, 1e-3
RUBBER = Material(young_modulus=3e6, poisson_ratio=0.4)


class Form(NamedTuple):
    """A walk with some fast forms: its name, and what simulator and walk receive."""

    name: str
    ways: tuple[type, ...] = ()
    blocks: type | None = None

    def of(self, walk: Walk) -> Walk:
        """Return the walk with these forms alone."""
        simulator = replace(walk.simulator, ways=self.ways)
        look = StepSenses if self.blocks is None else BufferSenses
        return replace(walk, simulator=simulator, blocks=self.blocks, look=look)


BOTH = AffineStep, SweptStep
FORMS = (
    Form("general way"),
    Form("sticking soles in one call: AffineStep", (AffineStep,)),
    Form("sweeps in one call: SweptStep", BOTH),
    Form("many ticks in one call: TickBlocks", BOTH, TickBlocks),
)


def spent(walk: Walk) -> float:
    """Return the CPU time of a step [us]."""
    begun, count = time.process_time(), 0
    for step, _ in walk.steps():
        count += 1
        if walk.fallen(step):
            break
    return 1e6 * (time.process_time() - begun) / count


class Columns(GaussSeidel):
    """Sweeps over the columns of W."""

    def solve(self, problem: Problem, *starts: FloatArray | None) -> Solution:
        """Solve the problem with its W as one matrix."""
        assert isinstance(problem.operator, SoleDelassus)
        dense = DenseDelassus(problem.operator.dense())
        return super().solve(Problem(dense, problem.offset, problem.friction), *starts)


class Loop(NamedTuple):
    """A way to solve the contact step of one sole."""

    name: str
    options: StepOptions = StepOptions()
    ways: tuple[type, ...] = ()


SAME = StepOptions().tolerance
LOOPS = (
    Loop("sweep_blocks: columns of W", StepOptions(solver=Columns(tolerance=SAME))),
    Loop("sweep_soles: rows of C", StepOptions(solver=GaussSeidel(tolerance=SAME))),
    Loop("step sweeps, without the closed form", StepOptions(sticking=False)),
    Loop("general way", StepOptions()),
    Loop("short ways", ways=BOTH),
)


def block_on_pad(nodes: int, loop: Loop, steps: int, push: float) -> float:
    """Return the CPU time of a contact step of a block under a push [N] along x [us]."""
    pad = condense(box_mesh(*FOOT, CELLS[nodes]), RUBBER, element="p2")
    body = Body.of(pad, friction=0.5, eta=5e-3)
    stepper = CompliantStep([body], Plane(), loop.options, loop.ways)
    inverse = np.diag(1.0 / np.array([30.0, 30.0, 30.0, 0.3, 0.4, 0.4]))
    force = inverse @ np.array([push, push / 6.0, -30.0 * GRAVITY, 0.0, 0.0, 0.0])
    soles, v, p, spent = stepper.start(), np.zeros(6), np.array([0.0, 0.0, pad.thickness]), 0.0
    for k in range(steps):
        free = v + DT * force
        begun = time.process_time()
        done = stepper.step(soles, np.eye(3)[None], p[None], StepMotion(v, free, inverse, DT))
        spent += (time.process_time() - begun) * (k >= steps // 2)
        v, soles = np.append(done.twists[:3], np.zeros(3)), done.state  # it never tips
        p = p + DT * done.mean_twists[:3]
    return 1e6 * spent / (steps - steps // 2)


def by_velocities(nodes: int, chosen: argparse.Namespace, folder: Path) -> tuple[float, float]:
    """Return the CPU time of a step of a walk without and with sweeps by velocities [us]."""

    def walk() -> Walk:
        scene = nodes, 3e6, chosen.duration, folder, chosen.ground, chosen.plan
        return FORMS[0].of(walk_on(*scene))

    with ExitStack() as stack:
        for module in (compliant_step, step_solver):
            stack.enter_context(mock.patch.object(module, "HELD", -1.0))  # of no sole
        without = spent(walk())
    return without, spent(walk())


def few(contacts: int, rounds: int) -> tuple[float, float]:
    """Return the least times of `solve` without and with its short way, means of loads [us]."""
    sums = np.zeros(2)
    for case in cases(contacts):
        W, q, mu = case.problem.operator.dense(), case.problem.offset, case.problem.friction
        if len(q) != contacts:
            continue
        least = [np.inf, np.inf]
        for _ in range(rounds):
            for k, short in enumerate(({"ways": ()}, {})):
                fresh = [Problem(DenseDelassus(W), q, mu) for _ in range(CALLS)]
                begun = time.perf_counter()
                for problem in fresh:
                    solve(problem, "auto", TARGET, case.start, **short)  # type: ignore[arg-type]
                least[k] = min(least[k], (time.perf_counter() - begun) / CALLS)
        sums += least
    return float(sums[0]) / 3e-6, float(sums[1]) / 3e-6


def main(words: Sequence[str] | None = None) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--nodes", nargs="+", type=int, default=[50, 104, 300], choices=CELLS)
    parser.add_argument("--ground", default="plane", help="as in a scenario")
    parser.add_argument("--plan", default="fixed", choices=("fixed", "online"))
    parser.add_argument("--duration", type=float, default=2.0, help="of the walk [s]")
    parser.add_argument("--rounds", type=int, default=2, help="of all forms in turn")
    parser.add_argument("--quick", action="store_true", help="50 nodes, 0.1 s of the walk")
    chosen = parser.parse_args(words)
    if chosen.quick:
        chosen.nodes, chosen.duration, chosen.rounds = [50], 0.1, 1
    print(f"ground {chosen.ground}, {chosen.plan} plan, load {os.getloadavg()[0]:.1f}\n")
    print("| nodes per foot | walk with one more form | CPU us per step | factor |")
    print("|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for nodes in chosen.nodes:
            where = Path(folder), chosen.ground, chosen.plan
            # A walk of its own for each: they change controller and plan.
            walks = [form.of(walk_on(nodes, 3e6, chosen.duration, *where)) for form in FORMS]
            for form in FORMS:
                spent(form.of(walk_on(nodes, 3e6, 0.1, *where)))
            least = [min(times) for times in zip(*(
                [spent(each) for each in walks] for _ in range(chosen.rounds)
            ), strict=True)]  # fmt: skip
            for k, (form, us) in enumerate(zip(FORMS, least, strict=True)):
                factor = f"{least[k - 1] / us:.2f}" if k else ""
                print(f"| {nodes} | {form.name} | {us:.0f} | {factor} |", flush=True)
    print("\n| nodes | block | loop | CPU us per step | factor |")
    print("|---|---|---|---|---|")
    for nodes in chosen.nodes:
        for state, push in (("stands", 0.0), ("slides", 250.0)):
            before = 0.0
            for loop in LOOPS:
                steps = 10 if chosen.quick else 100 if loop.ways == () else 400
                us = min(block_on_pad(nodes, loop, steps, push) for _ in range(2))
                factor = f"{before / us:.2f}" if before else ""
                print(f"| {nodes} | {state} | {loop.name} | {us:.0f} | {factor} |", flush=True)
                before = us
    print("\n| nodes | general way, sweeps by forces [us] | by velocities, too [us] | factor |")
    print("|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for nodes in chosen.nodes:
            forces, both = by_velocities(nodes, chosen, Path(folder))
            print(f"| {nodes} | {forces:.0f} | {both:.0f} | {forces / both:.2f} |", flush=True)
    print("\n| contacts | solve, general way [us] | short way [us] | factor |")
    print("|---|---|---|---|")
    for contacts in (1, 2, 4):
        general, short = few(contacts, 2 if chosen.quick else 30)
        print(f"| {contacts} | {general:.1f} | {short:.1f} | {general / short:.2f} |", flush=True)


if __name__ == "__main__":
    set_up_numba()
    with threadpool_limits(1):
        main()
