"""Pages served from this machine: runs to play, and scenes that run and are touched."""

from robot.live.live_session import LiveSession, live_walk
from robot.live.page_server import Served, serve_page
from robot.live.shared_snapshot import SharedSnapshot
from robot.live.simulator_process import Session

__all__ = [
    "LiveSession",
    "Served",
    "Session",
    "SharedSnapshot",
    "live_walk",
    "serve_page",
]
