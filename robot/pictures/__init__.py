"""Pictures and films of runs: stage, pressures, sheets of curves, two runs side by side."""

from typing import TYPE_CHECKING

from sole.base.lazy_door import load_later

if TYPE_CHECKING:
    from robot.pictures.retiming_plot import draw_retiming
    from robot.pictures.view_run import RunScene
else:
    __getattr__ = load_later(globals())

__all__ = [
    "RunScene",
    "draw_retiming",
]
