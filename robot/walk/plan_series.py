"""Series of the plan beside those of the run: centre of mass and ZMP."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from robot.run import Channel, Run
from robot.walk.walk import Walk

REFERENCES = {
    "com_reference": Channel(("xyz",), "m", "centre of mass of the plan, world"),
    "zmp_reference": Channel(("xy",), "m", "zero-moment point of the plan, world"),
}


def add_references(run: Run, walk: Walk) -> Run:
    """Return the run with the planned centre of mass and ZMP, interpolated between ticks.

    With an online plan they are those that it made on the way.
    """
    series, plan = dict(run.series), walk.plan
    times, com, zmp = plan.times, plan.com, plan.zmp
    if walk.online is not None:
        past = walk.online.past
        times, com, zmp = past[:, 0], past[:, 1:4], past[:, 4:]
    for name, planned in (("com_reference", com), ("zmp_reference", zmp)):
        columns = [np.interp(run.time, times, column) for column in planned.T]
        series[name] = np.stack(columns, axis=1)
    return replace(run, series=series, extras={**run.extras, **REFERENCES})
