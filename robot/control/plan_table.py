"""What the stabiliser's feed-forward takes from each tick of a plan, kept for a second run.

Torques of inverse dynamics and the Jacobians of the sole frames depend on the plan alone. Rows are
computed when a run first asks for one of them, `AHEAD` at a time in one call. A walk that is run
again, or whose time stands still while it settles, reads them. Rows of a plan that is made while
the robot walks change, so they are not kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary, ref

import numpy as np

from robot.gait import MotionPlan
from robot.tree import (
    FrameArrays,
    LinkArrays,
    describe_frame,
    link_frames,
    move_links,
    open_tree,
    sum_forces,
    tree_of,
    tree_sheet,
    weigh_links,
)
from sole.base.arrays import Bundle, FloatArray
from sole.base.compiled import kernel, packed

if TYPE_CHECKING:
    import pinocchio as pin

LARGEST = 2**27  # bytes: rows of a longer plan are computed each time
AHEAD = 50  # rows computed at once, in half a millisecond
MOST = 4  # models whose tables of one plan are kept


class PlanTable:
    """The rows of one plan for one model.

    Parameters
    ----------
    plan : its q_ref, v_ref, a_ref. model : Pinocchio's. frames : ids of the sole frames.
    more : (F, 6, k) columns that are appended to each J, of no joint.
    """

    def __init__(
        self,
        plan: MotionPlan,
        model: pin.Model,
        frames: Sequence[int],
        more: FloatArray | None = None,
    ) -> None:
        self.plan = ref(plan)  # a table must not keep its plan alive
        self.model, self.frames = model, tuple(frames)
        fixed = (0,) * len(self.frames)
        self.robot = packed(tree_of(model)), packed(link_frames(model, self.frames, fixed))
        self.links = np.zeros(tree_sheet(model.njoints, model.nv).size)
        self.twins = [model]  # equal to the last bit, compared once
        N, nv = len(plan.q_ref), model.nv
        self.more = np.zeros((len(self.frames), 6, 0)) if more is None else more
        width = nv + self._blank(1).size
        kept = N if plan.lasting and 8 * N * width <= LARGEST else 0
        self.known = np.zeros(kept, np.bool_)
        self.tau, self.J = np.zeros((kept, nv)), self._blank(kept)

    def row(self, k: int, every: int = 1) -> tuple[FloatArray, FloatArray]:
        """Return tau (nv,) of tick k without contact [N m], and J (F, 6, nv + k), frames' axes.

        `every` : who asks goes on with tick k + every, and so on.
        """
        if k >= len(self.known):
            tau, J = np.empty((1, self.model.nv)), self._blank(1)
            self._fill(range(k, k + 1), tau, J)
            return tau[0], J[0]
        if not self.known[k]:
            rows = range(k, min(k + AHEAD * every, len(self.known)), every)
            tau, J = self.tau[rows.start :: every], self.J[rows.start :: every]
            self._fill(rows, tau, J)
            self.known[rows.start : rows.stop : every] = True
        return self.tau[k], self.J[k]

    def _blank(self, rows: int) -> FloatArray:
        """Return (rows, F, 6, nv + k): zero but for the columns of no joint."""
        J = np.zeros((rows, len(self.frames), 6, self.model.nv + self.more.shape[2]))
        J[..., self.model.nv :] = self.more
        return J

    def prepare(self, first: int, last: int) -> bool:
        """Make `tau` and `J` hold the ticks from `first` to `last`; False: they are not kept."""
        if last >= len(self.known):
            return False
        for k in np.flatnonzero(~self.known[first : last + 1]).tolist():
            self.row(first + k)
        return True

    def _fill(self, rows: range, tau: FloatArray, J: FloatArray) -> None:
        """Fill tau[i] and J[i] for the i-th of the rows."""
        plan = self.plan()
        assert plan is not None
        motion = plan.q_ref[rows.start :], plan.v_ref[rows.start :], plan.a_ref[rows.start :]
        fill_rows(self.robot, motion, rows.step, len(rows), self.links, tau, J)


@kernel
def fill_rows(
    robot: Bundle, motion: Bundle, every: int, count: int, sheet: FloatArray,
    tau: FloatArray, J: FloatArray,
) -> None:  # fmt: skip
    """Fill tau (count, nv) and J (count, F, 6, nv), which is zero, for each `every`-th row.

    robot : `LinkArrays` and `FrameArrays`. motion : q (N, nq), v, dv (N, nv). sheet : work space.
    """
    tree, frames, (q, v, dv) = LinkArrays(*robot[0]), FrameArrays(*robot[1]), motion
    links, F = open_tree(sheet, len(tree.joints)), J.shape[1]
    R, p, turns = np.empty((F, 3, 3)), np.empty((F, 3)), np.empty((F, 3, 3))
    for i in range(count):
        k = i * every
        move_links(tree, q[k], v[k], dv[k], links)
        weigh_links(tree, links)
        sum_forces(tree, dv[k], links, tau[i])
        for f in range(F):
            describe_frame(f, links, frames, J[i, f], R[f], p[f], turns[f])


_tables: WeakKeyDictionary[MotionPlan, list[PlanTable]] = WeakKeyDictionary()


def table_of(
    plan: MotionPlan, model: pin.Model, frames: Sequence[int], more: FloatArray | None = None
) -> PlanTable:
    """Return the table of a plan for this model or an equal one, the same one each time.

    `more` : as of `PlanTable`; it follows from model and frames.
    """
    known = _tables.get(plan)
    if known is None:
        known = _tables[plan] = []
    for table in known:
        if table.model is model and table.frames == frames:  # as in every tick
            return table
    fitting = [table for table in known if table.frames == tuple(frames)]
    for table in fitting:
        if any(model is twin for twin in table.twins):
            return table
    for table in fitting:
        if model == table.model:
            table.twins = [*table.twins[1 - MOST :], model]
            return table
    known.append(PlanTable(plan, model, frames, more))
    del known[:-MOST]  # a table keeps its model, which may be gone otherwise
    return known[-1]
