"""What the stabiliser's feed-forward takes from each tick of a plan, kept for a second run.

Torques of inverse dynamics and the Jacobians of the sole frames depend on the plan alone. A row is
computed when a run first asks for it; a walk that is run again, or whose time stands still while it
settles, reads it. Rows of a plan that is made while the robot walks change, so they are not kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary, ref

import numpy as np

from robot.gait import MotionPlan
from sole.base.arrays import FloatArray

if TYPE_CHECKING:
    import pinocchio as pin

LARGEST = 2**27  # bytes: rows of a longer plan are computed each time
MOST = 4  # models whose tables of one plan are kept


class PlanTable:
    """The rows of one plan for one model.

    Parameters
    ----------
    plan : its q_ref, v_ref, a_ref. model : Pinocchio's. frames : ids of the sole frames.
    """

    def __init__(self, plan: MotionPlan, model: pin.Model, frames: Sequence[int]) -> None:
        self.plan = ref(plan)  # a table must not keep its plan alive
        self.model, self.data, self.frames = model, model.createData(), tuple(frames)
        self.twins = [model]  # equal to the last bit, compared once
        N, nv = len(plan.q_ref), model.nv
        width = nv + len(self.frames) * 6 * nv
        kept = N if plan.lasting and 8 * N * width <= LARGEST else 0
        self.known = np.zeros(kept, np.bool_)
        self.tau, self.J = np.zeros((kept, nv)), np.zeros((kept, len(self.frames), 6, nv))

    def row(self, k: int) -> tuple[FloatArray, FloatArray]:
        """Return tau (nv,) of tick k without contact [N m], and J (F, 6, nv), frames' axes."""
        if k < len(self.known) and self.known[k]:
            return self.tau[k], self.J[k]
        tau, J = self._computed(k)
        if k < len(self.known):
            self.tau[k], self.J[k], self.known[k] = tau, J, True
        return tau, J

    def _computed(self, k: int) -> tuple[FloatArray, FloatArray]:
        import pinocchio as pin

        model, data = self.model, self.data
        plan = self.plan()
        assert plan is not None
        q, v, a = plan.q_ref, plan.v_ref, plan.a_ref
        tau = pin.rnea(model, data, q[k], v[k], a[k])
        J, local = np.empty((len(self.frames), 6, model.nv)), pin.LOCAL
        for f, frame in enumerate(self.frames):
            J[f] = pin.computeFrameJacobian(model, data, q[k], frame, local)
        return tau, J


_tables: WeakKeyDictionary[MotionPlan, list[PlanTable]] = WeakKeyDictionary()


def table_of(plan: MotionPlan, model: pin.Model, frames: Sequence[int]) -> PlanTable:
    """Return the table of a plan for this model or an equal one, the same one each time."""
    known = _tables.setdefault(plan, [])
    fitting = [table for table in known if table.frames == tuple(frames)]
    for table in fitting:
        if any(model is twin for twin in table.twins):
            return table
    for table in fitting:
        if model == table.model:
            table.twins = [*table.twins[1 - MOST :], model]
            return table
    known.append(PlanTable(plan, model, frames))
    del known[:-MOST]  # a table keeps its model, which may be gone otherwise
    return known[-1]
