"""Fast forms of the simulator and of walks: many ticks in one compiled call."""

from typing import TYPE_CHECKING

from sole.base.lazy_door import load_later

if TYPE_CHECKING:
    from robot.fused.buffer_senses import BufferSenses
    from robot.fused.fused_sheet import open_fused
    from robot.fused.short_ways import fast_simulator
    from robot.fused.step_block import StepBlock
    from robot.fused.tick_blocks import TickBlocks
else:
    # Later: at once, commands that need no steps would import this, too.
    __getattr__ = load_later(globals())

__all__ = [
    "BufferSenses",
    "StepBlock",
    "TickBlocks",
    "fast_simulator",
    "open_fused",
]
