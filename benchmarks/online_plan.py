"""What the online plan costs: a tick, a tick that writes the reference anew, and an event.

    python benchmarks/online_plan.py [--robots lola-like hrp2-like] [--repeat 3] [--quick]

The plan walks on an ideal robot: it senses its own posture, and a foot is loaded where the plan
puts it on the ground. In the third step the ground is 2 cm lower, so the foot is late and the
preview is made again every 5 ms; every tick but the first hundred counts. A re-plan is a tick of
the same size in which the reference of the whole preview was written anew; what it adds is the
difference. Processor time of one thread, medians; goals: a tick 150 us, a re-plan 1 ms.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence

import numpy as np
from threadpoolctl import threadpool_limits

from robot.control import Sensed
from robot.gait import GaitOptions, Swing, plan_walk, robot_walk
from robot.model import load_robot
from robot.online import OnlinePlan, PlanChoice
from sole.base.numba_settings import set_up_numba

TICK, REPLAN = 150.0, 1000.0  # us
LOW = -0.02  # m: the ground in the third step


def sensed_by(plan: OnlinePlan, t: float) -> Sensed:
    """Return what an ideal robot feels."""
    row, low = plan.row(t), LOW if plan.timeline.current >= 2 else 0.0
    wrenches = np.zeros((2, 6))
    wrenches[:, 2] = 300.0 * (plan.now.foot[:, 2] <= low + 1e-9)
    return Sensed(q=plan.q_ref[row].copy(), v=plan.v_ref[row].copy(), wrenches=wrenches)


def ticks_of(name: str, steps: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Walk once; return the time of each tick [us], which wrote a reference, which had events."""
    robot = load_robot(name)
    swing = Swing(arrive=0.9)
    nominal = plan_walk(robot, robot_walk(robot, steps, 0.2), GaitOptions(swing=swing))
    plan = OnlinePlan(robot, nominal, PlanChoice(kind="online"), 0.06)
    spent, wrote, happened = [], [], []
    for k in range(round(nominal.end / plan.T)):
        sensed, before = sensed_by(plan, k * plan.T), len(plan.events)
        start = time.thread_time_ns()
        plan.advance(sensed, k * plan.T)
        spent.append((time.thread_time_ns() - start) / 1e3)
        wrote.append(plan.now.at == 1)
        happened.append(len(plan.events) > before)
    return np.array(spent)[100:], np.array(wrote)[100:], np.array(happened)[100:]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--robots", nargs="+", default=["lola-like", "hrp2-like", "rengifo14"])
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="one robot, one walk")
    given = parser.parse_args(arguments)
    robots, repeat = (["lola-like"], 1) if given.quick else (given.robots, given.repeat)
    print("| robot | tick [us] | 99 % below [us] | tick with re-plan [us] | contact [us] | goals |")
    print("|---|---|---|---|---|---|")
    with threadpool_limits(1):
        for name in robots:
            walks = [ticks_of(name, 3 if given.quick else 6) for _ in range(repeat)]
            spent, wrote, happened = (np.concatenate(part) for part in zip(*walks, strict=True))
            tick, replan = float(np.median(spent)), float(np.median(spent[wrote]))
            met = "met" if tick <= TICK and replan - tick <= REPLAN else "missed"
            print(
                f"| {name} | {tick:.0f} | {np.percentile(spent, 99):.0f} | {replan:.0f} | "
                f"{np.median(spent[happened]):.0f} | {met} |",
                flush=True,
            )
    return 0


if __name__ == "__main__":
    set_up_numba()
    raise SystemExit(main())
