"""How near compliant soles are to slipping, yawing or tilting under the pressure they have.

The margin of `contact.sole_margin`: 1 under a vertical force at the centre, 0 where the sole gives
way. It needs the frames of all contacts, which no run keeps, so it is worked out beside the
simulation and recorded as a series of its own:

    recorder = Recorder(..., extras={SOLE_MARGIN: MARGINS})
    recorder.record(step, command, sole_margin=sole_margins(simulator, step))
"""

from __future__ import annotations

import numpy as np

from contact.step import CompliantStep
from robot.recordings.channels import Channel
from robot.run import Run
from robot.simulate import SimStep, Simulator
from sole.arrays import BoolArray, FloatArray
from sole.errors import ConfigError, SoleError
from sole.report import Quantity

SOLE_MARGIN = "sole_margin"
MARGINS = Channel(
    ("body", "margin"), "1", "of a compliant sole against slip and yaw, against tilt; NaN: none"
)
WAYS = ("slips or yaws", "tilts")


def require_soles(simulator: Simulator) -> None:
    """Refuse a simulator without a compliant sole.

    Raises
    ------
    ConfigError
        Rigid feet have many pressures for one wrench, so no margin of that kind.
    """
    soft = any(t.body.compliance is not None for t in simulator.touching)
    if not (soft and isinstance(simulator.stepper, CompliantStep)):
        raise ConfigError(
            "margins of soles need a compliant sole: rigid feet have the wrench margin alone"
        )


def sole_margins(simulator: Simulator, step: SimStep) -> FloatArray:
    """Return margins (B, 2) of all bodies at the end of a step: slip and yaw, tilt.

    NaN for a body that is rigid or in the air, and for all where the ground under one is too rugged
    to have a plane of contact.
    """
    found = np.full((len(simulator.touching), 2), np.nan)
    stepper = simulator.stepper
    if not isinstance(stepper, CompliantStep):
        return found
    try:
        margins = stepper.margins(step.contact)
    except SoleError:
        return found
    for b, (touching, margin) in enumerate(zip(simulator.touching, margins, strict=True)):
        if margin is not None and touching.body.compliance is not None:
            found[b] = margin.slip, margin.tilt
    return found


def least_margin(run: Run, seen: BoolArray, least: float) -> Quantity:
    """Return the smallest margin of a sole that carries `least` [N] or more, and how it gives way.

    Of the rows that have one.
    """
    if SOLE_MARGIN not in run:
        return Quantity(None, "", "not recorded: see sole walk --margins")
    margins = run[SOLE_MARGIN]
    counts = seen[:, None] & (run["body_wrench"][..., 2] > least)
    counts[:, [b for b, tread in enumerate(run.treads) if tread.foot < 0]] = False
    value = np.where(counts[..., None] & np.isfinite(margins), margins, np.inf)
    i, b, way = np.unravel_index(int(np.argmin(value)), value.shape)
    if not np.isfinite(value[i, b, way]):
        return Quantity(None, "", "no sole is loaded where margins were recorded")
    return Quantity(
        float(value[i, b, way]),
        "",
        f"least; {run.treads[b].name}, at {run.time[i]:.4g} s: {WAYS[way]} first",
    )
