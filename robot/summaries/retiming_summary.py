"""The report of `sole retime`."""

from __future__ import annotations

from pathlib import Path

from robot.model import RobotModel
from robot.retime import KEPT, ConeChoice, RetimedGait, motion_stability
from sole.base.report import Quantity, Report

SHOWN = 4  # constraints in the list of those that limit
EVERY, LOOKED = 10, 500  # ticks from instant to instant of the weak stability, and instants at most
OVER = 1.01  # share of a drive's limit that counts as over it


def describe_retiming(
    robot: RobotModel, retimed: RetimedGait, output: Path | None = None
) -> Report:
    """Return the report: durations, what limits them, what holds between grid points, `output`."""
    r, choice, plan = retimed.retiming, retimed.choice, retimed.plan
    check = r.check
    limiting = list(r.limiting.items())[:SHOWN]
    whole = ConeChoice(area=1.0, friction=choice.friction, pyramid=choice.pyramid)
    every = max(EVERY, len(plan.times) // LOOKED)
    times, found = motion_stability(robot, plan, cone=whole, edges=retimed.edges, every=every)
    weakest = min(range(len(found)), key=lambda k: found[k].margin)
    own, least = retimed.own, found[weakest]
    rows = {
        "own duration": Quantity(own, "s", "of the path without retiming"),
        "duration": Quantity(r.duration, "s", f"{100 * (r.duration / own - 1):+.1f} %"),
        "plan": Quantity(plan.end, "s", f"with standing, durations times {choice.factor:g}"),
        "points": Quantity(len(r.s) - 1, "", "intervals with constant s''"),
        "active": Quantity(r.share_active, "", "share of intervals with an active constraint"),
        "limited by": Quantity(
            "; ".join(f"{word} {100 * share:.0f} %" for word, share in limiting),
            "",
            "share of the time",
        ),
        "margin": Quantity(
            check.margin, "", f"least in the cone, between points too: {check.where}, {check.facet}"
        ),
        "torque": Quantity(check.torque, "", f"largest share of a limit, {check.torque_joint}"),
        "velocity": Quantity(
            check.velocity, "", f"largest share of a limit, {check.velocity_joint}"
        ),
        "weak stability": Quantity(
            least.margin,
            "",
            f"least on whole feet with torque limits: {times[weakest]:.2f} s, {least.limit}",
        ),
    }
    if output is not None:
        rows["output"] = Quantity(str(output))
    notes = []
    if check.margin < KEPT:
        notes.append(
            f"between grid points the wrench leaves the cone by a margin of {check.margin:.2g}: "
            "take more --points"
        )
    if check.torque > OVER:
        notes.append(
            f"between grid points {check.torque_joint} needs {100 * check.torque:.0f} % of its "
            "torque: take more --points"
        )
    if least.margin < KEPT:  # at 0 where a limit is active
        notes.append(
            "the plan is not weakly stable on whole feet: the contact is expected to break"
        )
    return Report(f"retiming of {robot.name}", rows, tuple(notes))
