"""The result of a step by the affine form: what few ask for is computed when it is asked for."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple

import numpy as np

from contact.problem import (
    Certificate,
    ContactStatus,
    Outcome,
    Problem,
    SoleDelassus,
    Solution,
)
from contact.solvers import StickRun
from contact.step.bodies import Bodies
from contact.step.look_kernels import fill_contact_frames, fill_rigid_geometry
from contact.step.options import StepOptions
from contact.step.pose_kernels import PosedArrays, pose_problem
from contact.step.several_grounds import SeveralGrounds
from contact.step.sheet_result import SheetStepResult
from contact.step.sole_state import SoleState
from contact.step.step_arrays import ContactArrays, NearArrays, NodeArrays, StepMotion
from contact.step.step_frame import StepFrame, look_near
from contact.step.stuck_state import StuckSoleState
from sole.base.arrays import FloatArray, IntArray, frozen, sealed, trusted
from sole.base.compiled import packed

METHOD = "affine"
NONE = np.zeros((0, 0), np.int64)


class StuckStart(NamedTuple):
    """The start of a step: R (B, 3, 3), p (B, 3), motion; the surfaces near it if known."""

    rotations: FloatArray
    places: FloatArray
    motion: StepMotion
    near: NearArrays | None


class StuckDetails(NamedTuple):
    """All that the details of a step follow from, besides its result; `start` is made by a call."""

    bodies: Bodies
    surfaces: SeveralGrounds
    options: StepOptions
    run: StickRun
    state: SoleState
    start: Callable[[], StuckStart]


class StuckStepResult(SheetStepResult):
    """The end of a step whose touching nodes all stick.

    Its `nodes` and `slots` are those that stick: all others were checked to stay open. Everything
    is computed, or taken from the sheet of the step, when asked for.
    """

    state: StuckSoleState
    maker: StuckDetails
    contacts = 0
    slips = False
    solved = True
    iterations = 0

    @property
    def positions(self) -> FloatArray:
        """See `StepResult.positions`."""
        return self.maker.bodies.points + self.maker.state.displacement

    @cached_property
    def nodes(self) -> IntArray:
        """(K,) that stick."""
        return np.flatnonzero(self.maker.run.base.group >= 0)

    @cached_property
    def slots(self) -> IntArray:
        """(K,) of their surfaces."""
        return np.asarray(self.maker.run.base.slot[self.nodes])

    @cached_property
    def frame(self) -> StepFrame:
        """The geometry at the start."""
        d = self.maker
        R, p, _, near = d.start()
        if near is None:
            _, near = look_near(d.bodies, d.surfaces, d.state, R.copy(), p.copy())
        node, slot, M = self.nodes, self.slots, d.bodies.nodes
        owner = np.ascontiguousarray(d.bodies.body[node])
        P, A, G = np.empty((len(node), 3, 3)), np.empty((len(node), 3, 6)), np.empty((3 * M, 6))
        seen = near._replace(rotations=near.rotations.copy(), solid=NONE)
        fill_contact_frames(node, slot, seen, d.bodies.body, P, A)
        fill_rigid_geometry(near.local, G)
        return StepFrame(
            near=near,
            contacts=ContactArrays(node, slot, owner, P, A),
            friction=d.bodies.friction[node],
            geometry=G,
            outside=self.state.outside,
            forces=d.state.forces,
            earlier=d.state.earlier,
            steady=d.state.steady,
        )

    @cached_property
    def gaps(self) -> FloatArray:
        """(M, S) at the start."""
        return self.frame.near.gaps

    @cached_property
    def solutions(self) -> tuple[Solution, ...]:
        """The one solution, with its problem.

        Its certificate bounds natural map and Signorini's law by what the affine form leaves
        unseen, and by the velocities of nodes that stick, which are round-off.
        """
        d, f = self.maker, self.frame
        b, o, (v, free, S6, dt) = d.bodies, d.options, d.start().motion
        node, slot, body, P, A = f.contacts
        rate = 1.0 / (o.theta * dt + b.eta)
        operator = SoleDelassus.unchecked(
            b.compliances, rate, node, P, f.geometry, o.theta * dt * S6, body, A
        )
        q, start = np.empty((2, len(node), 3))
        before = NodeArrays(d.state.displacement, d.state.elastic, d.state.status, f.near.gaps)
        pose_problem(
            packed(f.contacts), packed(before), f.forces, f.earlier, rate,
            v + o.theta * (free - v), dt, o.push_out, b.compliances.diagonal, operator.support,
            packed(PosedArrays(q, start, np.empty(len(node), np.int64))),
        )  # fmt: skip
        problem = Problem.unchecked(operator, q, f.friction)
        moved = (self.state.displacement - d.state.displacement) / dt
        r = np.einsum("kab,kb->ka", P, self.state.forces[node, slot])
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
            displacements=frozen((moved + rate[b.body, None] * d.state.displacement).ravel()),
        )
        return (solution,)
