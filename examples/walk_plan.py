"""How a walk is planned: footprints, ZMP, centre of mass and swing feet in two views."""

from __future__ import annotations

from math import radians
from pathlib import Path

from robot.gait import (
    GaitOptions,
    PlanErrors,
    WalkPlan,
    foot_corners,
    foot_size_of,
    plan_errors,
    plan_walk,
    robot_walk,
)
from robot.model import load_robot


def main(
    robot: str = "hrp2-like",
    count: int = 6,
    forward: float = 0.2,
    turn: float = radians(8),
    corrections: tuple[int, ...] = (0, 1, 2),
) -> tuple[list[WalkPlan], list[PlanErrors]]:
    """Plan the same walk with more and more corrections; return the plans and their errors."""
    model = load_robot(robot)
    steps = robot_walk(model, count, forward, turn=turn)
    plans = [plan_walk(model, steps, GaitOptions(corrections=c)) for c in corrections]
    return plans, [plan_errors(model, plan) for plan in plans]


if __name__ == "__main__":
    from matplotlib import pyplot as plt

    corrections = (0, 1, 2)
    plans, errors = main(corrections=corrections)
    print("corrections  ZMP of the body - reference [mm]  to the edge [mm]  feet [m]   CoM [m]")
    for c, e in zip(corrections, errors, strict=True):
        print(f"{c:6d}{1e3 * e.body:28.1f}{1e3 * e.margin:24.1f}{e.feet:16.0e}{e.com:10.0e}")
    plan, foot = plans[1], foot_size_of(load_robot("hrp2-like"))
    figure, (above, side) = plt.subplots(2, 1, figsize=(9, 7.5), height_ratios=(3, 2))
    colours = ("tab:blue", "tab:red")
    stances = plan.schedule.footsteps.stances
    prints = dict.fromkeys((h, c) for s in stances for h, c in zip(s.feet, colours, strict=True))
    for hold, colour in prints:
        above.fill(*foot_corners(hold, foot).T, facecolor=colour, alpha=0.15, edgecolor=colour)
    above.plot(*plans[0].zmp.T, color="0.6", lw=1, label="ZMP of the body, no correction")
    above.plot(*plan.zmp.T, "tab:green", label="ZMP of the body, one correction")
    above.plot(*plan.zmp_reference.T, "k:", label="ZMP, reference")
    above.plot(*plan.com[:, :2].T, "tab:orange", lw=2, label="centre of mass")
    above.set(xlabel="x [m]", ylabel="y [m]", aspect="equal")
    for k, (name, colour) in enumerate(zip(("left", "right"), colours, strict=True)):
        side.plot(plan.times, 1e2 * plan.feet[:, k, 2, 3], colour, label=f"{name} sole")
    one = plan.supports.sum(axis=1) == 1
    side.fill_between(plan.times, 0, 7, where=one, color="0.93", label="single support", lw=0)
    side.set(xlabel="time [s]", ylabel="z [cm]", xlim=(0, plan.end), ylim=(0, 7))
    above.legend(loc="upper left", fontsize=8)
    side.legend(ncols=3, fontsize=8, loc="upper right")
    figure.tight_layout()
    figure.savefig(Path("walk_plan.png"), dpi=120)
