"""The columns of walk rows: all scalar metrics of a walk, with their goals."""

from __future__ import annotations

from collections.abc import Mapping

from robot.measures import metrics
from robot.run import Run
from sole.base.report import Quantity
from sole.studies import Column, RowOutcome

_TOUCH = "in 50 ms from the first touch"
_IMPACT = "in 20 ms from the first touch"
ENDED = RowOutcome(success="walked", failure="fell", adjective="fallen", noun="walk", nouns="walks")
_PEAKS = {
    f"{what} acceleration{filtered}": Column(
        "m/s^2",
        f"largest |acceleration| of {words}{how}",
        highlight=what == "landing" and bool(filtered),
        goal="least",
    )
    for what, words in (
        ("landing", f"a foot {_TOUCH}"),
        ("foot", "a foot at any time"),
        ("waist", "the waist"),
    )
    for filtered, how in ((" 100 Hz", ", low-passed at 100 Hz"), ("", ", mean over a time step"))
}
_INCLINATION = {
    f"waist {axis}{rms}": Column("rad", f"{how} {axis} of the waist", goal="least")
    for axis in ("roll", "pitch")
    for rms, how in (("", "largest"), (" RMS", "RMS of the"))
}
_TRACKING = {
    f"{what} error{rms}": Column(unit, f"{how} {words}", goal="least")
    for what, unit, words in (
        ("joint", "rad", "deviation of a joint from its command"),
        ("CoM", "m", "distance of the centre of mass from the plan"),
        ("ZMP", "m", "distance of the ZMP from the plan"),
    )
    for rms, how in (("", "largest"), (" RMS", "RMS of the"))
}
METRICS = {
    "fell": Column(
        "",
        "1: the robot fell, in the run or after its end; 0: it stands",
        highlight=True,
        goal="least",
        bound="== 0",
        outcome=ENDED,
        of_failures=True,
    ),
    "survived": Column(
        "",
        "1: the robot stands at the end; 0: it fell. Its mean over repeats is a share",
        goal="greatest",
        of_failures=True,
    ),
    "fell at": Column("s", "time of the fall", goal="greatest", of_failures=True),
    "duration": Column(
        "s",
        "time of the last step; shorter than the gait if the robot fell",
        goal="greatest",
        of_failures=True,
    ),
    "landings": Column("", "number of landings: feet that carry after a swing"),
    **_PEAKS,
    "impact force": Column(
        "N",
        f"largest vertical force of a landing foot, {_IMPACT}",
        highlight=True,
        goal="least",
    ),
    "impact impulse": Column(
        "N s", f"largest vertical impulse of a landing foot, {_IMPACT}", goal="least"
    ),
    "impact loss": Column("J", f"energy lost {_IMPACT}, sum of all touches"),
    "waist tilt": Column(
        "rad",
        "largest angle between the waist's axis and the vertical",
        highlight=True,
        goal="least",
    ),
    **_INCLINATION,
    "wrench margin": Column(
        "", "smallest wrench margin of a loaded foot, landings included", goal="greatest"
    ),
    "stance margin": Column(
        "",
        "smallest wrench margin of a foot that has carried 30 % of the weight for 50 ms, landings "
        "left out",
        highlight=True,
        goal="greatest",
        bound="> 0",  # no foot at the edge of what it can hold
    ),
    "CoP excursion x": Column("m", "forward range of the CoP on one foot; larger of both"),
    "CoP excursion y": Column("m", "sideways range of the CoP on one foot; larger of both"),
    "CoP to edge": Column(
        "m", "smallest distance of a CoP from the edge of its foot", goal="greatest"
    ),
    "slip": Column("m", "sliding distance of a foot; larger of both", goal="least"),
    "sole displacement": Column("m", "largest displacement of a tread node relative to its foot"),
    "deformation": Column(
        "",
        "largest displacement of a tread node over the sole's thickness",
        goal="least",
    ),
    "penetration": Column("m", "largest depth of a node in the ground", goal="least"),
    "residual displacement": Column("m", "largest of an unloaded sole at the end of a flight"),
    "pressure": Column("Pa", "largest at a node; depends on the mesh", goal="least"),
    **_TRACKING,
    "saturated": Column("", "share of steps with a joint at its torque limit", goal="least"),
    "contact residual": Column("", "worst relative residual of the contact solver", goal="least"),
    "missed": Column("", "time steps whose contact solve missed the tolerance", goal="least"),
    "iterations": Column("", "mean iterations of the contact solver per step", goal="least"),
    "unaccounted energy": Column("J", "energy error of the time integration"),
}
ALWAYS = ("fell", "survived", "fell at", "duration")  # known even of a walk that ended early
UNCONVERGED = Column("", "highlighted metrics that have not converged at dt/4", goal="least")


def column_name(metric: str) -> str:
    """Return the name of a metric in the table: "waist roll RMS" -> "waist_roll_rms"."""
    return metric.lower().replace(" ", "_")


COLUMNS = {column_name(name): column for name, column in METRICS.items()}


def measure_run(run: Run, after: float = 0.0) -> dict[str, Quantity]:
    """Return the metrics of a run that have a column; only falls if it ended before `after`.

    `after` : time [s] as in `robot.measures.metrics`.
    """
    short = run.time[-1] <= after
    found = metrics(run, after=0.0 if short else after)
    found["survived"] = Quantity(not found["fell"].value)
    return {name: found[name] for name in (ALWAYS if short else METRICS) if name in found}


def number_columns(found: Mapping[str, Quantity]) -> dict[str, float]:
    """Return metrics as numbers by column name; those without a value are left out."""
    return {
        column_name(name): float(quantity.value)
        for name, quantity in found.items()
        if quantity.value is not None
    }
