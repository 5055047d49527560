"""A MuJoCo simulation whose feet stand on condensed soles.

MuJoCo steps semi-implicitly: v+ = v + dt M'^-1 (f + J'w), q+ = q (+) dt v+, with M' its inertia and
whatever its integrator treats implicitly:

    Euler           M' = M + dt diag(damping)
    implicitfast    M' = M - dt df/dv, f the passive and actuator forces

The contact step takes J6 M'^-1 J6' and the free velocity from these; its wrenches w go to
`xfrc_applied` of the feet. So both agree on v+ to round-off (`mismatch`), unless the engine has
constraints of its own. Those enter with the forces they have under the last wrenches: exact at
rest, one step late otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from contact.step import SoleState, StepResult
from robot.bridge.mujoco.feet import MujocoFoot
from robot.bridge.soles_in_loop import SolesInLoop
from sole.base.arrays import FloatArray, IntArray
from sole.base.errors import SoleError

Control = Callable[[Any, Any], None]
LATE = 1e-6  # of dt: times closer than this are the same


class MujocoSoles:
    """The soles of one MuJoCo simulation; made by `robot.bridge.mujoco.attach`.

    A step is one of

        soles.step(control)                              # the whole step
        mj_step1(m, d); ...; soles.apply(); mj_step2(m, d)
        with soles.installed(control): mj_step(m, d)     # as MuJoCo's control callback

    The soles own the rows of `data.xfrc_applied` of their feet and overwrite them in every step.

    Parameters
    ----------
    model, data : of MuJoCo. feet : with their soles. loop : the contact step.
    """

    def __init__(
        self, model: Any, data: Any, feet: Sequence[MujocoFoot], loop: SolesInLoop
    ) -> None:
        import mujoco

        self.model, self.data, self.feet, self.loop = model, data, tuple(feet), loop
        self._copy = mujoco.MjData(model)
        n = model.nv
        self._M, self._J = np.empty((n, n)), np.empty((6 * len(feet), n))
        self._part = np.empty((2, 3, n))
        self._geoms = np.concatenate([foot.geoms for foot in self.feet]).astype(int)
        self._own = [foot.body for foot in self.feet]
        self._wrenches = np.zeros((len(feet), 6))
        self._trial: StepResult | None = None
        self._time = float(data.time)
        self._ahead: tuple[FloatArray, FloatArray] | None = None
        self.mismatch = 0.0

    @property
    def wrenches(self) -> FloatArray:
        """Wrenches (B, 6) of the ground on the feet in the last step [N, N m].

        They are about the origins of the soles, in world axes.
        """
        return self._wrenches.copy()

    @property
    def forces(self) -> FloatArray:
        """Vertical forces (B,) on the feet in the last step [N]."""
        return self._wrenches[:, 2].copy()

    @property
    def last(self) -> StepResult | None:
        """The contact step behind the last wrenches: nodal forces, energy, certificate."""
        return self._trial

    def step(self, control: Control | None = None) -> None:
        """Make one step of MuJoCo; `control(model, data)` sets the controls in it."""
        import mujoco

        mujoco.mj_step1(self.model, self.data)
        if control is not None:
            control(self.model, self.data)
        self.apply()
        mujoco.mj_step2(self.model, self.data)

    @contextmanager
    def installed(self, control: Control | None = None) -> Iterator[None]:
        """Run inside `mj_step`, as MuJoCo's control callback; `control` is called before.

        MuJoCo has one such callback for all models; the one of before is put back in the end.
        """
        import mujoco

        def call(model: Any, data: Any) -> None:
            if data is not self.data:  # other simulations, and our own copies
                return
            if control is not None:
                control(model, data)
            self.apply()

        before = mujoco.get_mjcb_control()
        mujoco.set_mjcb_control(call)
        try:
            yield
        finally:
            mujoco.set_mjcb_control(before)

    def apply(self) -> None:
        """Compute the wrenches of the step from `data` on and write them to `xfrc_applied`.

        Positions, velocities and controls must be those of the step. Called twice for the same
        time, it starts from the same soles.

        Raises
        ------
        SoleError
            The time step, the integrator or the contacts of the engine changed; or the time of
            `data` jumped: then call `reset` or `restore`.
        """
        import mujoco

        model, data = self.model, self.data
        self._check()
        self._advance()
        data.xfrc_applied[self._own] = 0.0
        mujoco.mj_fwdActuation(model, data)
        mujoco.mj_fwdAcceleration(model, data)
        force = data.qfrc_smooth.copy()
        if data.nefc:
            self._write()
            mujoco.mj_fwdAcceleration(model, data)
            mujoco.mj_fwdConstraint(model, data)
            force += data.qfrc_constraint
        poses = self._look()
        done = self.loop.try_step(self._metric(), force, data.qvel, self._J, poses)
        turns = poses[:, :3, :3].transpose(0, 2, 1)
        self._wrenches = (done.wrenches.reshape(-1, 2, 3) @ turns).reshape(-1, 6)
        self._trial, self._ahead = done, (self._J.copy(), done.twists)
        self._write()

    def save(self) -> dict[str, FloatArray | IntArray]:
        """Return the state of engine and soles as arrays, for `np.savez`."""
        import mujoco

        kind = mujoco.mjtState.mjSTATE_INTEGRATION
        engine = np.empty(mujoco.mj_stateSize(self.model, kind))
        mujoco.mj_getState(self.model, self.data, engine, kind)
        self._advance()
        soles = {f"soles.{name}": a for name, a in self.loop.state.arrays().items()}
        return {"engine": engine, "wrenches": self.wrenches, **soles}

    def restore(self, arrays: Mapping[str, Any]) -> None:
        """Restore what `save` returned; the simulation goes on with the same bits.

        Raises
        ------
        SoleError
            An array is missing, or belongs to another model or sole.
        """
        import mujoco

        kind = mujoco.mjtState.mjSTATE_INTEGRATION
        size = mujoco.mj_stateSize(self.model, kind)
        missing = [name for name in ("engine", "wrenches") if name not in arrays]
        if missing:
            raise SoleError(f"state: {', '.join(missing)} missing: take what save() returned")
        engine = np.array(arrays["engine"], dtype=float)
        soles = SoleState.from_arrays(
            {name[6:]: arrays[name] for name in arrays if name.startswith("soles.")}
        )
        if engine.shape != (size,) or soles.status.shape != self.loop.state.status.shape:
            raise SoleError(
                f"state: it has {len(engine)} numbers of the engine and {soles.nodes} nodes, this "
                f"simulation {size} and {self.loop.state.nodes}: restore it with the same model"
            )
        mujoco.mj_setState(self.model, self.data, engine, kind)
        mujoco.mj_forward(self.model, self.data)
        mujoco.mj_setState(self.model, self.data, engine, kind)
        self._begin(soles, np.array(arrays["wrenches"], dtype=float))

    def reset(self, soles: SoleState | None = None) -> None:
        """Begin anew at the present state of `data`.

        `soles` : their state; None: undeformed soles that never touched.
        """
        state = self.loop.stepper.start() if soles is None else soles
        self._begin(state, np.zeros((len(self.feet), 6)))

    def _begin(self, soles: SoleState, wrenches: FloatArray) -> None:
        self.loop.state, self._wrenches = soles, wrenches
        self._trial, self._ahead, self._time = None, None, float(self.data.time)

    def _check(self) -> None:
        model, dt = self.model, self.loop.dt
        if model.opt.timestep != dt:
            raise SoleError(
                f"the time step of the model is {model.opt.timestep:g} s, that of the soles {dt:g} "
                "s: set model.opt.timestep before attach"
            )
        if self._geoms.size and (
            model.geom_contype[self._geoms].any() or model.geom_conaffinity[self._geoms].any()
        ):
            raise SoleError(
                "MuJoCo's own contacts of geoms above a sole are on again: leave their contype and "
                "conaffinity at 0, or they carry load next to the sole"
            )

    def _advance(self) -> None:
        """Keep the soles of the last step if the engine has made it."""
        t, dt = float(self.data.time), self.loop.dt
        if abs(t - self._time) <= LATE * dt:
            return
        if self._trial is None or abs(t - self._time - dt) > LATE * dt:
            raise SoleError(
                f"time went from {self._time:g} to {t:g} s, not by the step of {dt:g} s: after a "
                "reset of data call soles.reset() or soles.restore(state); call apply() in every "
                "step"
            )
        if self._ahead is not None:
            J, expected = self._ahead
            self.mismatch = float(np.abs(J @ self.data.qvel - expected).max())
        self.loop.state, self.loop.last, self._time = self._trial.state, self._trial, t
        self._ahead = None

    def _look(self) -> FloatArray:
        """Fill J and return the poses (B, 4, 4) of the soles."""
        import mujoco

        model, data = self.model, self.data
        poses = np.zeros((len(self.feet), 4, 4))
        for b, foot in enumerate(self.feet):
            pose = poses[b]
            turn = data.xmat[foot.body].reshape(3, 3)
            pose[:3, :3] = turn @ foot.pose[:3, :3]
            pose[:3, 3] = data.xpos[foot.body] + turn @ foot.pose[:3, 3]
            mujoco.mj_jac(model, data, self._part[0], self._part[1], pose[:3, 3], foot.body)
            into = self._J[6 * b : 6 * b + 6].reshape(2, 3, -1)
            np.matmul(pose[:3, :3].T, self._part, out=into)
        return poses

    def _metric(self) -> FloatArray:
        """Return M' (nv, nv)."""
        import mujoco

        model, data, M, dt = self.model, self.data, self._M, self.loop.dt
        mujoco.mj_fullM(model, data, M)
        if model.opt.integrator == mujoco.mjtIntegrator.mjINT_EULER:
            off = mujoco.mjtDisableBit.mjDSBL_EULERDAMP | mujoco.mjtDisableBit.mjDSBL_DAMPER
            if not model.opt.disableflags & off:
                M.ravel()[:: len(M) + 1] += dt * model.dof_damping
            return M
        # data.qDeriv is that of the step before: the engine fills it at the end of a step
        mujoco.mj_copyData(self._copy, model, data)
        mujoco.mj_implicit(model, self._copy)
        D = np.empty_like(M)
        df_dv = self._copy.qDeriv
        mujoco.mju_sparse2dense(D, df_dv, model.D_rownnz, model.D_rowadr, model.D_colind)
        return np.asarray(M - dt * (D + D.T) / 2)

    def _write(self) -> None:
        """Write the last wrenches to `xfrc_applied`, about the centres of mass."""
        import mujoco

        data, about = self.data, np.empty(3)
        for b, foot in enumerate(self.feet):
            f, moment = self._wrenches[b, :3], self._wrenches[b, 3:]
            turn = data.xmat[foot.body].reshape(3, 3)
            arm = data.xpos[foot.body] + turn @ foot.pose[:3, 3] - data.xipos[foot.body]
            data.xfrc_applied[foot.body, :3] = f
            mujoco.mju_cross(about, arm, f)  # a tenth of the time of numpy's
            data.xfrc_applied[foot.body, 3:] = moment + about
