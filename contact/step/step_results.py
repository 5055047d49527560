"""The end of a time step under any law of contact.

    v+ = v_free + dt M^-1 J6' w,    w = G' f    the wrenches of the nodal forces f on the feet

Exact contact, penalty and the six numbers of a slipping foot all end in a `StepResult`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from contact.problem import Solution
from contact.step.energy import StepEnergy
from contact.step.sole_state import SoleState
from contact.step.step_frame import StepFrame
from sole.base.arrays import FloatArray, IntArray


class ContactLaws(NamedTuple):
    """What Coulomb's law is between in a (sub-)step, of K contacts in their axes.

    Attributes
    ----------
    velocity : u (K, 3) [m/s]. reactions : r (K, 3) [N]. status : (K,) `ContactStatus`.
    """

    velocity: FloatArray
    reactions: FloatArray
    status: IntArray


@dataclass(frozen=True, eq=False, kw_only=True)
class StepResult:
    """The end of a step under any law of contact, of B feet with M nodes of S slots.

    Twists and wrenches are those of the feet, in their axes at its start.

    Parameters
    ----------
    state : of the soles.
    wrenches : (B, 6) mean force and moment about the foot's origin on every foot [N, N m]. The
        robot follows with v+ = v_free + dt M^-1 J6' wrenches.
    twists : (6B,) at the end of the step [m/s, rad/s].
    mean_twists : (6B,) v_bar: move the poses with it.
    energy : its balance over the step.
    gaps : (M, S) of the deformed nodes at the start [m]; infinite without a face.
    nodes : (K,) and `slots` (K,): the contacts examined.
    frame : their geometry, in the axes of the feet at the start.
    solutions : one per sub-step, each with its certificate; empty if nothing is near.
    certified : whether there are such solutions. A law without any (penalty) has an empty tuple,
        and 0 iterations and residual, which say nothing of it.
    """

    state: SoleState
    wrenches: FloatArray
    twists: FloatArray
    mean_twists: FloatArray
    energy: StepEnergy
    gaps: FloatArray
    nodes: IntArray
    slots: IntArray
    frame: StepFrame
    solutions: tuple[Solution, ...] = ()
    certified: bool = False

    def least_gaps(self, first: IntArray) -> FloatArray:
        """Return the least gap (B,) [m] of every body, whose nodes begin at `first` (B,)."""
        return np.asarray(np.minimum.reduceat(self.gaps.min(axis=1), first))

    @property
    def positions(self) -> FloatArray:
        """Nodes (M, 3) at the start, deformed, in the axes of their bodies [m]."""
        return self.frame.near.local

    @property
    def contacts(self) -> int:
        """K, the number of contacts examined."""
        return len(self.nodes)

    @property
    def solution(self) -> Solution | None:
        """The last sub-step's; None if nothing was near."""
        return self.solutions[-1] if self.solutions else None

    @property
    def solved(self) -> bool:
        """Whether all sub-steps met the tolerance: `certificate.error` at most that."""
        return all(s.solved for s in self.solutions)

    @property
    def iterations(self) -> int:
        """The sum over all sub-steps."""
        return sum(s.iterations for s in self.solutions)

    @property
    def residual(self) -> float:
        """The worst natural map or Signorini residual of all sub-steps, relative."""
        return max((s.certificate.worst for s in self.solutions), default=0.0)

    @property
    def slips(self) -> bool:
        """Whether any node may have slipped, as far as `laws` say."""
        return len(self.solutions) > 0

    @property
    def laws(self) -> tuple[ContactLaws, ...]:
        """Velocities, forces and statuses of all sub-steps, without their problems."""
        return tuple(ContactLaws(s.velocity, s.reactions, s.status) for s in self.solutions)
