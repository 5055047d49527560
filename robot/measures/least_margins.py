"""Margins of compliant soles against slipping, yawing and tilting under their present pressure.

It is the margin of `contact.margins`: 1 under a vertical force at the centre, 0 where the sole
fails. It needs the frames of all contacts, which runs do not keep, so it is computed during the
simulation and recorded as an extra series:

    recorder = Recorder(..., extras={SOLE_MARGIN: MARGINS})
    recorder.record(step, command, sole_margin=sole_margins(simulator, step))
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from robot.run import Channel, Run
from sole.base.arrays import BoolArray, FloatArray
from sole.base.errors import ConfigError, SoleError
from sole.base.report import Quantity

if TYPE_CHECKING:
    from robot.simulator import SimStep, Simulator

SOLE_MARGIN = "sole_margin"
MARGINS = Channel(
    ("body", "margin"), "1", "margin of a compliant sole: slip and yaw, tilt; NaN: none"
)
WAYS = ("slips or yaws", "tilts")


def require_soles(simulator: Simulator) -> None:
    """Refuse a simulator without a compliant sole.

    Raises
    ------
    ConfigError
        The feet are rigid: many pressure distributions fit one wrench, so this margin is undefined.
    """
    if simulator.stepper.bodies.rigid.all():
        raise ConfigError(
            "sole margins need a compliant sole: rigid feet have the wrench margin only"
        )


def sole_margins(simulator: Simulator, step: SimStep) -> FloatArray:
    """Return the margins (B, 2) of all bodies at the end of a step: slip and yaw, tilt.

    NaN for a body that is rigid or in the air, and for all bodies if the ground under one of them
    is too rugged for a contact plane.
    """
    from contact.margins import step_margins

    found = np.full((len(simulator.touching), 2), np.nan)
    stepper = simulator.stepper
    try:
        margins = step_margins(stepper, step.contact)
    except SoleError:
        return found
    for b, (touching, margin) in enumerate(zip(simulator.touching, margins, strict=True)):
        if margin is not None and touching.body.compliance is not None:
            found[b] = margin.slip, margin.tilt
    return found


def least_margin(run: Run, seen: BoolArray, least: float) -> Quantity:
    """Return the smallest margin of a sole that carries at least `least` [N], and how it fails.

    Rows without a margin are left out.
    """
    if SOLE_MARGIN not in run:
        return Quantity(None, "", "not recorded: see sole walk --margins-every")
    margins = run[SOLE_MARGIN]
    counts = seen[:, None] & (run["body_wrench"][..., 2] > least)
    counts[:, [b for b, tread in enumerate(run.treads) if tread.foot < 0]] = False
    value = np.where(counts[..., None] & np.isfinite(margins), margins, np.inf)
    i, b, way = np.unravel_index(int(np.argmin(value)), value.shape)
    if not np.isfinite(value[i, b, way]):
        return Quantity(None, "", "no loaded sole in the rows with margins")
    return Quantity(
        float(value[i, b, way]),
        "",
        f"smallest; {run.treads[b].name}, at {run.time[i]:.4g} s: {WAYS[way]} first",
    )
