"""Penalty contact in the simulator: the law of `contact.papers.penalty` instead of exact contact.

With A' = M' the inertia with the implicit part of the servos, D' = P G J the motion of the points
and B their acceleration at dv/dt = 0, equation (15) of [RengifoEtAl2009] reads

    P'' = W F + b,   W = P G S6 G' P',   b = P (G (v_free - v)/dt + B),   S6 = J M'^-1 J',

and F follows from gap and velocity at the start of the step by (17)-(20), explicit in time: the
law may sink, creep, chatter and gain energy, and needs kp dt^2 and kv dt well below 1. Points are
rigid. It replaces `contact.step.CompliantStep` by the same protocol (`contact.step.ContactStep`),
but without solutions and certificates, so no residual and no slip are recorded. Its `numerical`
energy is 0: the explicit step has no account of its losses and gains.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from contact.ground import Ground
from contact.papers.penalty import ContactSpace, PenaltyLaw, penalty_forces, saturate_forces
from contact.problem import ContactStatus
from contact.step import (
    Bodies,
    Body,
    SeveralGrounds,
    SoleState,
    StepEnergy,
    StepFrame,
    StepMotion,
    StepOptions,
    StepResult,
    look_at_ground,
    sum_contact_work,
    sum_nodal_forces,
)
from sole.base.arrays import FloatArray
from sole.base.compiled import packed
from sole.base.errors import ConfigError

SLIDING = 1e-9  # a force sticks if it is inside the cone by this share of mu f_n


class PenaltyStep:
    """The time step of rigid points under a penalty law.

    Parameters
    ----------
    bodies, ground : as for `contact.step.CompliantStep`; no body may have a compliance.
    law : kp, kv and epsilon; its friction is ignored, since bodies have their own.
    options : theta.
    """

    certified = False

    def __init__(
        self,
        bodies: Sequence[Body],
        ground: Ground | Sequence[Ground],
        law: PenaltyLaw,
        options: StepOptions,
    ) -> None:
        self.bodies, self.law, self.options = Bodies(bodies), law, options
        if not self.bodies.rigid.all():
            raise ConfigError("penalty contact needs rigid points: use bodies without compliance")
        grounds = [ground] * len(bodies) if isinstance(ground, Ground) else ground
        self.ground, self.surfaces = ground, SeveralGrounds(grounds, self.bodies)

    def start(self) -> SoleState:
        """Return the state of points that have never touched."""
        return SoleState.at_rest(self.bodies.nodes, self.surfaces.slots)

    def step(
        self,
        state: SoleState,
        rotations: FloatArray,
        places: FloatArray,
        motion: StepMotion,
        bias: Callable[[], FloatArray] | None = None,
    ) -> StepResult:
        """Step by `motion.dt`.

        Parameters
        ----------
        rotations, places : R (B, 3, 3), p (B, 3): body to world.
        motion : motion of the bodies, in their axes.
        bias : returns d(twist)/dt (6B,) at dv/dt = 0, likewise; None: 0.
        """
        b, theta, dt = self.bodies, self.options.theta, motion.dt
        twists, free_twists = motion.twists, motion.free_twists
        ahead = twists + theta * (free_twists - twists)
        none = np.zeros((b.nodes, self.surfaces.slots), dtype=np.bool_)
        R, p = np.ascontiguousarray(rotations), np.ascontiguousarray(places)
        frame = look_at_ground(b, self.surfaces, state, R, p, ahead, dt, none, -1.0)
        r, status = self._forces(frame, motion, bias)
        forces = np.zeros((*none.shape, 3))
        statuses = np.zeros(none.shape, np.int64)
        wrench = np.zeros(len(twists))
        f = np.zeros((b.nodes, 3))
        sum_nodal_forces(packed(frame.contacts), r, status, forces, statuses, f, wrench)
        new = free_twists + dt * (motion.inverse_inertia @ wrench)
        mean = theta * new + (1 - theta) * twists
        U = state.displacement
        friction, push = sum_contact_work(packed(frame.contacts), r, mean, U, U, dt)
        return StepResult(
            state=replace(
                state,
                forces=forces,
                earlier=frame.forces,
                outside=frame.outside,
                status=statuses,
                solid=frame.near.solid,
            ),
            wrenches=wrench.reshape(-1, 6),
            twists=new,
            mean_twists=mean,
            energy=StepEnergy(friction=friction, push=push, wrench=dt * float(wrench @ mean)),
            gaps=frame.near.gaps,
            nodes=frame.contacts.node,
            slots=frame.contacts.slot,
            frame=frame,
        )

    def _forces(
        self,
        frame: StepFrame,
        motion: StepMotion,
        bias: Callable[[], FloatArray] | None,
    ) -> tuple[FloatArray, NDArray[np.int64]]:
        """Return F (K, 3) in the contact frames and the status (K,) of the near contacts."""
        twists = motion.twists
        node, slot, owner, P, A = frame.contacts
        K, B = len(node), len(twists) // 6
        r, status = np.zeros((K, 3)), np.zeros(K, dtype=np.int64)
        gaps = frame.near.gaps[node, slot]
        near = np.flatnonzero(gaps <= 0)
        if not len(near):
            return r, status
        body = owner[near]
        blocks = np.zeros((len(near), 3, B, 6))
        blocks[np.arange(len(near)), :, body] = A[near]
        D = blocks.reshape(3 * len(near), 6 * B)
        b = D @ ((motion.free_twists - twists) / motion.dt + (0.0 if bias is None else bias()))
        v, w = twists.reshape(B, 2, 3)[body].transpose(1, 0, 2)
        # d(twist)/dt is spatial: the acceleration of a point at y adds omega x (v + omega x y)
        turning = _turned(w, v + _turned(w, frame.near.local[node[near]]))
        b += np.einsum("kab,kb->ka", P[near], turning).ravel()
        space = ContactSpace(D @ motion.inverse_inertia @ D.T, b)
        mu = frame.friction[near]
        required = self.require(space, gaps[near], (D @ twists).reshape(-1, 3), mu)
        pulled = np.hypot(required[:, 0], required[:, 1])
        r[near] = limit_forces(required, mu)
        slips = pulled > mu * np.maximum(0.0, required[:, 2]) * (1 + SLIDING)
        status[near] = np.where(slips, ContactStatus.SLIP, ContactStatus.STICK)
        status[near[r[near, 2] <= 0]] = ContactStatus.OPEN
        return r, status

    def require(
        self, space: ContactSpace, gaps: FloatArray, velocities: FloatArray, mu: FloatArray
    ) -> FloatArray:
        """Return F' (K, 3) of (18) before (19) and (20) limit it with `mu` (K,)."""
        return np.asarray(penalty_forces(self.law, space, gaps, velocities).required)


def limit_forces(required: FloatArray, mu: FloatArray) -> FloatArray:
    """Return F (K, 3) by (19), (20) with mu (K,) of every contact."""
    if mu.size and (mu == mu[0]).all():
        return np.asarray(saturate_forces(required, float(mu[0])))
    out = np.empty((len(required), 3))
    for one in np.unique(mu):
        out[mu == one] = saturate_forces(required[mu == one], float(one))
    return out


def _turned(w: FloatArray, x: FloatArray) -> FloatArray:
    """Return w x x of rows (K, 3); `numpy.cross` takes twice as long for a few."""
    return np.asarray(w[:, [1, 2, 0]] * x[:, [2, 0, 1]] - w[:, [2, 0, 1]] * x[:, [1, 2, 0]])
