"""A humanoid of ours whose bodies Drake steps and whose soles stand in through the bridge.

As `peers.mujoco_robot`: servos are implicit, joint damping kd + dt kp and the torque
tau_ff + kp (q_ref - q) + kd v_ref as actuation; no stops and no torque limits.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from contact.frames import rotation_of_quaternion
from contact.step import StepResult
from peers.engine_simulator import EngineSimulator, in_engine
from robot.bridge.drake import add_soles
from robot.model import export_urdf
from robot.simulator import RobotState
from robot.walk import Walk
from sole.base.arrays import FloatArray


def in_drake(walk: Walk) -> Walk:
    """Return the walk with Drake as its engine, settled anew."""
    return in_engine(walk, DrakeSimulator)


class DrakeSimulator(EngineSimulator):
    """A simulator whose step is a discrete update of Drake's MultibodyPlant."""

    def __init__(self, walk: Walk) -> None:
        from pydrake.multibody.parsing import Parser
        from pydrake.multibody.plant import MultibodyPlant
        from pydrake.systems.analysis import Simulator as Engine
        from pydrake.systems.framework import DiagramBuilder

        own, robot, dt = walk.simulator, walk.feet.robot, walk.scenario.dt
        super().__init__(walk)
        builder = DiagramBuilder()
        plant = builder.AddSystem(MultibodyPlant(dt))
        with tempfile.TemporaryDirectory() as folder:
            urdf, _ = export_urdf(robot, Path(folder, "robot.urdf"))
            Parser(plant).AddModels(str(urdf))
        damping = own.servo.kd + dt * own.servo.kp
        joints = [plant.GetJointByName(name) for name in robot.joints]
        for joint, d, inertia in zip(joints, damping, robot.armature, strict=True):
            joint.set_position_limits([-np.inf], [np.inf])
            joint.set_velocity_limits([-np.inf], [np.inf])
            joint.set_default_damping_vector([d])
            motor = plant.AddJointActuator(f"{joint.name()}_motor", joint)
            motor.set_default_gear_ratio(1.0)
            motor.set_default_rotor_inertia(inertia)
        plant.Finalize()
        self.places = np.array([j.position_start() for j in joints])
        self.dofs = np.array([j.velocity_start() for j in joints])
        self.motors = plant.MakeActuationMatrix()[self.dofs].argmax(axis=1)
        soles = add_soles(
            builder,
            plant,
            [plant.GetJointByName(name).child_body().name() for name in self.carriers],
            [t.body for t in own.touching],
            poses=self.poses,
            options=own.options,
        )
        self.port = builder.ExportInput(plant.get_actuation_input_port())
        builder.ConnectInput(self.port, soles.GetInputPort("actuation"))
        self.plant, self.soles, self.diagram = plant, soles, builder.Build()
        self.engine = Engine(self.diagram)
        self.count = 0

    def _advance(self, pull: FloatArray, dt: float) -> tuple[FloatArray, FloatArray, StepResult]:
        asked = np.zeros(len(pull))
        asked[self.motors] = pull
        self.diagram.GetInputPort(self.diagram.get_input_port(self.port).get_name()).FixValue(
            self.engine.get_mutable_context(), asked
        )
        self.count += 1  # times of Drake's updates, to the bit: a sum would run two at once
        self.engine.AdvanceTo(self.count * dt)
        done = self.soles.loop.last
        assert done is not None
        return *self._read(), done

    def _put(self, state: RobotState) -> None:
        (x, y, z, w), turn = state.q[3:7], rotation_of_quaternion(state.q[3:7])
        q, v = np.zeros(self.plant.num_positions()), np.zeros(self.plant.num_velocities())
        q[:4], q[4:7], q[self.places] = [w, x, y, z], state.q[:3], state.q[7:]
        v[:3], v[3:6], v[self.dofs] = turn @ state.v[3:6], turn @ state.v[:3], state.v[6:]
        context = self.diagram.CreateDefaultContext()
        context.SetTime(0.0)
        self.plant.SetPositionsAndVelocities(
            self.plant.GetMyMutableContextFromRoot(context), np.concatenate([q, v])
        )
        self.soles.put_soles(self.soles.GetMyMutableContextFromRoot(context), state.soles)
        self.engine.reset_context(context)
        self.count = 0
        self.engine.Initialize()

    def _read(self) -> tuple[FloatArray, FloatArray]:
        context = self.plant.GetMyContextFromRoot(self.engine.get_context())
        q, v = self.plant.GetPositions(context), self.plant.GetVelocities(context)
        w, x, y, z = q[:4] / np.linalg.norm(q[:4])
        turn = rotation_of_quaternion(np.array([x, y, z, w]))
        return (
            np.concatenate([q[4:7], [x, y, z, w], q[self.places]]),
            np.concatenate([turn.T @ v[3:6], turn.T @ v[:3], v[self.dofs]]),
        )
