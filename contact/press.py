"""The press test: a rigid foot on a compliant sole is pressed on the ground.

Exact Signorini and Coulomb at every tread vertex, in the deformed position; moments are taken
at the undeformed points (small displacements), so that sum f and sum x cross f are the wrench.
Friction depends on the path: the default is one proportional implicit increment from the
unstressed, unslipped reference configuration, in which the undeformed sole, parallel to the
ground's frame, just touches. Within an increment the tangential law acts on the displacement
of the deformed node since the increment began.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial

import numpy as np

from contact.equilibrium import check_load, explain
from contact.ground import Ground, Plane
from contact.increment import Control, Options, solve_increment
from contact.load import Load, Motion, Wrench, divided
from contact.solution import Certificate, ContactStatus
from contact.state import Setting, State, View, rotation_of
from contact.waiting import Progress
from sole.arrays import FloatArray, IntArray, frozen
from sole.condense import CondensedSole
from sole.errors import ConfigError, ConvergenceError

SLACK = 100.0  # a certificate may exceed the solver's tolerance by this factor (round-off)


@dataclass(frozen=True, eq=False, kw_only=True)
class PressResult:
    """A pressed sole; arrays are read-only, in the sole frame unless said otherwise.

    Parameters
    ----------
    sole : the condensed sole.
    ground, friction : what it was pressed on.
    path : the load at the end of every increment.
    contact_forces : (faces, m, 3) ground on sole [N], per solid of the ground.
    pose : (4, 4) sole to world.
    start : (m, 3) nodes at the start of the last increment, world [m].
    outer, sweeps, newton : work done.
    seed, tolerance : of the solver.
    """

    sole: CondensedSole
    ground: Ground
    friction: float
    path: tuple[Load, ...]
    contact_forces: FloatArray
    pose: FloatArray
    start: FloatArray
    outer: int = 0
    sweeps: int = 0
    newton: int = 0
    seed: int = 1
    tolerance: float = 1e-10
    certificate: Certificate = field(init=False)

    def __post_init__(self) -> None:
        for name in ("contact_forces", "pose", "start"):
            object.__setattr__(self, name, frozen(getattr(self, name)))
        object.__setattr__(self, "certificate", certify_press(self))

    @cached_property
    def view(self) -> View:
        """The state evaluated anew from forces and pose."""
        R = self.pose[:3, :3]
        place = self.pose[:3, 3] + R @ self.sole.origin
        setting = Setting(sole=self.sole, ground=self.ground, friction=self.friction)
        forces = self.contact_forces.reshape(-1, 3)
        return View(setting, State(forces=forces, rotation=R, place=place, start=self.start))

    @property
    def points(self) -> FloatArray:
        """(m, 3) undeformed tread vertices [m]."""
        return self.sole.points

    @cached_property
    def forces(self) -> FloatArray:
        """(m, 3) forces of the ground on the sole [N]."""
        return frozen(self.contact_forces.sum(axis=0))

    @cached_property
    def displacements(self) -> FloatArray:
        """(m, 3) elastic displacement C f relative to the rigid foot [m]."""
        return frozen(self.view.displacement)

    @cached_property
    def _leading(self) -> IntArray:
        """(m,) contact that carries most at every node, else the nearest."""
        m = len(self.points)
        r = self.view.reactions[:, 2].reshape(-1, m)
        gaps = self.view.gaps.reshape(-1, m)
        face = np.where(r.max(axis=0) > 0, r.argmax(axis=0), gaps.argmin(axis=0))
        return np.asarray(face * m + np.arange(m))

    @cached_property
    def frames(self) -> FloatArray:
        """(m, 3, 3) contact frames, rows t1, t2, n (n from the ground into the robot)."""
        return frozen(self.view.frames[self._leading])

    @cached_property
    def gap(self) -> FloatArray:
        """(m,) distance of the deformed nodes to the ground [m]."""
        return frozen(self.view.gaps[self._leading])

    @cached_property
    def slip(self) -> FloatArray:
        """(m, 2) tangential displacement over the last increment along (t1, t2) [m]."""
        return frozen(self.view.velocity[self._leading, :2])

    @cached_property
    def status(self) -> IntArray:
        """(m,) `ContactStatus`: open, stick or slip."""
        mu, rho = self.friction, self.view.setting.rho
        r, u = self.view.reactions[self._leading], self.view.velocity[self._leading]
        sliding = np.linalg.norm(r[:, :2] - rho * u[:, :2], axis=1) > mu * r[:, 2] * (1 + 1e-9)
        status = np.where(sliding, ContactStatus.SLIP, ContactStatus.STICK)
        return frozen(np.where(r[:, 2] > 0, status, ContactStatus.OPEN), np.int64)

    @cached_property
    def pressure(self) -> FloatArray:
        """(m,) normal force / lumped tread area [Pa]."""
        normal = self.view.reactions[self._leading, 2]
        return frozen(normal / self.sole.areas)

    @property
    def contact_area(self) -> float:
        """Tread area of the nodes that carry force [m^2]."""
        return float(self.sole.areas[self.status != ContactStatus.OPEN].sum())

    @property
    def wrench(self) -> FloatArray:
        """(6,) sum of nodal forces and moments about the projected origin [N, N m]."""
        return self.view.wrench

    @property
    def cop(self) -> FloatArray:
        """(2,) centre of pressure (-ty/fz, tx/fz) on the tread plane [m]; NaN without load."""
        w = self.wrench
        return np.array([-w[4], w[3]]) / w[2] if w[2] > 0 else np.full(2, np.nan)

    @property
    def motion(self) -> FloatArray:
        """(6,) motion from the reference in the axes of the ground's frame.

        (x, y, z) of the projected origin [m]; (roll, pitch, yaw) [rad], R = Rz(yaw) Ry(pitch)
        Rx(roll).
        """
        return _motion_vector(self.sole, self.ground, self.pose)

    @property
    def penetration(self) -> float:
        """How far the undeformed sole at this pose would reach into the ground [m]."""
        rigid = self.points @ self.pose[:3, :3].T + self.pose[:3, 3]
        gaps, _ = self.ground.gaps(rigid, self.start)
        return float(max(0.0, -gaps.min()))

    @property
    def energy(self) -> float:
        """Elastic energy f' C f / 2 [J]."""
        return float(np.vdot(self.forces, self.displacements)) / 2


def press(
    sole: CondensedSole,
    load: Load | Sequence[Load],
    ground: Ground | None = None,
    friction: float = 0.7,
    *,
    increments: int = 1,
    options: Options | None = None,
    start: PressResult | None = None,
    check: bool = True,
    progress: Progress | None = None,
) -> PressResult:
    """Press a sole on the ground and return the state of rest.

    Parameters
    ----------
    sole : the condensed sole.
    load : a `Wrench`, a `Motion`, or a path of them, one per increment.
    ground : default the plane z = 0.
    friction : Coulomb's mu >= 0, on every node.
    increments : equal parts of a single load.
    options : numerical options.
    start : a similar result whose forces and pose start the iteration (not the history).
    check : raise on failure; otherwise the best iterate comes back, see its `certificate`.
    progress : called as (increment, increments, residual) after every outer iteration.

    Raises
    ------
    EquilibriumError
        No state of rest exists; the message names the limit.
    ConvergenceError
        The result failed its own certificate; `best` holds it.
    """
    ground = Plane() if ground is None else ground
    options = Options() if options is None else options
    if not (np.isfinite(friction) and friction >= 0):
        raise ConfigError(f"friction must be finite and not negative, got {friction:g}")
    path = divided(load, increments) if isinstance(load, Wrench | Motion) else tuple(load)
    if not path:
        raise ConfigError("a path needs at least one load")
    setting = Setting(sole=sole, ground=ground, friction=float(friction))
    R0, c0 = reference(sole, ground)
    at_rest = setting.arms @ R0.T + c0
    state = State(forces=np.zeros((len(setting.node), 3)), rotation=R0, place=c0, start=at_rest)
    if start is not None and len(path) == 1 and start.contact_forces.size == state.forces.size:
        guess = start.view.state
        state = State(
            forces=guess.forces, rotation=guess.rotation, place=guess.place, start=at_rest
        )
    outer = sweeps = newton = 0
    for number, step in enumerate(path):
        control, state = _controlled(setting, state, step, R0, c0)
        if check:
            check_load(setting, step)
        tell = None if progress is None else partial(progress, number + 1, len(path))
        done = solve_increment(setting, state, control, options, tell)
        allowed = SLACK * max(options.tolerance, done.view.floor)
        if not done.error <= allowed and start is not None and len(path) == 1:
            return press(
                sole, path, ground, friction, options=options, check=check
            )  # a bad guess must not decide
        outer, sweeps, newton = outer + done.outer, sweeps + done.sweeps, newton + done.newton
        if check and not done.error <= allowed:
            explain(setting, state, step, done, options)
            result = _result(setting, path, done.view, outer, sweeps, newton, options)
            raise ConvergenceError(
                f"the press did not converge: residual {done.error:.1e} after {done.outer} outer "
                f"iterations, asked for {options.tolerance:.1e}; try more increments",
                best=result,
            )
        view = done.view
        s = view.state
        state = State(forces=s.forces, rotation=s.rotation, place=s.place, start=view.world)
    result = _result(setting, path, view, outer, sweeps, newton, options)
    if check and not result.certificate.holds(SLACK * max(options.tolerance, view.floor)):
        raise ConvergenceError(f"the press failed its check: {result.certificate}", best=result)
    return result


def reference(sole: CondensedSole, ground: Ground) -> tuple[FloatArray, FloatArray]:
    """(R, c) of the undeformed sole that just touches: c is the place of the projected origin."""
    R0 = ground.frame
    arms = sole.points - sole.origin
    rise = float((ground.height(arms[:, 0], arms[:, 1]) - arms[:, 2]).max())
    return R0, rise * R0[:, 2]


def motion_of(sole: CondensedSole, ground: Ground, pose: FloatArray) -> Motion:
    """Return the motion from the reference configuration to a `pose` (4, 4), sole to world.

    Raises
    ------
    ConfigError
        Not a rigid motion.
    """
    T = np.asarray(pose, dtype=float)
    rigid = T.shape == (4, 4) and np.allclose(T[3], [0, 0, 0, 1], atol=1e-9)
    if not (rigid and np.allclose(T[:3, :3].T @ T[:3, :3], np.eye(3), atol=1e-9)):
        raise ConfigError("a pose is a (4, 4) rigid motion: rotation, translation, row 0 0 0 1")
    x, y, z, roll, pitch, yaw = _motion_vector(sole, ground, T)
    return Motion(sink=-z, x=x, y=y, roll=roll, pitch=pitch, yaw=yaw)


def _motion_vector(sole: CondensedSole, ground: Ground, pose: FloatArray) -> FloatArray:
    R0, c0 = reference(sole, ground)
    R = R0.T @ pose[:3, :3]
    roll, yaw = np.arctan2(R[2, 1], R[2, 2]), np.arctan2(R[1, 0], R[0, 0])
    pitch = np.arctan2(-R[2, 0], np.hypot(R[2, 1], R[2, 2]))
    place = pose[:3, 3] + pose[:3, :3] @ sole.origin
    return np.concatenate([R0.T @ (place - c0), [roll, pitch, yaw]])


def _controlled(
    setting: Setting, state: State, step: Load, R0: FloatArray, c0: FloatArray
) -> tuple[Control, State]:
    """Return the control of an increment and its first state, moved if the foot is held."""
    if isinstance(step, Wrench):
        return Control(wrench=step.vector, free=setting.free), state
    s = step.vector
    turn = rotation_of(np.array([0, 0, s[5]])) @ rotation_of(np.array([0, s[4], 0]))
    turn = turn @ rotation_of(np.array([s[3], 0, 0]))
    return Control(), State(
        forces=state.forces, rotation=R0 @ turn, place=c0 + R0 @ s[:3], start=state.start
    )


def _result(
    setting: Setting,
    path: tuple[Load, ...],
    view: View,
    outer: int,
    sweeps: int,
    newton: int,
    options: Options,
) -> PressResult:
    R = view.state.rotation
    pose = np.eye(4)
    pose[:3, :3] = R
    pose[:3, 3] = view.state.place - R @ setting.sole.origin
    return PressResult(
        sole=setting.sole,
        ground=setting.ground,
        friction=setting.friction,
        path=path,
        contact_forces=view.state.forces.reshape(setting.ground.faces, -1, 3),
        pose=pose,
        start=view.state.start,
        outer=outer,
        sweeps=sweeps,
        newton=newton,
        seed=options.seed,
        tolerance=options.tolerance,
    )


def certify_press(result: PressResult) -> Certificate:
    """Recompute the residuals of a press from C, forces, pose and ground alone."""
    from contact import cone

    view, last = result.view, result.path[-1]
    r = view.reactions
    largest = float(np.abs(r).max(initial=0.0)) or 1.0
    wrench = last.vector if isinstance(last, Wrench) else None
    arrays = (r, view.velocity, result.pose, view.wrench)
    return Certificate(
        natural_map=view.residual,
        cone=float(cone.violation(r, result.friction).max(initial=0.0)) / largest,
        equilibrium=view.imbalance(wrench, view.setting.free),
        finite=all(bool(np.isfinite(a).all()) for a in arrays),
    )
