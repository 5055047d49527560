"""The simulator: a humanoid's dynamics with implicit joint servos on exact contact."""

from typing import TYPE_CHECKING

from sole.base.lazy_door import load_later

if TYPE_CHECKING:
    from robot.simulator.buffer_step import BufferSimStep, leading_block
    from robot.simulator.cascade import JointCascade
    from robot.simulator.couplings import Coupling
    from robot.simulator.dynamics import Dynamics, Snapshot
    from robot.simulator.dynamics_kernels import RobotTerms, complete_terms, find_terms
    from robot.simulator.joined_steps import join_steps
    from robot.simulator.joint_forces_kernels import (
        SATURATED,
        STOPPING,
        TORQUES,
        TRIALS,
        make_first_guess,
        settle_guess,
    )
    from robot.simulator.joint_space_kernels import (
        condense_robot,
        double_energy,
        follow_wrenches,
        measure_motion,
    )
    from robot.simulator.penalty_step import PenaltyStep
    from robot.simulator.robot_step import NO_WORK, RobotState, SimStep, Work
    from robot.simulator.servo import LONGEST, Command, Servo
    from robot.simulator.simulator import Simulator
    from robot.simulator.stops import DAMPING, STIFFNESS, Stops
    from robot.simulator.touching import Push, Surface, Touching
else:
    # Later: at once, commands that need no steps would import this, too.
    __getattr__ = load_later(globals())

__all__ = [
    "DAMPING",
    "LONGEST",
    "NO_WORK",
    "SATURATED",
    "STIFFNESS",
    "STOPPING",
    "TORQUES",
    "TRIALS",
    "BufferSimStep",
    "Command",
    "Coupling",
    "Dynamics",
    "JointCascade",
    "PenaltyStep",
    "Push",
    "RobotState",
    "RobotTerms",
    "Servo",
    "SimStep",
    "Simulator",
    "Snapshot",
    "Stops",
    "Surface",
    "Touching",
    "Work",
    "complete_terms",
    "condense_robot",
    "double_energy",
    "find_terms",
    "follow_wrenches",
    "join_steps",
    "leading_block",
    "make_first_guess",
    "measure_motion",
    "settle_guess",
]
