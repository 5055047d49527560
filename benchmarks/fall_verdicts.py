"""Verdicts on ends of runs, beside what became of the robot when its run went on.

    python benchmarks/fall_verdicts.py [--endings 200] [--seed 1] [--quick] [--list]

Robots walk, stand or squat with random gains (3000 to 30000 N m/rad), soles (0.3 to 100 MPa),
grounds, pushes and leaps, with and without the stabiliser. A run of each is continued to its real
end: a sign of a fall, or more than `REAL` seconds after its plan. Then it is run again and ends at
random instants; if it falls, most of them are shortly before. Each verdict is compared with the
real end.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from robot.gait import Squatting, Standing, Walking
from robot.measures import fall_in, sign_in
from robot.online import PlanChoice
from robot.run import Run
from robot.walk import (
    ControlChoice,
    PushPlan,
    RecordingOptions,
    Scenario,
    SoleChoice,
    Walk,
    assemble_walk,
    execute,
)
from sole.base.numba_settings import set_up_numba

REAL = 10.0  # s without a sign of a fall: the robot stands
PER_RUN = 5  # endings of one run
TOPPLING = 1.2  # s before the sign of a fall: most endings of a run that falls
JUDGES = ("the run continued", "last rows alone", "signs alone")
STATES = ("at rest or on its plan", "toppling", "flying")


@dataclass(frozen=True)
class Ending:
    """An end of a run: its state, the real fall [s] or None, the verdicts of `JUDGES`."""

    what: str
    time: float
    state: str
    fell_at: float | None
    fell: tuple[bool, ...]
    reason: str

    def wrong(self, judge: int) -> bool:
        """Return whether a verdict differs from the real end."""
        return self.fell[judge] != (self.fell_at is not None)


class Truth(NamedTuple):
    """What became of a robot: time of the sign of a fall, times in the air [s]."""

    fell_at: float | None
    flying: tuple[float, ...]


def scenarios(rng: np.random.Generator) -> Iterator[tuple[str, Scenario]]:
    """Yield random scenarios, in words too."""
    while True:
        E, kp = 10 ** rng.uniform(5.5, 8), 10 ** rng.uniform(np.log10(3e3), np.log10(3e4))
        control = str(rng.choice(["pd", "pd", "stabiliser"]))
        kind = str(rng.choice(["walk", "plate", "push", "push", "leap", "squat"]))
        gait = Walking(steps=2, forward=0.15, initial=0.6, final=1.0)
        start, angle = rng.uniform(0.3, 2.5), rng.uniform(0, 2 * np.pi)
        push: tuple[PushPlan, ...] = ()
        if kind in ("push", "leap"):
            gait = gait if rng.random() < 0.5 else Standing(initial=1.0, final=1.0)
            size = rng.uniform(100, 700)
            force = (size * np.cos(angle), size * np.sin(angle), 0.0)
            if kind == "leap":
                force = (0.1 * force[0], 0.1 * force[1], rng.uniform(1500, 3500))
            start = min(start, 1.5)
            push = (PushPlan(force=tuple(float(f) for f in force), start=float(start)),)
        elif kind == "squat":
            gait = Squatting(depth=0.12, cycles=1, initial=0.5, final=0.8)
        scenario = Scenario(
            sole=SoleChoice(young=float(E), size=0.06, element="p1"),
            ground=f"step:{rng.uniform(2e-3, 12e-3):.4f},0.18" if kind == "plate" else "plane",
            gait=gait,
            plan=PlanChoice(kind="fixed"),
            control=ControlChoice(kind=control, period=2e-3, kp=float(kp), kd=float(0.02 * kp)),
            push=push,
            dt=2e-3,
            tolerance=1e-5,
            settle=0.2,
        )
        yield f"{kind}, {control}, kp {kp:.0f}, {E / 1e6:.2g} MPa", scenario


def real_end(walk: Walk) -> Truth:
    """Run a walk on until it falls or has not fallen for `REAL` seconds after its plan."""
    flying = []
    for step, _ in walk.steps(beyond=REAL + 1.0):
        if not step.contact.wrenches.any():
            flying.append(step.state.time)
        if walk.fallen(step):
            return Truth(step.state.time, tuple(flying))
    return Truth(None, tuple(flying))


def instants(
    truth: Truth, begin: float, end: float, count: int, rng: np.random.Generator
) -> list[float]:
    """Return `count` random times [s] after `begin` at which a run ends before its fall."""
    last = end + 0.5 if truth.fell_at is None else truth.fell_at - 4e-3
    found = [float(t) for t in rng.permutation(truth.flying)[:2] if t < last]
    while len(found) < count:
        late = truth.fell_at is not None and len(found) < count - 1
        low = max(begin, last - TOPPLING) if late else begin
        found.append(float(rng.uniform(min(low, last), last)))
    return sorted(found)


def end_at(walk: Walk, time: float) -> Run:
    """Return the run of a walk that ends at `time` [s]."""
    walk.scenario = replace(walk.scenario, duration=time)
    done = execute(walk, RecordingOptions())
    if done.error is not None:
        raise done.error
    return done.run


def endings(count: int, seed: int = 1, per_run: int = PER_RUN) -> Iterator[Ending]:
    """Yield `count` endings with their verdicts and real ends."""
    rng, made = np.random.default_rng(seed), 0
    for what, scenario in scenarios(rng):
        walk = assemble_walk(scenario)
        truth = real_end(walk)
        begin = max([0.3, *(p.start + 4e-3 for p in scenario.push)])  # later pushes are left out
        for time in instants(truth, begin, walk.duration, min(per_run, count - made), rng):
            walk.scenario = scenario
            run = end_at(walk, time)
            judged = fall_in(run)
            alone = replace(run, header={k: v for k, v in run.header.items() if k != "fall"})
            fell = judged.fell, fall_in(alone).fell, sign_in(run).fell
            state = STATES[0]
            if any(abs(time - t) < 2e-3 for t in truth.flying):
                state = STATES[2]
            elif truth.fell_at is not None and truth.fell_at - time < TOPPLING:
                state = STATES[1]
            reason = judged.reason if judged.fell else fall_in(alone).reason
            yield Ending(what, time, state, truth.fell_at, fell, reason)
            made += 1
        if made == count:
            return


def table(found: Sequence[Ending]) -> str:
    """Return the confusion table in Markdown: real ends against the verdicts of each judge."""
    lines = [
        "| judged by | fell, verdict fell | fell, verdict stands | stands, verdict stands "
        "| stands, verdict fell |",
        "|---|---|---|---|---|",
    ]
    for k, judge in enumerate(JUDGES):
        n = Counter((e.fell_at is not None, e.fell[k]) for e in found)
        cells = n[True, True], n[True, False], n[False, False], n[False, True]
        lines.append(f"| {judge} | {' | '.join(map(str, cells))} |")
    return "\n".join(lines)


def main() -> None:
    """Print every ending if asked, the states, and the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--endings", type=int, default=200)
    parser.add_argument("--seed", type=int, nargs="+", default=[1], help="200 endings each")
    parser.add_argument("--quick", action="store_true", help="20 endings")
    parser.add_argument("--list", action="store_true", help="print every ending")
    chosen = parser.parse_args()
    found = []
    count = 20 if chosen.quick else chosen.endings
    for e in (e for seed in chosen.seed for e in endings(count, seed)):
        found.append(e)
        if chosen.list or e.wrong(0):
            real = "stands" if e.fell_at is None else f"falls at {e.fell_at:.2f} s"
            print(f"{e.what}: {e.time:.2f} s, {e.state}; {real}; {e.fell} {e.reason}", flush=True)
    for state, n in Counter(e.state for e in found).items():
        print(f"{n} ended {state}")
    print(table(found))


if __name__ == "__main__":
    set_up_numba()
    main()
