"""What the state and result of a step by the affine form have besides their buffer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from contact.problem import (
    Certificate,
    ContactStatus,
    Outcome,
    Problem,
    SoleDelassus,
    Solution,
)
from contact.solvers import StickBase, StickRun
from contact.step import (
    Bodies,
    ContactArrays,
    ContactLaws,
    NearArrays,
    NodeArrays,
    PosedArrays,
    SeveralGrounds,
    SoleState,
    StepFrame,
    StepMotion,
    StepOptions,
    StickMemory,
    fill_contact_frames,
    fill_rigid_geometry,
    look_near,
    pose_problem,
)
from contact.swept_step.buffer_result import BufferDetails, BufferSoleState
from sole.base.arrays import FloatArray, IntArray, frozen, sealed, trusted
from sole.base.compiled import packed

METHOD = "affine"
NONE = np.zeros((0, 0), np.int64)


class StuckOrigin(NamedTuple):
    """The run that wrote a state.

    Attributes
    ----------
    previous : (F,) the buffer of the step before.
    base : the start of the run. begun : `StuckBegin`: how the step began, which its maker knows
        again.
    """

    previous: FloatArray
    base: StickBase
    begun: tuple[Any, ...]

    def earlier(self, state: BufferSoleState) -> FloatArray:
        """Return `SoleState.earlier`."""
        return state.layout.part(self.previous, "forces")

    def run(self, state: BufferSoleState) -> StickMemory:
        """Return `SoleState.run`."""
        return StickMemory(self.base, state.part("maps"))


def stuck_origin(state: SoleState) -> StuckOrigin | None:
    """Return the run that wrote a state; None: it was made otherwise."""
    if isinstance(state, BufferSoleState) and isinstance(state.origin, StuckOrigin):
        return state.origin
    return None


class StuckStart(NamedTuple):
    """The start of a step: R (B, 3, 3), p (B, 3), motion; the surfaces near it if known."""

    rotations: FloatArray
    places: FloatArray
    motion: StepMotion
    near: NearArrays | None


@dataclass(frozen=True, eq=False, kw_only=True)
class StuckDetails(BufferDetails):
    """The details of a step whose touching nodes all stick.

    Its `nodes` and `slots` are those that stick: all others were checked to stay open.

    Parameters
    ----------
    bodies, surfaces, options : of the `CompliantStep`. run : of the step.
    start : returns how it began.
    """

    bodies: Bodies
    surfaces: SeveralGrounds
    options: StepOptions
    run: StickRun
    start: Callable[[], StuckStart]
    slips = False
    iterations = 0

    @property
    def contacts(self) -> int:
        """See `StepResult`, as for the others."""
        return self.run.contacts

    @property
    def positions(self) -> FloatArray:  # noqa: D102
        return self.bodies.points + self.before.displacement

    @cached_property
    def nodes(self) -> IntArray:
        """(K,) that stick."""
        return np.flatnonzero(self.run.base.group >= 0)

    @cached_property
    def slots(self) -> IntArray:
        """(K,) of their surfaces."""
        return np.asarray(self.run.base.slot[self.nodes])

    @cached_property
    def frame(self) -> StepFrame:
        """The geometry at the start."""
        b, before = self.bodies, self.before
        R, p, _, near = self.start()
        if near is None:
            _, near = look_near(b, self.surfaces, before, R.copy(), p.copy())
        node, slot, M = self.nodes, self.slots, b.nodes
        owner = np.ascontiguousarray(b.body[node])
        P, A, G = np.empty((len(node), 3, 3)), np.empty((len(node), 3, 6)), np.empty((3 * M, 6))
        seen = near._replace(rotations=near.rotations.copy(), solid=NONE)
        fill_contact_frames(node, slot, seen, b.body, P, A)
        fill_rigid_geometry(near.local, G)
        return StepFrame(
            near=near,
            contacts=ContactArrays(node, slot, owner, P, A),
            friction=b.friction[node],
            geometry=G,
            outside=self.after.outside,
            forces=before.forces,
            earlier=before.earlier,
            steady=before.steady,
        )

    @property
    def gaps(self) -> FloatArray:
        """(M, S) at the start."""
        return self.frame.near.gaps

    @property
    def laws(self) -> tuple[ContactLaws, ...]:  # noqa: D102
        return tuple(ContactLaws(s.velocity, s.reactions, s.status) for s in self.solutions)

    @cached_property
    def solutions(self) -> tuple[Solution, ...]:
        """The one solution, with its problem.

        Its certificate bounds natural map and Signorini's law by what the affine form leaves
        unseen, and by the velocities of nodes that stick, which are round-off.
        """
        b, o, f, before = self.bodies, self.options, self.frame, self.before
        v, free, S6, dt = self.start().motion
        node, slot, body, P, A = f.contacts
        rate = 1.0 / (o.theta * dt + b.eta)
        operator = SoleDelassus.unchecked(
            b.compliances, rate, node, P, f.geometry, o.theta * dt * S6, body, A
        )
        q, start = np.empty((2, len(node), 3))
        nodes = NodeArrays(before.displacement, before.elastic, before.status, f.near.gaps)
        pose_problem(
            packed(f.contacts), packed(nodes), f.forces, f.earlier, rate,
            v + o.theta * (free - v), dt, o.push_out, b.compliances.diagonal, operator.support,
            packed(PosedArrays(q, start, np.empty(len(node), np.int64))),
        )  # fmt: skip
        problem = Problem.unchecked(operator, q, f.friction)
        moved = (self.after.displacement - before.displacement) / dt
        r = np.einsum("kab,kb->ka", P, self.after.forces[node, slot])
        u = np.einsum("kab,kb->ka", P, moved[node])
        u += np.einsum("kab,kb->ka", A, self.mean_twists.reshape(-1, 6)[body])
        u[:, 2] += f.near.gaps[node, slot] / dt
        scale = problem.rho * problem.size
        certificate = Certificate(
            natural_map=self.residual,
            signorini=self.residual,
            cone=0.0,
            dual_cone=self.residual,
            complementarity=problem.rho * float(np.abs((r * u).sum(axis=1)).sum()) / scale**2,
            finite=True,
        )
        solution = trusted(
            Solution,
            problem=problem,
            reactions=sealed(r),
            velocity=sealed(u),
            status=frozen(np.full(len(node), ContactStatus.STICK), np.int64),
            outcome=Outcome.SOLVED,
            certificate=certificate,
            method=METHOD,
            displacements=frozen((moved + rate[b.body, None] * before.displacement).ravel()),
        )
        return (solution,)
