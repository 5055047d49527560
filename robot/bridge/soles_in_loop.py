"""Condensed soles in a simulation loop that is not ours.

A loop that knows its inertia M, its generalised force f without contact, and the Jacobians J of
its feet gets the wrenches w of the soles for a step of dt:

    S6 = J M^-1 J',     v_free = v + dt M^-1 f,     M (v+ - v) = dt (f + J'w),     q+ = q (+) dt v+.

The contact step (`contact.step`) sees nothing else of the engine. All feet are solved together: a
wrench on one foot moves the others through M. With theta = 1 the soles follow the velocity at the
end of the step, as semi-implicit Euler does.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from contact.constants import check_time_step
from contact.ground import Ground, Plane
from contact.step import Body, SoleState, StepMotion, StepOptions, StepResult
from contact.swept_step import fast_step
from robot.simulator import LONGEST
from sole.base.arrays import FloatArray
from sole.base.errors import SoleError
from sole.condense import CondensedSole

__all__ = ["SolesInLoop"]


class SolesInLoop:
    """Soles of B feet, stepped by a loop of the user.

    Parameters
    ----------
    soles : of the feet, or bodies with friction and eta of their own (`contact.step.Body`).
    dt : time step of the loop [s].
    ground : what the feet touch; None: the plane z = 0.
    options : of the contact step.

    Attributes
    ----------
    state : of the soles at the start of the next step; `state.arrays()` saves it.
    last : result of the last step, None before the first.

    Raises
    ------
    SoleError
        dt is no time step.
    """

    def __init__(
        self,
        soles: Sequence[CondensedSole | Body],
        dt: float,
        ground: Ground | None = None,
        options: StepOptions | None = None,
    ) -> None:
        check_time_step(dt, LONGEST)
        bodies = [b if isinstance(b, Body) else Body.of(b) for b in soles]
        self.dt = float(dt)
        self.stepper = fast_step(bodies, Plane() if ground is None else ground, options)
        self.state: SoleState = self.stepper.start()
        self.last: StepResult | None = None

    def wrenches(
        self, M: FloatArray, f: FloatArray, v: FloatArray, J: FloatArray, poses: FloatArray
    ) -> FloatArray:
        """Step the soles by dt; return the wrenches w (B, 6) of the ground, in the feet's axes.

        Parameters
        ----------
        M : (n, n) inertia, with whatever the engine integrates implicitly. f : (n,) force without
            contact. v : (n,) velocity.
        J : (6B, n) twists of the sole frames, linear part first, in their own axes.
        poses : (B, 4, 4) of the sole frames, foot to world [m].

        Raises
        ------
        SoleError
            Arrays do not fit, or M is not positive definite.
        """
        done = self.try_step(M, f, v, J, poses)
        self.state, self.last = done.state, done
        return done.wrenches

    def try_step(
        self, M: FloatArray, f: FloatArray, v: FloatArray, J: FloatArray, poses: FloatArray
    ) -> StepResult:
        """Return the step of `wrenches` and keep the state before it."""
        from scipy.linalg import lapack

        J, poses = np.asarray(J, dtype=float), np.asarray(poses, dtype=float)
        n, rows = len(v), 6 * self.stepper.bodies.count
        got = np.shape(M), np.shape(f), np.shape(J), poses.shape
        if got != ((n, n), (n,), (rows, n), (rows // 6, 4, 4)):
            raise SoleError(
                f"M, f, J and poses have shapes {got}, expected {(n, n)}, {(n,)}, {(rows, n)} and "
                f"{(rows // 6, 4, 4)}"
            )
        L, failed = lapack.dpotrf(np.asarray(M, dtype=float), lower=1)
        if failed:
            raise SoleError("the inertia matrix M is not positive definite")
        Y, _ = lapack.dtrtrs(L, np.column_stack([J.T, self.dt * np.asarray(f)]), lower=1)
        G, z = Y[:, :rows], Y[:, rows]
        twists = J @ v
        motion = StepMotion(twists, twists + G.T @ z, G.T @ G, self.dt)
        return self.stepper.step(self.state, poses[:, :3, :3], poses[:, :3, 3], motion)
