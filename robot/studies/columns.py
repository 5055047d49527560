"""The columns of walk rows: the metrics of a walk that are one number each."""

from __future__ import annotations

from collections.abc import Mapping

from robot.metrics import metrics
from robot.run import Run
from sole.report import Quantity
from sole.studies.rows import Column

_TOUCH = "in 50 ms from the first touch"
_IMPACT = "in 20 ms from the first touch"
_PEAKS = {
    f"{what} acceleration{filtered}": Column(
        "m/s^2", f"largest |acceleration| of {words}{how}", what == "landing" and bool(filtered)
    )
    for what, words in (
        ("landing", f"a foot {_TOUCH}"),
        ("foot", "a foot at any time"),
        ("waist", "the waist"),
    )
    for filtered, how in ((" 100 Hz", ", low-passed at 100 Hz"), ("", ", mean over a time step"))
}
_INCLINATION = {
    f"waist {axis}{rms}": Column("rad", f"{how} {axis} of the waist")
    for axis in ("roll", "pitch")
    for rms, how in (("", "largest"), (" RMS", "RMS of the"))
}
_TRACKING = {
    f"{what} error{rms}": Column(unit, f"{how} {words}")
    for what, unit, words in (
        ("joint", "rad", "difference of a joint from its command"),
        ("CoM", "m", "distance of the centre of mass from the plan's"),
        ("ZMP", "m", "distance of the ZMP from the plan's"),
    )
    for rms, how in (("", "largest"), (" RMS", "RMS of the"))
}
METRICS = {
    "fell": Column("", "1: the robot fell, 0: it stands at the end", True),
    "fell at": Column("s", "when it fell"),
    "duration": Column("s", "time of the last step: before the end of the gait where it fell"),
    "landings": Column("", "feet that landed"),
    **_PEAKS,
    "impact force": Column("N", f"largest vertical force of a landing foot, {_IMPACT}", True),
    "impact impulse": Column("N s", f"largest vertical impulse of a landing foot, {_IMPACT}"),
    "impact loss": Column("J", f"energy lost {_IMPACT}, all landings together"),
    "waist tilt": Column("rad", "largest angle between the waist's axis and the vertical", True),
    **_INCLINATION,
    "wrench margin": Column("", "least margin of a loaded foot's wrench to its cone"),
    "stance margin": Column(
        "", "the same of a foot that has carried 30 % of the weight for 50 ms", True
    ),
    "CoP excursion x": Column("m", "forward range of the CoP on one foot, the larger"),
    "CoP excursion y": Column("m", "sideways range of the CoP on one foot, the larger"),
    "CoP to edge": Column("m", "least distance of a CoP from the edge of its foot"),
    "slip": Column("m", "sliding path of a foot, the larger"),
    "sole displacement": Column("m", "largest of a tread node relative to its foot"),
    "residual displacement": Column("m", "largest of an unloaded sole at the end of a flight"),
    "pressure": Column("Pa", "largest at a node: depends on the mesh"),
    **_TRACKING,
    "saturated": Column("", "share of steps with a joint at its torque limit"),
    "contact residual": Column("", "worst of the contact solver, relative"),
    "missed": Column("", "time steps whose contact solve missed the tolerance"),
    "iterations": Column("", "of the contact solver, mean over time steps"),
    "unaccounted energy": Column("J", "what the motion's time steps made"),
}
ALWAYS = ("fell", "fell at", "duration")  # known of a walk however early it ended


def column_name(metric: str) -> str:
    """Return the name of a metric in the table: "waist roll RMS" -> "waist_roll_rms"."""
    return metric.lower().replace(" ", "_")


COLUMNS = {column_name(name): column for name, column in METRICS.items()}


def measured(run: Run, after: float = 0.0) -> dict[str, Quantity]:
    """Return the metrics of a run that have a column; falls alone of one that ended before `after`.

    `after` : time [s] as in `robot.metrics.metrics`.
    """
    short = run.time[-1] <= after
    found = metrics(run, after=0.0 if short else after)
    return {name: found[name] for name in (ALWAYS if short else METRICS) if name in found}


def numbers(found: Mapping[str, Quantity]) -> dict[str, float]:
    """Return metrics as numbers by their columns; those without a value are left out."""
    return {
        column_name(name): float(quantity.value)
        for name, quantity in found.items()
        if quantity.value is not None
    }
