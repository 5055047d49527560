"""Checks before rendering: VTK draws off screen through EGL or in a window, or a clear error."""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
from collections.abc import Iterator

from sole.base.errors import SoleError
from sole.base.system_libraries import LIBRARIES, mending_command, missing


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
    name = "VTK_DEFAULT_OPENGL_WINDOW"
    before = os.environ.get(name)
    os.environ[name] = before or "vtkEGLRenderWindow"
    try:
        yield
    finally:
        if before is None:
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


def require_display() -> None:
    """Raise a `SoleError` unless a window can be opened."""
    if not sys.platform.startswith("linux"):
        return
    try:
        x11 = ctypes.CDLL("libX11.so.6")
    except OSError:
        display = None
    else:
        x11.XOpenDisplay.restype = ctypes.c_void_p
        x11.XCloseDisplay.argtypes = [ctypes.c_void_p]
        display = x11.XOpenDisplay(None)
    if not display:
        raise SoleError("there is no display to open a window on: give -o FILE.png instead")
    x11.XCloseDisplay(display)
