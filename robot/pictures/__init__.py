"""Pictures and films of runs: stage, pressures, sheets of curves, two runs side by side."""

from robot.pictures.retiming_plot import draw_retiming
from robot.pictures.view_run import RunScene

__all__ = [
    "RunScene",
    "draw_retiming",
]
