"""The same rigid scenes in MuJoCo: a robot on the corners of its feet, a box on its corners.

Contact as hard and as exact as MuJoCo's documentation allows: elliptic cones, Newton's method, a
time constant of 2 dt, an impedance of 0.9999; corners are spheres of 1e-5 m.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

RADIUS = 1e-5  # m


class Peer:
    """A compiled scene with one floating base."""

    def __init__(self, spec) -> None:
        import mujoco

        self.api, self.model = mujoco, spec.compile()
        self.data = mujoco.MjData(self.model)
        self.base = self.model.jnt_bodyid[0]
        self.joints, self.bodies = [], []

    def step(self) -> None:
        self.api.mj_step(self.model, self.data)

    def put(self, height, R, velocity) -> None:
        """Place a box; velocity in the world."""
        q = np.zeros(4)
        self.api.mju_mat2Quat(q, np.ravel(R))
        self.data.qpos[:7] = [0.0, 0.0, height, *q]
        self.data.qvel[:3] = velocity

    @property
    def place(self) -> np.ndarray:
        return self.data.qpos[:3].copy()

    @property
    def rotation(self) -> np.ndarray:
        R = np.zeros(9)
        self.api.mju_quat2Mat(R, self.data.qpos[3:7])
        return R.reshape(3, 3)

    @property
    def angles(self) -> np.ndarray:
        return self.data.qpos[[self.model.jnt_qposadr[j] for j in self.joints]]

    def feet(self):
        """Force (3,) and centre of pressure (2,) of every foot, of the step just made."""
        return [self._touch(body) for body in self.bodies]

    def force(self) -> np.ndarray:
        """Contact force on the base (3,)."""
        return self._touch(self.base)[0]

    def _touch(self, body):
        total, moment, wrench = np.zeros(3), np.zeros(2), np.zeros(6)
        for k in range(self.data.ncon):
            contact = self.data.contact[k]
            if body in self.model.geom_bodyid[contact.geom]:
                self.api.mj_contactForce(self.model, self.data, k, wrench)
                f = contact.frame.reshape(3, 3).T @ wrench[:3]
                total += f
                moment += f[2] * contact.pos[:2]
        return total, moment / total[2] if total[2] else moment


def standing(robot, corners, kp, kd, dt: float, folder: Path) -> Peer:
    """A robot, exported as URDF, on `corners` (4, 3) of its soles; its joints on springs."""
    import mujoco

    from robot.model import export_urdf

    urdf, _ = export_urdf(robot, folder / "robot.urdf")
    spec = mujoco.MjSpec.from_file(str(urdf))
    for geom in list(spec.geoms):
        spec.delete(geom)
    spec.worldbody.first_body().add_freejoint()
    soft = _world(spec, dt, 0.7)
    for foot, points in zip(robot.feet, corners, strict=True):
        T = np.array(foot.sole_to_joint)
        for x in points:
            place = T[:3, :3] @ x + T[:3, 3] + RADIUS * T[:3, 2]
            _sphere(spec.body(foot.link), place, soft)
    peer = Peer(spec)
    model, data = peer.model, peer.data
    peer.joints = [model.joint(name).id for name in robot.joints]
    peer.bodies = [model.body(foot.link).id for foot in robot.feet]
    dofs = [model.jnt_dofadr[j] for j in peer.joints]
    angles = [model.jnt_qposadr[j] for j in peer.joints]
    model.jnt_limited[:] = 0
    model.jnt_stiffness[peer.joints], model.dof_damping[dofs] = kp, kd
    model.dof_armature[dofs], model.qpos_spring[angles] = robot.armature, robot.q0[7:]
    x, y, z, w = robot.q0[3:7]
    data.qpos[:7] = [*robot.q0[:3], w, x, y, z]
    data.qpos[angles] = robot.q0[7:]
    return peer


def box(points, mass: float, inertia, friction: float, dt: float) -> Peer:
    """A free box of given corners."""
    import mujoco

    spec = mujoco.MjSpec()
    soft = _world(spec, dt, friction)
    body = spec.worldbody.add_body(mass=mass, inertia=inertia, explicitinertial=True)
    body.add_freejoint()
    for x in points:
        _sphere(body, x, soft)
    return Peer(spec)


def _world(spec, dt: float, friction: float):
    import mujoco

    option = spec.option
    option.timestep, option.gravity = dt, [0.0, 0.0, -9.81]
    option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    option.iterations, option.tolerance, option.impratio = 200, 1e-12, 100.0
    soft = {
        "friction": [friction, 0.0, 0.0],
        "condim": 3,
        "solref": [2 * dt, 1.0],
        "solimp": [0.9999, 0.9999, 1e-4, 0.5, 2.0],
    }
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[3.0, 3.0, 0.1], **soft)
    return soft


def _sphere(body, place, soft) -> None:
    import mujoco

    body.add_geom(
        type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[RADIUS, 0.0, 0.0], pos=place, mass=0.0, **soft
    )
