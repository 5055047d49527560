"""Metrics of a walk: peaks, impacts, inclination, margins, slip, falls.

    metrics(run)["foot acceleration 100 Hz"].value

All are pure functions of the recorded arrays. Peaks and impacts need every step; they are None in a
run that recorded only every nth one. Peaks may depend on dt: see `judge_convergence`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from contact.frames import rotation_of_quaternion
from robot.measures.balance import losing_balance
from robot.measures.convergence import TOLERANCE, Convergence, judge_tables
from robot.measures.fall import FELL, TOUCHED, Fall, first_sign, least_height
from robot.measures.feet import (
    LEAST,
    NOT_SOLVED,
    find_standing,
    margins,
    pressure_centre,
    soles,
    stances_of,
)
from robot.measures.landings import IMPACT, Touchdown, after_swings, touchdowns
from robot.measures.least_margins import least_margin
from robot.measures.peaks import landing_peaks, peaks
from robot.run import Run
from sole.base.arrays import BoolArray, FloatArray
from sole.base.errors import SoleError
from sole.base.report import Quantity

HALVED = 0.01  # relative tolerance on a step being half of the one before


def metrics(run: Run, *, after: float = 0.0, supports: Sequence[str] = ()) -> dict[str, Quantity]:
    """Return all metrics of a run by name, each with unit and remark.

    Parameters
    ----------
    after : time [s] from which peaks, inclination, margins and landings count; falls always count.
    supports : names of bodies besides the feet that may carry load (a hand on a wall).

    Raises
    ------
    SoleError
        The run ends before `after`.
    """
    seen = run.time > after
    if not seen.any():
        raise SoleError(f"the run ends at {run.time[-1]:g} s: nothing after {after:g} s")
    fall = fall_in(run, supports)
    found = {
        "fell": Quantity(fall.fell, "", fall.reason),
        "fell at": Quantity(fall.time, "s"),
        "duration": Quantity(float(run.time[-1]), "s", str(run.header["ended"])),
    }
    found |= peaks(run, seen)
    found |= landing_peaks(run, seen, touchdowns_of(run) if run.complete else ())
    found |= _impacts(run, after)
    found |= _inclination(run, seen)
    found |= pressure_centre(run, seen)
    found |= margins(run, seen)
    found["sole margin"] = least_margin(run, seen, LEAST * run.weight)
    found |= soles(run, seen)
    found |= _tracking(run, seen)
    found |= _solver(run)
    return {name: _told(quantity) for name, quantity in found.items()}


def _told(quantity: Quantity) -> Quantity:
    """Return a number that is not finite as None, since JSON has no NaN."""
    value = quantity.value
    if isinstance(value, float) and not np.isfinite(value):
        return Quantity(None, quantity.unit, "not finite")
    return quantity


def fall_in(run: Run, supports: Sequence[str] = ()) -> Fall:
    """Return whether the robot of a run fell, as `robot.measures.fall` defines it.

    The boxes and extra contacts of the scenario may carry load, and bodies in `supports`.
    """
    seen = sign_in(run, supports)
    if seen.fell:
        return seen
    told = run.header.get("fall")
    if told is not None and told["reason"] != TOUCHED:  # the end was judged when the run was made
        return Fall(**told)
    last = float(run.time[-1])
    if run.header["ended"] == FELL:
        return Fall(True, last, "after the last row that was kept")
    reason = losing_balance(run)
    return Fall(True, last, reason) if reason else Fall(False)


def sign_in(run: Run, supports: Sequence[str] = ()) -> Fall:
    """Return the first sign of a fall in the rows of a run."""
    scenario = run.header.get("scenario") or {}
    boxes, touches = scenario.get("box", ()), scenario.get("touch", ())
    meant = {*supports, *(box["name"] for box in boxes), *(t["frame"] for t in touches)}
    names = [t.name for t in run.treads]
    strangers = [
        b
        for b, t in enumerate(run.treads)
        if t.foot < 0 and names[b] not in meant and names[b].split(" on ")[0] not in meant
    ]
    load = np.abs(run["body_wrench"][:, strangers, :3]).sum(axis=(1, 2))
    height = waist_height(run)
    full = float(run.header.get("waist_height", height[0]))
    least = least_height(full, float(run.header.get("stature", full)))
    return first_sign(run.time, height, least, run["waist_tilt"], load)


def waist_height(run: Run) -> FloatArray:
    """Return the height (T,) of the waist over the lower tread [m]; over z = 0 without feet."""
    height = run["waist_position"][:, 2]
    depths = [float(run.treads[run.bodies_of(f)[0]].origin[2]) for f in range(len(run.feet))]
    if not depths:
        return height
    down = rotation_of_quaternion(run["foot_rotation"])[..., 2, 2]
    treads = run["foot_position"][..., 2] + down * np.array(depths)
    return np.asarray(height - treads.min(axis=1))


def landings_of(run: Run) -> list[Touchdown]:
    """Return the landings in the order of time: touchdowns of feet that carry after a swing.

    Raises
    ------
    SoleError
        Not every step was recorded.
    """
    found = touchdowns_of(run)
    swung = {
        (f, stance.first)
        for f in range(len(run.feet))
        for stance in after_swings(
            stances_of(run, f), find_standing(run, f), run["foot_position"][:, f]
        )
    }
    return [touchdown for touchdown in found if (touchdown.foot, touchdown.row) in swung]


def touchdowns_of(run: Run) -> list[Touchdown]:
    """Return all touchdowns in the order of time: those of landings, of bounces and the first.

    Raises
    ------
    SoleError
        Not every step was recorded.
    """
    if not run.complete:
        raise SoleError("touchdowns need every step, all of one length: record with every=1")
    contact = run["friction_work"] + run["push_work"]
    loss = run["viscous_loss"] + run["numerical_loss"] - contact
    found: list[Touchdown] = []
    for f in range(len(run.feet)):
        found += touchdowns(
            f,
            stances_of(run, f),
            run.time,
            run["wrench_world"][:, f, 2],
            run["foot_velocity"][:, f, 2],
            loss,
            run.dt,
        )
    return sorted(found, key=lambda touchdown: touchdown.time)


def _impacts(run: Run, after: float) -> dict[str, Quantity]:
    if not run.complete:
        names = ("landings", "impact force", "impact impulse", "impact loss", "impact forces")
        return {name: Quantity(None, "", "record with every=1") for name in names}
    found = [touchdown for touchdown in touchdowns_of(run) if touchdown.time > after]
    landed = sum(landing.time > after for landing in landings_of(run))
    more = len(found) - landed
    told = f"; without a swing {more} more touched down" if more else ""
    window = f"in {1e3 * IMPACT:g} ms from the first touch"
    per = f"largest, {window}"
    lost = sum(x.lost for x in found)
    gained = "" if lost >= 0 else "; negative: the contact law created energy"
    return {
        "landings": Quantity(landed, "", f"of feet that carry after a swing{told}"),
        "impact force": Quantity(max((x.force for x in found), default=None), "N", per),
        "impact impulse": Quantity(max((x.impulse for x in found), default=None), "N s", per),
        "impact loss": Quantity(lost, "J", f"energy lost {window}, sum of all touches{gained}"),
        "impact forces": Quantity([round(x.force, 9) for x in found], "N", "of each touch"),
    }


def _inclination(run: Run, seen: BoolArray) -> dict[str, Quantity]:
    found = {}
    for k, name in enumerate(("roll", "pitch")):
        angle = run["waist_rpy"][seen, k]
        found[f"waist {name}"] = Quantity(float(np.abs(angle).max()), "rad", "largest")
        found[f"waist {name} RMS"] = Quantity(_rms(angle), "rad")
    found["waist tilt"] = Quantity(float(run["waist_tilt"][seen].max()), "rad", "largest")
    return found


def _tracking(run: Run, seen: BoolArray) -> dict[str, Quantity]:
    found = {}
    if "reference" in run:
        error = run["q"][:, 7 : 7 + run["reference"].shape[1]] - run["reference"]
        error = error[seen & np.isfinite(error).all(axis=1)]
        if len(error):
            worst = int(np.argmax(np.abs(error).max(axis=0)))
            found["joint error"] = Quantity(
                float(np.abs(error).max()), "rad", f"largest, {run.joints[worst]}"
            )
            found["joint error RMS"] = Quantity(_rms(error), "rad", "all joints")
    for point in ("com", "zmp"):
        if f"{point}_reference" in run:
            wanted = run[f"{point}_reference"]
            error = run[point][:, : wanted.shape[1]] - wanted
            size = np.linalg.norm(error, axis=1)[seen]
            size = size[np.isfinite(size)]
            label = point.upper() if point == "zmp" else "CoM"
            found[f"{label} error"] = Quantity(float(size.max(initial=0.0)), "m", "largest")
            found[f"{label} error RMS"] = Quantity(_rms(size), "m")
    found["saturated"] = Quantity(
        float(run["saturated"].any(axis=1).mean()), "", "share of steps with a joint at its limit"
    )
    return found


def _solver(run: Run) -> dict[str, Quantity]:
    made = Quantity(float(run["unaccounted"][-1]), "J", "energy error of the time integration")
    if "solved" not in run:
        names = ("contact residual", "missed", "iterations")
        return {n: Quantity(None, "", NOT_SOLVED) for n in names} | {"unaccounted energy": made}
    missed = int(run.missed.sum())
    limit = f"tolerance {run.header['tolerance']:g}"
    return {
        "contact residual": Quantity(float(run["residual"].max()), "", f"largest; {limit}"),
        "missed": Quantity(missed, "", "rows with a contact solve above the tolerance"),
        "iterations": Quantity(
            float(run["iterations"].mean()),
            "",
            "of the contact solver, mean per time step; many steps need none",
        ),
        "unaccounted energy": made,
    }


def judge_convergence(
    runs: Sequence[Run],
    *,
    after: float = 0.0,
    supports: Sequence[str] = (),
    tolerance: float = TOLERANCE,
) -> dict[str, Convergence]:
    """Judge the convergence of every scalar metric from runs at dt, dt/2 and dt/4.

    Raises
    ------
    SoleError
        There are not three runs, or a time step is not half of the one before.
    """
    if len(runs) != 3:
        raise SoleError(f"convergence needs runs at dt, dt/2 and dt/4, got {len(runs)}")
    dts = [run.dt for run in runs]
    if any(abs(2 * b / a - 1) > HALVED for a, b in pairwise(dts)):
        told = ", ".join(f"{1e3 * dt:g}" for dt in dts)
        raise SoleError(f"each run needs half the time step of the one before, got {told} ms")
    tables = [metrics(run, after=after, supports=supports) for run in runs]
    return judge_tables(tables, tolerance)


def _rms(values: FloatArray) -> float:
    return float(np.sqrt(np.mean(np.square(values)))) if values.size else 0.0
