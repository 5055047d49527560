"""Real-time factor of a walk: hrp2-like, six steps of 0.2 m, stabiliser, logging, 1 kHz, one core.

Seconds of CPU count, since a shared machine stretches wall seconds; both are printed: the least of
three runs of a plan that has not been walked before, and of three that have (`again`: their
feed-forward is known). Garbage is collected rarely, as `sole walk` does. The split is of one more
run, with clocks around the calls of blocks, steps, contact and recorder, which themselves take
time. blocks are ticks of control, dynamics, contact and senses in one call, where all nodes stick;
the columns behind it are of the ticks walked one by one, contact that of steps in which nodes
slide, land or leave; other is what is left of the loop.

python benchmarks/walk_speed.py [--nodes 50 104 300] [--young 3e6] [--ground step:0.005,0.4]
    [--plan online] [--duration s] [--quick]
python benchmarks/walk_speed.py --goals     four grounds and moduli: goals and factors alone
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from box_mesh import box_mesh

from robot.fused import TickBlocks
from robot.recorder import Recorder
from robot.walk import Scenario, Walk, assemble_walk, replace_values
from sole.base.numba_settings import set_up_numba
from sole.condense import condense, save_condensed
from sole.material import Material

FOOT = (0.24, 0.14, 0.02)  # m, of hrp2-like
CELLS = {50: (9, 4, 2), 104: (12, 7, 2), 300: (24, 11, 2)}  # nodes of a foot
# Real-time factors to reach: on a plane from 1 MPa on, on softer soles, on other grounds.
GOALS = {50: (10, 6, 5), 104: (9, 5, 4), 300: (6, 3, 2)}
SOFT = 1e6  # Pa
CASES = (
    ("3 MPa, plane", 3e6, "plane"),
    ("0.3 MPa, plane", 3e5, "plane"),
    ("3 MPa, a step of 5 mm", 3e6, "step:0.005,0.4"),
    ("3 MPa, gravel", 3e6, "gravel"),
)
REPEATS = 3
STONES = 0.004  # m by which a robot starts higher, so that no stone is in its soles


class Clock:
    """Adds up the CPU time of the calls of a function."""

    def __init__(self, owner: Any, name: str) -> None:
        self.spent, call = 0.0, getattr(owner, name)
        setattr(owner, name, self._timed(call))

    def _timed(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*args: Any) -> Any:
            start = time.thread_time()
            answer = call(*args)
            self.spent += time.thread_time() - start
            return answer

        return timed


def walk_on(
    nodes: int,
    young: float,
    duration: float | None,
    folder: Path,
    ground: str = "plane",
    plan: str = "fixed",
) -> Walk:
    """Assemble the walk on pads of this many nodes."""
    material = Material(young_modulus=young, poisson_ratio=0.4)
    name = f"pad{nodes}.npz"
    save_condensed(folder / name, condense(box_mesh(*FOOT, CELLS[nodes]), [material], "p2"))
    scenario = replace_values(
        Scenario(), sole={"file": name}, duration=duration, ground=ground, plan={"kind": plan},
        start={"z": STONES if ground.startswith("gravel") else 0.0},
    )  # fmt: skip
    return assemble_walk(scenario, folder)


def timed(walk: Walk) -> tuple[float, float, int]:
    """Walk with a recorder; return the seconds of CPU and of the wall, and the steps."""
    dt, count = walk.scenario.dt, round(walk.duration / walk.scenario.dt)
    most = None if walk.online else count  # contacts decide when it ends
    recorder = Recorder(walk.simulator, walk.start, dt, feet=walk.feet, nodes=10, steps=most)
    cpu, wall = time.process_time(), time.perf_counter()
    for step, command in walk.steps():
        recorder.record(step, command)
        if walk.fallen(step):
            break
    recorder.run()
    return time.process_time() - cpu, time.perf_counter() - wall, len(recorder)


def run(walk: Walk) -> str:
    """Walk with clocks; return the split, sweeps, unsolved steps and end as cells of the table."""
    dt, count = walk.scenario.dt, round(walk.duration / walk.scenario.dt)
    most = None if walk.online else count
    recorder = Recorder(walk.simulator, walk.start, dt, feet=walk.feet, nodes=10, steps=most)
    whole = TickBlocks.next
    clocks = {
        "blocks": Clock(TickBlocks, "next"),
        "contact": Clock(walk.simulator.stepper, "step"),
        "inertia": Clock(walk.simulator.dynamics, "at"),
        "before": Clock(walk.simulator.space, "condense"),
        "after": Clock(walk.simulator.space, "follow"),
        "logging": Clock(recorder, "record"),
    }
    iterations, unsolved, end = 0, 0, "walked"
    cpu = time.process_time()
    for step, command in walk.steps():
        recorder.record(step, command)
        iterations += step.contact.iterations
        unsolved += not step.contact.solved
        if walk.fallen(step):
            end = "fell"
            break
    recorder.run()
    cpu = time.process_time() - cpu
    steps = len(recorder)
    TickBlocks.next = whole  # type: ignore[method-assign]
    split = {name: clock.spent for name, clock in clocks.items()}
    split["dynamics"] = sum(split.pop(name) for name in ("inertia", "before", "after"))
    split["other"] = cpu - sum(split.values())
    parts = " | ".join(
        f"{1e6 * split[name] / steps:.0f}"
        for name in ("blocks", "dynamics", "contact", "logging", "other")
    )
    return f"{parts} | {iterations / steps:.1f} | {unsolved} | {end}"


def goal(nodes: int, young: float, ground: str) -> int:
    """Return the real-time factor to reach."""
    return GOALS[nodes][2 if ground != "plane" else int(young < SOFT)]


def factors(walks: Sequence[Walk]) -> tuple[float, float]:
    """Return the best real-time factors of equal walks, by CPU and by the wall."""
    found = [timed(walk) for walk in walks]
    span = found[0][2] * walks[0].scenario.dt
    return span / min(f[0] for f in found), span / min(f[1] for f in found)


def print_goals(folder: Path, duration: float | None) -> None:
    """Print goals and factors of all cases, a column for each number of nodes."""
    print(f"\n| case | {' | '.join(f'goal at {n} nodes | reached' for n in GOALS)} |")
    print("|" + "---|" * (1 + 2 * len(GOALS)))
    for name, young, ground in CASES:
        cells = []
        for nodes in GOALS:
            run(walk_on(nodes, young, 0.1, folder, ground))
            walks = [walk_on(nodes, young, duration, folder, ground) for _ in range(2)]
            cells.append(f"{goal(nodes, young, ground)} | {factors(walks)[0]:.1f}")
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


def main(words: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--nodes", nargs="+", type=int, default=[50, 104, 300], choices=CELLS)
    parser.add_argument("--young", type=float, default=3e6, help="E of the pads [Pa]")
    parser.add_argument("--ground", default="plane", help="as in a scenario")
    parser.add_argument("--plan", default="fixed", choices=("fixed", "online"))
    parser.add_argument("--duration", type=float, help="of the run [s]; by default the gait's")
    parser.add_argument("--goals", action="store_true", help="four cases: goals and factors")
    parser.add_argument("--quick", action="store_true", help="50 nodes, 0.2 s of the walk")
    chosen = parser.parse_args(words)
    if chosen.quick:
        chosen.nodes, chosen.duration = [50], 0.2
    if chosen.goals:
        with tempfile.TemporaryDirectory() as folder:
            print_goals(Path(folder), chosen.duration)
        return
    walk = f"ground {chosen.ground}, {chosen.plan} plan"
    print(f"E = {chosen.young:g} Pa, {walk}, load {os.getloadavg()[0]:.1f}")
    print("times are CPU us per step\n")
    print(
        "| nodes per foot | goal | real-time factor, CPU | wall | again, CPU | step | blocks "
        "| dynamics | contact | logging | other | sweeps | unsolved | end |"
    )
    print("|" + "---|" * 14)
    with tempfile.TemporaryDirectory() as folder:
        for nodes in chosen.nodes:
            given, where = (nodes, chosen.young), (chosen.ground, chosen.plan)
            run(walk_on(*given, 0.1, Path(folder), *where))  # compiled, cached
            walks = [
                walk_on(*given, chosen.duration, Path(folder), *where)
                for _ in range(1 if chosen.quick else REPEATS)
            ]
            cpu, wall = factors(walks)
            again = factors([walks[0]] * len(walks))[0]
            spent = 1e6 * walks[0].scenario.dt / cpu
            split = run(walk_on(*given, chosen.duration, Path(folder), *where))
            aim = goal(nodes, chosen.young, chosen.ground)
            row = f"{aim} | {cpu:.1f} | {wall:.1f} | {again:.1f} | {spent:.0f} | {split}"
            print(f"| {nodes} | {row} |", flush=True)
    print(f"\nload {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    set_up_numba()
    with threadpool_limits(1):
        main()
