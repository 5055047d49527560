"""The simulator: a humanoid's dynamics with implicit joint servos on exact contact."""

from robot.simulator.couplings import Coupling
from robot.simulator.joined_steps import join_steps
from robot.simulator.servo import Command, Servo
from robot.simulator.simulator import (
    LONGEST,
    RobotState,
    SimStep,
    Simulator,
)
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

__all__ = [
    "DAMPING",
    "LONGEST",
    "STIFFNESS",
    "Command",
    "Coupling",
    "Push",
    "RobotState",
    "Servo",
    "SimStep",
    "Simulator",
    "Stops",
    "Surface",
    "Touching",
    "join_steps",
]
