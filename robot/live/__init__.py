"""Pages served from this machine: runs to play in a browser."""

from robot.live.page_server import Served, serve_page

__all__ = [
    "Served",
    "serve_page",
]
