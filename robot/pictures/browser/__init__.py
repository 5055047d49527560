"""Runs as pages for a browser: one HTML file with data, code and style inside."""

from robot.pictures.browser.quantised import Quantised, pack, unpack
from robot.pictures.browser.run_html import RunPage, run_page

__all__ = [
    "Quantised",
    "RunPage",
    "pack",
    "run_page",
    "unpack",
]
