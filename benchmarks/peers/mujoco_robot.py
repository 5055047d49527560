"""A humanoid of ours whose bodies MuJoCo steps and whose soles stand in through the bridge.

`MujocoSimulator` takes the place of a walk's simulator: the same controller, plan, recorder and
verdict, another engine. Servos are implicit as ours are: joint damping kd + dt kp, and the torque
tau_ff + kp (q_ref - q) + kd v_ref from outside. It has no stops and no torque limits; `beyond` is
the largest torque over its limit.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from contact.step import StepResult
from peers.engine_simulator import EngineSimulator, in_engine
from robot.bridge.mujoco import attach
from robot.model import RobotModel, export_urdf
from robot.simulator import RobotState
from robot.walk import Walk
from sole.base.arrays import FloatArray


def in_mujoco(walk: Walk) -> Walk:
    """Return the walk with MuJoCo as its engine, settled anew."""
    return in_engine(walk, MujocoSimulator)


def robot_in_mujoco(robot: RobotModel):
    """Return the MjSpec of a robot with a free base, through its URDF."""
    import mujoco

    with tempfile.TemporaryDirectory() as folder:
        urdf, _ = export_urdf(robot, Path(folder, "robot.urdf"))
        spec = mujoco.MjSpec.from_file(str(urdf))
    spec.worldbody.first_body().add_freejoint()
    return spec


class MujocoSimulator(EngineSimulator):
    """A simulator whose step is MuJoCo's."""

    def __init__(self, walk: Walk) -> None:
        import mujoco

        own, robot, dt = walk.simulator, walk.feet.robot, walk.scenario.dt
        super().__init__(walk)
        spec = robot_in_mujoco(robot)
        spec.option.timestep, spec.option.gravity = dt, [0.0, 0.0, -9.81]
        self.engine = spec.compile()
        e = self.engine
        joints = [e.joint(name).id for name in robot.joints]
        self.places, self.dofs = e.jnt_qposadr[joints], e.jnt_dofadr[joints]
        e.jnt_limited[:] = 0
        e.geom_contype[:], e.geom_conaffinity[:] = 0, 0
        e.dof_armature[self.dofs] = robot.armature
        e.dof_damping[self.dofs] = own.servo.kd + dt * own.servo.kp
        self.data = mujoco.MjData(e)
        self.soles = attach(
            e,
            self.data,
            [e.body(e.jnt_bodyid[e.joint(name).id]).name for name in self.carriers],
            [t.body for t in own.touching],
            pose=self.poses,
            options=own.options,
        )
        self.mismatch = 0.0

    def _advance(self, pull: FloatArray, dt: float) -> tuple[FloatArray, FloatArray, StepResult]:
        import mujoco

        mujoco.mj_step1(self.engine, self.data)
        self.data.qfrc_applied[self.dofs] = pull
        self.soles.apply()
        mujoco.mj_step2(self.engine, self.data)
        self.mismatch = max(self.mismatch, self.soles.mismatch)
        done = self.soles.last
        assert done is not None
        return *self._read(), done

    def _put(self, state: RobotState) -> None:
        d, (x, y, z, w) = self.data, state.q[3:7]
        d.qpos[:7], d.qpos[self.places] = [*state.q[:3], w, x, y, z], state.q[7:]
        d.qvel[:3], d.qvel[3:6] = _turn(state.q) @ state.v[:3], state.v[3:6]
        d.qvel[self.dofs], d.time = state.v[6:], state.time
        self.soles.reset(state.soles)

    def _read(self) -> tuple[FloatArray, FloatArray]:
        d = self.data
        w, x, y, z = d.qpos[3:7]
        q = np.concatenate([d.qpos[:3], [x, y, z, w], d.qpos[self.places]])
        v = np.concatenate([_turn(q).T @ d.qvel[:3], d.qvel[3:6], d.qvel[self.dofs]])
        return q, v


def _turn(q: FloatArray) -> FloatArray:
    """Return the rotation (3, 3) of the base."""
    from contact.frames import rotation_of_quaternion

    return np.asarray(rotation_of_quaternion(q[3:7]))
