"""Several short steps of the simulator as one, so that the rows of a run keep their time.

Means of forces F over n steps of h, and the acceleration of all of them:

    F = sum F_k / n,        dv/dt = (v_n - v_0)/(n h) = sum (dv/dt)_k / n.

A wrench w_k = (f, m) in the axes R_k and about the point p_k of its own step becomes one in those
of the first step, R and p:

    f = R'R_k f_k,          m = R'(R_k m_k + (p_k - p) x R_k f_k).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from operator import add
from typing import TYPE_CHECKING

import numpy as np

from contact.problem import Solution
from contact.step import StepEnergy, StepFrame, StepResult
from contact.swept_step import BufferStepResult
from robot.simulator.buffer_step import BufferSimStep
from robot.simulator.joint_space_kernels import double_energy
from robot.simulator.robot_step import NO_WORK, SimStep, Work
from sole.base.arrays import BoolArray, FloatArray, IntArray, sealed, trusted

if TYPE_CHECKING:
    from contact.step import ContactLaws
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
    parts = tuple(parts)
    return trusted(BufferSimStep, state=state, parts=parts, details=JoinedDetails(parts))


@dataclass(frozen=True, eq=False)
class JoinedDetails:
    """The details of a `BufferSimStep` that consists of several steps: means and sums of theirs.

    Parameters
    ----------
    parts : the steps, in turn.
    """

    parts: tuple[SimStep, ...]
    buffers = None

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

    @property
    def contacts(self) -> int:  # noqa: D102
        return self.parts[-1].contacts

    @property
    def slips(self) -> bool:  # noqa: D102
        return any(part.slips for part in self.parts)

    @cached_property
    def torques(self) -> FloatArray:  # noqa: D102
        return _mean([part.torques for part in self.parts])

    @cached_property
    def saturated(self) -> BoolArray:  # noqa: D102
        return np.asarray(np.logical_or.reduce([part.saturated for part in self.parts]))

    @cached_property
    def stops(self) -> FloatArray:  # noqa: D102
        return _mean([part.stops for part in self.parts])

    @cached_property
    def couplings(self) -> FloatArray:  # noqa: D102
        springs = self.parts[-1].couplings
        return _mean([part.couplings for part in self.parts]) if len(springs) else springs

    @cached_property
    def acceleration(self) -> FloatArray:  # noqa: D102
        return _mean([part.acceleration for part in self.parts])

    @property
    def square(self) -> float:  # noqa: D102
        return double_energy(self.start.M, self.acceleration)

    @cached_property
    def work(self) -> Work:  # noqa: D102
        if all(part.work is NO_WORK for part in self.parts):
            return NO_WORK
        return Work(*map(sum, zip(*(part.work for part in self.parts), strict=True)))

    def least_gaps(self, first: IntArray) -> FloatArray:  # noqa: D102
        return self.parts[0].least_gaps(first)


def _mean(values: Sequence[FloatArray]) -> FloatArray:
    """Return the mean of arrays, the first ones added first."""
    return np.asarray(np.add.reduce(values) / len(values))


@dataclass(frozen=True, eq=False)
class JoinedContacts:
    """The details of a `BufferStepResult` over several steps, all with certificates.

    Wrenches and mean twists are means, the energy a sum, gaps those of the start, solutions those
    of all steps, in turn. Everything else is of the last one.

    Parameters
    ----------
    steps : in turn.
    """

    steps: tuple[SimStep, ...]

    @cached_property
    def made(self) -> tuple[StepResult, ...]:
        """The contacts of all steps."""
        return tuple(step.contact for step in self.steps)

    @cached_property
    def wrenches(self) -> FloatArray:
        """See `StepResult`, as for the others."""
        return _mean_wrenches(self.steps)

    @cached_property
    def mean_twists(self) -> FloatArray:  # noqa: D102
        return sealed(_mean([r.mean_twists for r in self.made]))

    @cached_property
    def energy(self) -> StepEnergy:  # noqa: D102
        return reduce(add, (r.energy for r in self.made))

    @property
    def twists(self) -> FloatArray:  # noqa: D102
        return self.made[-1].twists

    def least_gaps(self, first: IntArray) -> FloatArray:  # noqa: D102
        return self.steps[0].least_gaps(first)

    @property
    def positions(self) -> FloatArray:  # noqa: D102
        return self.made[-1].positions

    @property
    def contacts(self) -> int:  # noqa: D102
        return self.steps[-1].contacts

    @property
    def solved(self) -> bool:  # noqa: D102
        return all(r.solved for r in self.made)

    @property
    def iterations(self) -> int:  # noqa: D102
        return sum(r.iterations for r in self.made)

    @property
    def residual(self) -> float:  # noqa: D102
        return max(r.residual for r in self.made)

    @property
    def slips(self) -> bool:  # noqa: D102
        return any(r.slips for r in self.made)

    @property
    def gaps(self) -> FloatArray:  # noqa: D102
        return self.made[0].gaps

    @property
    def nodes(self) -> IntArray:  # noqa: D102
        return self.made[-1].nodes

    @property
    def slots(self) -> IntArray:  # noqa: D102
        return self.made[-1].slots

    @property
    def frame(self) -> StepFrame:  # noqa: D102
        return self.made[-1].frame

    @property
    def laws(self) -> tuple[ContactLaws, ...]:  # noqa: D102
        return tuple(law for r in self.made for law in r.laws)

    @cached_property
    def solutions(self) -> tuple[Solution, ...]:  # noqa: D102
        return tuple(s for r in self.made for s in r.solutions)


def _join_contacts(parts: tuple[SimStep, ...]) -> StepResult:
    """Return one contact step: mean wrench, sums of energies, gaps of the start, all solutions."""
    if all(part.buffers is not None or part.contact.certified for part in parts):
        details = JoinedContacts(parts)
        return trusted(BufferStepResult, state=parts[-1].state.soles, details=details)
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
    poses = [part.poses for part in parts]
    R, places = (np.array(each) for each in zip(*poses, strict=True))
    w = np.array([part.contact.wrenches for part in parts])
    arms = places - places[0]
    f, m = ((R @ x[..., None])[..., 0] for x in (w[..., :3], w[..., 3:]))
    m[..., 0] += arms[..., 1] * f[..., 2] - arms[..., 2] * f[..., 1]
    m[..., 1] += arms[..., 2] * f[..., 0] - arms[..., 0] * f[..., 2]
    m[..., 2] += arms[..., 0] * f[..., 1] - arms[..., 1] * f[..., 0]
    means = [(x.sum(axis=0)[:, None] @ R[0])[:, 0] / len(parts) for x in (f, m)]
    return sealed(np.hstack(means))
