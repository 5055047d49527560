"""Checks before rendering: VTK draws off screen through EGL or in a window, or a clear error."""

from __future__ import annotations

import contextlib
import ctypes
import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

from sole.base.errors import SoleError
from sole.base.system_libraries import LIBRARIES, mending_command, missing

USABLE = (0.95, 0.85)  # shares of a screen's width and height: the rest is title, tools and panels

ANSWER = 5.0  # s within which a display must answer
NOBODY, NO_GLX = 2, 3  # exit codes of the trial; 1 is Python's own, as without libX11
_TRIAL = f"""
import ctypes, sys
x11 = ctypes.CDLL("libX11.so.6")
x11.XOpenDisplay.restype = ctypes.c_void_p
display = x11.XOpenDisplay(None)
if not display:
    sys.exit({NOBODY})
x11.XQueryExtension.argtypes = [ctypes.c_void_p, ctypes.c_char_p, *3 * [ctypes.c_void_p]]
numbers = [ctypes.byref(ctypes.c_int()) for _ in range(3)]
sys.exit(0 if x11.XQueryExtension(display, b"GLX", *numbers) else {NO_GLX})
"""

# PyVista need not open a window beforehand to see whether it can.
OFF_SCREEN = {"VTK_DEFAULT_OPENGL_WINDOW": "vtkEGLRenderWindow", "ALLOW_PLOTTING": "true"}


@contextlib.contextmanager
def off_screen_rendering() -> Iterator[None]:
    """Make VTK render without a display inside the block.

    Raises
    ------
    SoleError
        On Linux, libEGL is missing: VTK would crash without a message.
    """
    if not sys.platform.startswith("linux"):
        yield
        return
    require_rendering_libraries()
    added = {name: value for name, value in OFF_SCREEN.items() if not os.environ.get(name)}
    os.environ.update(added)
    try:
        yield
    finally:
        for name in added:
            os.environ.pop(name, None)


def require_rendering_libraries() -> None:
    """Raise a `SoleError` that says what to install if a library of VTK is missing."""
    needed = [library for library in LIBRARIES if "VTK" in library.needed_by]
    lacking = missing(needed)
    if lacking:
        names = ", ".join(library.soname for library in lacking)
        raise SoleError(
            f"rendering needs the system libraries {names}: run "
            f"`{mending_command(lacking)}`; `sole doctor` checks the others"
        )


def require_display(*, opengl: bool = False) -> None:
    """Raise a `SoleError` unless a window can be opened; `opengl`: one that VTK can draw on.

    A child process asks: a server that takes the connection and never answers would hold up this
    one, and libX11 prints a refusal of its own.
    """
    if not sys.platform.startswith("linux"):
        return
    try:
        asked = subprocess.run(
            [sys.executable, "-S", "-E", "-c", _TRIAL],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=ANSWER,
            check=False,
        ).returncode
    except subprocess.TimeoutExpired:
        asked = NOBODY
    if asked and (opengl or asked != NO_GLX):
        what = "the display has no OpenGL (GLX)" if asked == NO_GLX else "there is no display"
        raise SoleError(f"{what} to open a window on: give -o FILE.png instead")


def fit_screen(width: float, height: float) -> tuple[int, int]:
    """Return the size [pixels] of a window for a picture of `width` x `height` [pixels].

    A picture larger than `USABLE` of the screen is shrunk to it, with its proportions. Where the
    screen's size is unknown (no X11), the size stays.
    """
    share = 1.0
    if sys.platform.startswith("linux"):
        with _x11_display() as (x11, display):
            if display:
                screen = x11.XDefaultScreen(display)
                across, down = (
                    x11.XDisplayWidth(display, screen),
                    x11.XDisplayHeight(display, screen),
                )
                share = min(1.0, USABLE[0] * across / width, USABLE[1] * down / height)
    return max(1, round(share * width)), max(1, round(share * height))


@contextlib.contextmanager
def _x11_display() -> Iterator[tuple[Any, Any]]:
    """Yield libX11 and the display of the environment; None for a display that is not there."""
    try:
        x11 = ctypes.CDLL("libX11.so.6")
    except OSError:
        yield None, None
        return
    x11.XOpenDisplay.restype = ctypes.c_void_p
    for function in (x11.XCloseDisplay, x11.XDefaultScreen):
        function.argtypes = [ctypes.c_void_p]
    for function in (x11.XDisplayWidth, x11.XDisplayHeight):
        function.argtypes = [ctypes.c_void_p, ctypes.c_int]
    display = x11.XOpenDisplay(None)
    try:
        yield x11, display
    finally:
        if display:
            x11.XCloseDisplay(display)
