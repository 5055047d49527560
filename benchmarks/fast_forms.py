"""What each fast form of a step is worth: the same walk with one more of them at every line.

A walk of hrp2-like on pads, as in `benchmarks/walk_speed.py` but without a recorder: first by the
general way alone, then with the short ways of the contact step (`contact.swept_step`), and with
many ticks in one call (`robot.fused`). The factor is the time of the line before over that of this
one. Times are CPU us per step, the least of some runs, forms in turn. The last table has the short
way of `solve` for a few contacts.

    python benchmarks/fast_forms.py [--nodes 50 104 300] [--ground step:0.005,0.4] [--plan online]
        [--duration s] [--rounds n] [--quick]
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from few_contacts import TARGET, cases
from threadpoolctl import threadpool_limits
from walk_speed import CELLS, walk_on

from contact.problem import DenseDelassus, Problem
from contact.solvers import solve
from contact.swept_step import AffineStep, SweptStep
from robot.fused import BufferSenses, TickBlocks
from robot.sensing import StepSenses
from robot.walk import Walk
from sole.base.numba_settings import set_up_numba

CALLS = 50


class EventBlocks(TickBlocks):
    """Blocks without those of online plans."""

    def next(self, *state: object) -> None:  # type: ignore[override]
        """Return no block."""


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
    Form("short steps of a landing in one call", BOTH, EventBlocks),
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
    """Print both tables."""
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
            walk = walk_on(nodes, 3e6, chosen.duration, *where)
            walks = [form.of(walk) for form in FORMS]
            for known in walks:
                spent(replace(known, scenario=replace(known.scenario, duration=0.1)))
            least = [min(times) for times in zip(*(
                [spent(each) for each in walks] for _ in range(chosen.rounds)
            ), strict=True)]  # fmt: skip
            for k, (form, us) in enumerate(zip(FORMS, least, strict=True)):
                factor = f"{least[k - 1] / us:.2f}" if k else ""
                print(f"| {nodes} | {form.name} | {us:.0f} | {factor} |", flush=True)
    print("\n| contacts | solve, general way [us] | short way [us] | factor |")
    print("|---|---|---|---|")
    for contacts in (1, 2, 4):
        general, short = few(contacts, 2 if chosen.quick else 30)
        print(f"| {contacts} | {general:.1f} | {short:.1f} | {general / short:.2f} |", flush=True)


if __name__ == "__main__":
    set_up_numba()
    with threadpool_limits(1):
        main()
