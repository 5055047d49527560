"""Series of the plan beside those of the run: centre of mass and ZMP."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from robot.gait import WalkPlan
from robot.run import Channel, Run

REFERENCES = {
    "com_reference": Channel(("xyz",), "m", "centre of mass of the plan, world"),
    "zmp_reference": Channel(("xy",), "m", "zero-moment point of the plan, world"),
}


def add_references(run: Run, plan: WalkPlan) -> Run:
    """Return the run with the planned centre of mass and ZMP, interpolated between ticks."""
    series = dict(run.series)
    for name, planned in (("com_reference", plan.com), ("zmp_reference", plan.zmp)):
        columns = [np.interp(run.time, plan.times, column) for column in planned.T]
        series[name] = np.stack(columns, axis=1)
    return replace(run, series=series, extras={**run.extras, **REFERENCES})
