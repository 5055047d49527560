"""The simulator: a humanoid's dynamics with implicit joint servos on exact contact."""

from typing import TYPE_CHECKING

from sole.base.lazy_door import load_later

if TYPE_CHECKING:
    from robot.simulator.buffer_step import BufferSimStep
    from robot.simulator.cascade import JointCascade
    from robot.simulator.couplings import Coupling
    from robot.simulator.dynamics_kernels import complete_terms, find_terms
    from robot.simulator.fused_kernels import FUSED, LIMITED, begin_step, end_step
    from robot.simulator.fused_sheet import open_fused
    from robot.simulator.joined_steps import join_steps
    from robot.simulator.joint_forces_kernels import SATURATED, TORQUES, TRIALS
    from robot.simulator.penalty_step import PenaltyStep
    from robot.simulator.robot_step import RobotState, SimStep
    from robot.simulator.servo import LONGEST, Command, Servo
    from robot.simulator.simulator import Simulator
    from robot.simulator.step_block import BlockArrays, SolesAhead, StepBlock, leading_block
    from robot.simulator.stops import (
        DAMPING,
        STIFFNESS,
        Stops,
    )
    from robot.simulator.touching import (
        Push,
        Surface,
        Touching,
    )
else:
    # Later: at once, `sole walk MISSPELT` would import 290 modules more.
    __getattr__ = load_later(globals())

__all__ = [
    "DAMPING",
    "FUSED",
    "LIMITED",
    "LONGEST",
    "SATURATED",
    "STIFFNESS",
    "TORQUES",
    "TRIALS",
    "BlockArrays",
    "BufferSimStep",
    "Command",
    "Coupling",
    "JointCascade",
    "PenaltyStep",
    "Push",
    "RobotState",
    "Servo",
    "SimStep",
    "Simulator",
    "SolesAhead",
    "StepBlock",
    "Stops",
    "Surface",
    "Touching",
    "begin_step",
    "complete_terms",
    "end_step",
    "find_terms",
    "join_steps",
    "leading_block",
    "open_fused",
]
