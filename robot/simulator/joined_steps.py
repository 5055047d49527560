"""Several short steps of the simulator as one, so that the rows of a run keep their time.

Means of forces F over n steps of h, and the acceleration of all of them:

    F = sum F_k / n,        dv/dt = (v_n - v_0)/(n h) = sum (dv/dt)_k / n.

A wrench w_k = (f, m) in the axes R_k and about the point p_k of its own step becomes one in those
of the first step, R and p:

    f = R'R_k f_k,          m = R'(R_k m_k + (p_k - p) x R_k f_k).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from functools import cached_property, reduce
from operator import add
from typing import TYPE_CHECKING, Any

import numpy as np

from contact.problem import Solution
from contact.step import (
    ExactStepResult,
    StepEnergy,
    StepFrame,
    StepResult,
    all_wrenches_in,
    least_gaps_in,
    wrenches_in,
)
from robot.simulator.fused_sheet import FusedSimStep
from robot.simulator.joint_forces_kernels import STOPPING, TORQUES
from robot.simulator.robot_step import NO_WORK, SimStep, Work
from robot.simulator.step_block import BlockStep
from sole.base.arrays import BoolArray, FloatArray, IntArray, sealed, trusted
from sole.base.made_later import MadeLater

if TYPE_CHECKING:
    from robot.simulator.dynamics import Snapshot


def join_steps(parts: Sequence[SimStep], end: float | None = None) -> SimStep:
    """Return one step over `parts`, which follow each other and last equally long.

    Its state is the last one, its dynamics those of the start; it keeps the `parts`. One step is
    returned as it is. end : its time at the end [s], by default that of the last part.
    """
    if len(parts) == 1:
        return parts[0]
    state = parts[-1].state
    if end is not None and state.time != end:
        state = replace(state, time=end)
    return trusted(JoinedStep, state=state, parts=tuple(parts))


class JoinedStep(MadeLater, SimStep):
    """Several steps as one; means and sums are made when asked for."""

    ordinary = SimStep
    parts: tuple[SimStep, ...] = ()

    @property
    def poses(self) -> tuple[FloatArray, FloatArray]:
        """See `SimStep`, as for the others."""
        return self.parts[0].poses

    @cached_property
    def start(self) -> Snapshot:  # noqa: D102
        return self.parts[0].start

    @cached_property
    def contact(self) -> StepResult:  # noqa: D102
        return _join_contacts(self.parts)

    @cached_property
    def _means(self) -> tuple[FloatArray, FloatArray] | None:
        """Means of `joints` and `motion` of parts that are fused steps; None: some are not."""
        sheets = fused_sheets(self.parts)
        if sheets is None:
            return None
        places = self.parts[0].begun.places  # type: ignore[attr-defined]
        mean = np.add.reduce(sheets[0]) / len(self.parts)
        return places.part(mean, "joints"), places.part(mean, "motion")

    @cached_property
    def torques(self) -> FloatArray:  # noqa: D102
        if self._means is not None:
            return np.asarray(self._means[0][TORQUES])
        return _mean([part.torques for part in self.parts])

    @cached_property
    def saturated(self) -> BoolArray:  # noqa: D102
        if self._means is not None:  # no drive at its limit
            return self.parts[0].saturated
        return np.asarray(np.logical_or.reduce([part.saturated for part in self.parts]))

    @cached_property
    def stops(self) -> FloatArray:  # noqa: D102
        if self._means is not None:
            return np.asarray(self._means[0][STOPPING])
        return _mean([part.stops for part in self.parts])

    @cached_property
    def couplings(self) -> FloatArray:  # noqa: D102
        springs = self.parts[-1].couplings
        return _mean([part.couplings for part in self.parts]) if len(springs) else springs

    @cached_property
    def acceleration(self) -> FloatArray:  # noqa: D102
        if self._means is not None:
            return np.asarray(self._means[1][2])
        return _mean([part.acceleration for part in self.parts])

    @cached_property
    def work(self) -> Work:  # noqa: D102
        if all(part.work is NO_WORK for part in self.parts):
            return NO_WORK
        return Work(*map(sum, zip(*(part.work for part in self.parts), strict=True)))


def _mean(values: Sequence[FloatArray]) -> FloatArray:
    """Return the mean of arrays, the first ones added first."""
    return np.asarray(np.add.reduce(values) / len(values))


class JoinedContacts(ExactStepResult):
    """The contacts of several steps: what few ask for is put together when it is asked for.

    Gaps are those of the start, solutions those of all `made`, in turn; everything else that is
    not a mean or a sum is of the last one.
    """

    steps: tuple[SimStep, ...]

    @cached_property
    def made(self) -> tuple[ExactStepResult, ...]:
        """The contacts of all steps."""
        made = tuple(step.contact for step in self.steps)
        return made  # type: ignore[return-value]

    @cached_property
    def wrenches(self) -> FloatArray:  # noqa: D102
        return _mean_wrenches(self.steps)

    @cached_property
    def mean_twists(self) -> FloatArray:  # noqa: D102
        return sealed(_mean([r.mean_twists for r in self.made]))

    @cached_property
    def energy(self) -> StepEnergy:  # noqa: D102
        return reduce(add, (r.energy for r in self.made))

    @cached_property
    def twists(self) -> FloatArray:  # noqa: D102
        return self.made[-1].twists

    def __new__(cls, **values: Any) -> Any:
        """Return an ordinary result: a changed copy (`replace`) knows all that it is made of."""
        return ExactStepResult(**values)

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle it as an ordinary result."""
        return _ordinary, ({field.name: getattr(self, field.name) for field in fields(self)},)

    def least_gaps(self, first: IntArray) -> FloatArray:
        """See `StepResult.least_gaps`."""
        one = self.steps[0]
        if isinstance(one, FusedSimStep):
            return least_gaps_in(one.sheets[1], one.bodies)
        return one.contact.least_gaps(first)

    @property
    def positions(self) -> FloatArray:
        """See `StepResult.positions`."""
        return self.made[-1].positions

    @property
    def contacts(self) -> int:
        """See `StepResult.contacts`."""
        last = self.steps[-1]
        return last.contacts if isinstance(last, FusedSimStep) else last.contact.contacts

    @property
    def solved(self) -> bool:
        """See `ExactStepResult.solved`."""
        return all(r.solved for r in self.made)

    @property
    def iterations(self) -> int:
        """See `ExactStepResult.iterations`."""
        return sum(r.iterations for r in self.made)

    @property
    def residual(self) -> float:
        """See `ExactStepResult.residual`."""
        return max(r.residual for r in self.made)

    @property
    def slips(self) -> bool:
        """See `ExactStepResult.slips`."""
        return any(r.slips for r in self.made)

    @cached_property
    def gaps(self) -> FloatArray:
        """(M, S) at the start."""
        return self.made[0].gaps

    @cached_property
    def nodes(self) -> IntArray:
        """(K,) examined in the last step."""
        return self.made[-1].nodes

    @cached_property
    def slots(self) -> IntArray:
        """(K,) of their surfaces."""
        return self.made[-1].slots

    @cached_property
    def frame(self) -> StepFrame:
        """Geometry of the last step."""
        return self.made[-1].frame

    @cached_property
    def solutions(self) -> tuple[Solution, ...]:
        """Of all steps, in turn."""
        return tuple(s for r in self.made for s in r.solutions)


def _ordinary(values: dict[str, Any]) -> ExactStepResult:
    return ExactStepResult(**values)


def _join_contacts(parts: Sequence[SimStep]) -> StepResult:
    """Return one contact step: mean wrench, sums of energies, gaps of the start, all solutions."""
    if all(isinstance(p, FusedSimStep) or isinstance(p.contact, ExactStepResult) for p in parts):
        return trusted(JoinedContacts, state=parts[-1].state.soles, steps=tuple(parts))
    results = tuple(part.contact for part in parts)
    last = results[-1]
    return replace(
        last,
        gaps=results[0].gaps,
        wrenches=_mean_wrenches(parts),
        mean_twists=sealed(_mean([r.mean_twists for r in results])),
        energy=reduce(add, (r.energy for r in results)),
    )


def _mean_wrenches(parts: Sequence[SimStep]) -> FloatArray:
    """Return the mean wrenches (B, 6) in the axes of the first step."""
    R, places, w = _stacked(parts)
    arms = places - places[0]
    f, m = ((R @ x[..., None])[..., 0] for x in (w[..., :3], w[..., 3:]))
    m[..., 0] += arms[..., 1] * f[..., 2] - arms[..., 2] * f[..., 1]
    m[..., 1] += arms[..., 2] * f[..., 0] - arms[..., 0] * f[..., 2]
    m[..., 2] += arms[..., 0] * f[..., 1] - arms[..., 1] * f[..., 0]
    means = [(x.sum(axis=0)[:, None] @ R[0])[:, 0] / len(parts) for x in (f, m)]
    return sealed(np.hstack(means))


def _stacked(parts: Sequence[SimStep]) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return R (n, B, 3, 3), p (n, B, 3) and wrenches (n, B, 6) of n steps."""
    sheets = fused_sheets(parts)
    if sheets is None:
        poses = [part.poses for part in parts]
        wrenches = [part.contact.wrenches for part in parts]
        return np.array([R for R, _ in poses]), np.array([p for _, p in poses]), np.array(wrenches)
    motion, soles, places = *sheets, parts[0].begun.places.places  # type: ignore[attr-defined]
    R, p = (motion[:, place].reshape(-1, *shape) for place, shape in (places["R"], places["p"]))
    if isinstance(soles, np.ndarray):
        return R, p, all_wrenches_in(soles, p.shape[1])
    return R, p, np.array([wrenches_in(sheet, p.shape[1]) for sheet in soles])


def fused_sheets(
    parts: Sequence[SimStep],
) -> tuple[FloatArray, FloatArray | list[FloatArray]] | None:
    """Return the sheets (n, F) of n fused steps, and those of their soles; None: some are not.

    Those of a block are taken as they lie.
    """
    first = parts[0]
    if isinstance(first, BlockStep) and first.is_followed_by(parts):
        a, chosen = first.block.arrays, slice(first.index, first.index + len(parts))
        return a.motion_seen[chosen], a.sticking_seen[chosen]
    fused = [part.sheets for part in parts if isinstance(part, FusedSimStep)]
    if len(fused) < len(parts):
        return None
    return np.array([motion for motion, _ in fused]), [soles for _, soles in fused]
