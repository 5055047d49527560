"""Pages served from this machine: runs to play, and scenes that run and are touched."""

from typing import TYPE_CHECKING

from sole.base.lazy_door import load_later

if TYPE_CHECKING:
    from robot.live.device_pull import DevicePull
    from robot.live.hands_on_walk import HandsOnWalk
    from robot.live.live_sessions import PressSession, WalkSession
    from robot.live.page_server import Served, serve_page
    from robot.live.run_scene import LiveReports, run_scene_page
    from robot.live.shared_snapshot import SharedSnapshot
    from robot.live.told_on_terminal import run_and_tell, tell_address
else:
    # Later: at once, `sole live walk MISSPELT` would import 227 modules more.
    __getattr__ = load_later(globals())

__all__ = [
    "DevicePull",
    "HandsOnWalk",
    "LiveReports",
    "PressSession",
    "Served",
    "SharedSnapshot",
    "WalkSession",
    "run_and_tell",
    "run_scene_page",
    "serve_page",
    "tell_address",
]
