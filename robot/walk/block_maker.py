"""What a walk asks of a fast form of many of its ticks: `robot.fused.TickBlocks`."""

from __future__ import annotations

from math import inf
from typing import Any, Protocol

from robot.control import Sensed
from robot.simulator import Command, RobotState, SimStep

AHEAD = 32  # ticks of a block


class TickBlock(Protocol):
    """Some steps of a walk, made together."""

    count: int

    def state(self, k: int) -> RobotState:
        """Return the state after step k."""

    def step(self, k: int) -> SimStep:
        """Return step k."""

    def command(self, k: int) -> Command:
        """Return the command of step k."""


class BlockMaker(Protocol):
    """Makes blocks: a fast form of many ticks of a walk."""

    def next(self, state: RobotState, sensed: Sensed, most: float = inf) -> TickBlock | None:
        """Return the block that begins with a state, of at `most` so many ticks; None: none."""

    def sensed(self, block: Any, k: int) -> Sensed:
        """Return what is known after step k of a block."""
