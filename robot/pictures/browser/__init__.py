"""Runs and running scenes as pages for a browser: one HTML text with data, code and style."""

from robot.pictures.browser.live_html import LivePage, live_page
from robot.pictures.browser.quantised import Quantised, pack, unpack
from robot.pictures.browser.run_html import RunPage, run_page

__all__ = [
    "LivePage",
    "Quantised",
    "RunPage",
    "live_page",
    "pack",
    "run_page",
    "unpack",
]
