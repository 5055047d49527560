"""Contact problems of a walking robot, recorded step by step from a small simulation.

A 58 kg, HRP-2-like robot (published size and masses, guessed inertias, two legs of six joints
under a rigid trunk) stands in half-sitting posture under implicit joint control; a box pad
0.23 x 0.13 x 0.02 m, nu 0.4, condensed with quadratic tetrahedra, is under each foot. One step
of 1 ms solves

    u = W r + q,   W = P (C / dt + G S G') P',   S = dt J M^-1 J',
    q = P (G J (v + dt M^-1 (tau - h)) - U / dt) + (U_n + g) n / dt,

eta = 0, g the gap of the undeformed node: nothing of `contact.step`, so that the problems do
not depend on it. Every record keeps the forces of the two steps before, from which everybody
gets the same warm start, r + (r - r_before).
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from contact.problem import Compliances, Problem, SoleDelassus
from contact.solvers import GaussSeidel
from sole.base.arrays import FloatArray, IntArray
from sole.condense import CondensedSole, condense
from sole.material import Material

DT = 1e-3  # s
FRICTION = 0.7
NEAR = 5e-4  # m: nodes that would come closer than this without forces are contacts
KP = np.tile([1e4, 1e4, 1e4, 1e4, 800.0, 800.0], 2)  # joints [N m/rad]; soft ankles: flat feet
KD = np.tile([200.0, 200.0, 200.0, 200.0, 20.0, 20.0], 2)  # N m s/rad
ARMATURE = 0.15  # kg m^2
CELLS = {20: (4, 3, 2), 50: (9, 4, 2), 104: (12, 7, 2), 300: (24, 11, 2)}  # nodes of a foot
STATES = ("touchdown", "double support", "sliding")


@dataclass(frozen=True, eq=False, kw_only=True)
class Recorded:
    """One time step: the problem, and the forces one and two steps before (K, 3) [N]."""

    nodes: int  # of a foot
    young: float  # Pa
    state: str
    time: float  # s
    problem: Problem
    last: FloatArray
    before: FloatArray

    @property
    def start(self) -> FloatArray:
        """Return the warm start, the same for all solvers."""
        return 2 * self.last - self.before


@lru_cache
def pad(nodes: int) -> CondensedSole:
    """Return the pad with E = 1 MPa and `nodes` vertices on its tread."""
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
    from box_mesh import box_mesh

    mesh = box_mesh(0.23, 0.13, 0.02, CELLS[nodes])
    return condense(mesh, Material(young_modulus=1e6, poisson_ratio=0.4), "p2")


# ---------------------------------------------------------------- the robot


@lru_cache
def robot() -> tuple[Any, tuple[int, int], FloatArray]:
    """Return (pinocchio model, frames of the two tread centres, half-sitting configuration)."""
    import pinocchio as pin

    model = pin.Model()

    def body(joint: int, mass: float, size: tuple[float, ...], centre: tuple[float, ...]) -> None:
        inertia = pin.Inertia.FromBox(mass, *size)
        inertia.lever = np.array(centre)
        model.appendBodyToJoint(joint, inertia, pin.SE3.Identity())

    root = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "trunk")
    body(root, 37.0, (0.25, 0.40, 0.80), (0.0, 0.0, 0.30))
    soles = []
    for side in (1.0, -1.0):
        joint, offset = root, (0.0, 0.06 * side, 0.0)
        chain = (
            ("RZ", (0.0, 0.06 * side, 0.0), 0.5, (0.08, 0.08, 0.08), (0.0, 0.0, 0.0)),
            ("RX", (0.0, 0.0, 0.0), 1.0, (0.10, 0.10, 0.10), (0.0, 0.0, 0.0)),
            ("RY", (0.0, 0.0, 0.0), 4.5, (0.14, 0.14, 0.30), (0.0, 0.0, -0.15)),
            ("RY", (0.0, 0.0, -0.30), 2.5, (0.10, 0.10, 0.30), (0.0, 0.0, -0.15)),
            ("RY", (0.0, 0.0, -0.30), 0.5, (0.06, 0.06, 0.06), (0.0, 0.0, 0.0)),
            ("RX", (0.0, 0.0, 0.0), 1.5, (0.23, 0.13, 0.05), (0.02, 0.0, -0.06)),
        )
        for k, (axis, offset, mass, size, centre) in enumerate(chain):
            kind = getattr(pin, f"JointModel{axis}")()
            place = pin.SE3(np.eye(3), np.array(offset))
            joint = model.addJoint(joint, kind, place, f"leg{side:+.0f}_{k}")
            body(joint, mass, size, centre)
        tread = pin.SE3(np.eye(3), np.array([0.02, 0.0, -0.105]))
        frame = pin.Frame(f"sole{side:+.0f}", joint, tread, pin.FrameType.OP_FRAME)
        soles.append(model.addFrame(frame))
    model.armature = np.r_[np.zeros(6), ARMATURE + DT * KD + DT * DT * KP]
    bend = 0.45
    leg = np.array([0.0, 0.0, -bend, 2 * bend, -bend, 0.0])
    q = np.r_[np.zeros(6), 1.0, leg, leg]
    data = model.createData()
    pin.framesForwardKinematics(model, data, q)
    q[2] = -data.oMf[soles[0]].translation[2]  # the treads at z = 0
    return model, (soles[0], soles[1]), q


# ---------------------------------------------------------------- the simulation


@dataclass
class Simulation:
    """State of the robot and its soles; `step` advances by DT and returns what it solved."""

    sole: CondensedSole
    young: float
    q: FloatArray
    v: FloatArray
    friction: float = FRICTION
    towed: bool = False

    def __post_init__(self) -> None:
        self.model, self.frames, _ = robot()
        self.data = self.model.createData()
        self.target = self.q[7:].copy()
        m = len(self.sole.points)
        self.x = self.sole.points - self.sole.origin
        self.compliances = Compliances.of([self.sole.compliance, self.sole.compliance])
        self.geometry = np.vstack([self.sole.geometry] * 2)
        self.soft = 1e6 / self.young  # C is that of 1 MPa
        self.forces = np.zeros((2, 2 * m, 3))  # last step and the one before, axes of the feet
        self.time = 0.0

    def harness(self) -> FloatArray:
        """Return the pull at the ground that keeps a robot sliding upright: mu m g, or zero."""
        tau = np.zeros(self.model.nv)
        if self.towed:
            import pinocchio as pin

            trunk = pin.XYZQUATToSE3(self.q[:7])
            v = trunk.rotation @ self.v[:3]
            weight = 9.81 * sum(i.mass for i in self.model.inertias)
            pull = np.array([v[0], v[1], 0.0]) * self.friction * weight / np.hypot(v[0], v[1])
            arm = np.array([0.0, 0.0, -trunk.translation[2]])
            tau[:3] = trunk.rotation.T @ pull
            tau[3:6] = trunk.rotation.T @ np.cross(arm, pull)
        return tau

    def step(self) -> tuple[Problem, IntArray, FloatArray]:
        """Return (problem, node of every contact, frames P); the state is then a step later."""
        import pinocchio as pin

        model, data, m = self.model, self.data, len(self.x)
        pin.computeAllTerms(model, data, self.q, self.v)
        pin.updateFramePlacements(model, data)
        M = np.triu(data.M) + np.triu(data.M, 1).T
        tau = self.harness()
        tau[6:] = KP * (self.target - self.q[7:] - DT * self.v[6:]) - KD * self.v[6:]
        J = np.vstack([pin.getFrameJacobian(model, data, f, pin.LOCAL) for f in self.frames])
        inverse = np.linalg.inv(M)
        free = self.v + DT * inverse @ (tau - data.nle)
        S = DT * J @ inverse @ J.T
        S = (S + S.T) / 2
        twist = (J @ free).reshape(2, 6)
        R = np.array([data.oMf[f].rotation for f in self.frames])
        place = np.array([data.oMf[f].translation for f in self.frames])
        U = self.soft * self.compliances.apply(self.forces[0].ravel()).reshape(2, m, 3)
        G = self.sole.geometry.reshape(m, 3, 6)
        moved = np.einsum("mai,si->sma", G, twist)
        u = np.einsum("sab,smb->sma", R, moved - U / DT).reshape(-1, 3)
        lifted = np.einsum("sab,smb->sma", R, U)[..., 2].ravel()
        gap = (np.einsum("sab,mb->sma", R, self.x) + place[:, None])[..., 2].ravel()
        u[:, 2] += (lifted + gap) / DT
        near = np.flatnonzero(u[:, 2] * DT < NEAR)
        frames = R[near // m]
        W = SoleDelassus(
            compliances=self.compliances,
            scale=np.full(2, self.soft / DT),
            node=near,
            frames=frames,
            geometry=self.geometry,
            support=S,
        )
        problem = Problem(W, u[near], np.asarray(self.friction))
        start = np.einsum("kab,kb->ka", frames, (2 * self.forces[0] - self.forces[1])[near])
        solution = GaussSeidel(tolerance=1e-10, max_sweeps=3000).solve(problem, start)
        if solution.certificate.worst > 1e-8:
            raise RuntimeError(f"{self.young:g} Pa, t = {self.time:g} s: {solution.certificate}")
        f = W.nodal(solution.reactions)
        wrench = W.wrenches(f)
        self.forces[1] = self.forces[0]
        self.forces[0] = f.reshape(-1, 3)
        self.v = free + DT * inverse @ (J.T @ wrench)
        self.q = pin.integrate(model, self.q, DT * self.v)
        self.time += DT
        return problem, near, frames


def begin(nodes: int, young: float, state: str) -> Simulation:
    """Return the robot just before the recording."""
    import pinocchio as pin

    model, _, q = robot()
    sole = pad(nodes)
    q, v = q.copy(), np.zeros(model.nv)
    if state == "touchdown":  # rolled and pitched: one foot first, heel or toe first
        tilt = pin.SE3(pin.rpy.rpyToMatrix(0.010, 0.015, 0.0), np.zeros(3))
        q[:7] = pin.SE3ToXYZQUAT(tilt * pin.XYZQUATToSE3(q[:7]))
        q[2] += 0.0042
        v[2], v[0] = -0.20, 0.05
        return Simulation(sole, young, q, v)
    weight = 9.81 * sum(i.mass for i in model.inertias)
    q[2] -= weight / 2 / (sole.foot_stiffness[2, 2] * young / 1e6)
    still = Simulation(sole, young, q, v)
    for _ in range(60):
        still.step()
        still.v *= 0.9  # to rest
    if state == "sliding":  # a push at the waist, with some turning
        still.v[:6] += np.array([0.45, 0.12, 0.0, 0.0, 0.0, 0.8])
        still.friction, still.towed = 0.4, True
    else:  # swaying: sideways and forwards
        still.v[:2] += (0.05, 0.08)
    return still


def record(nodes: int, young: float, state: str, count: int = 8, span: int = 24) -> list[Recorded]:
    """Simulate `span` steps from the first with force; keep `count` of them, evenly spread."""
    run, kept, loaded = begin(nodes, young, state), [], -1
    wanted = {int((i + 0.5) * span / count) for i in range(count)}
    while loaded < max(wanted):
        last, before, time = run.forces[0].copy(), run.forces[1].copy(), run.time
        problem, near, frames = run.step()
        loaded += loaded >= 0 or bool(run.forces[0].any())
        if time > 0.2:
            raise RuntimeError("the robot found no ground")
        if loaded in wanted:
            turned = [np.einsum("kab,kb->ka", frames, f[near]) for f in (last, before)]
            kept.append(
                Recorded(
                    nodes=nodes,
                    young=young,
                    state=state,
                    time=time,
                    problem=problem,
                    last=turned[0],
                    before=turned[1],
                )
            )
    return kept


def fresh(problem: Problem) -> Problem:
    """Return a fresh copy of the problem without cached results."""
    W = problem.operator
    assert isinstance(W, SoleDelassus)
    fields = ("compliances", "scale", "node", "frames", "geometry", "support")
    operator = SoleDelassus(**{name: getattr(W, name) for name in fields})
    return Problem(operator, problem.offset, problem.friction)
