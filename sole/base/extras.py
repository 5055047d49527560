"""Packages that only some commands need: an absent one is told with the line that installs it.

The extras of pyproject.toml by use. A command asks at its start, before it works.
"""

from __future__ import annotations

from importlib.util import find_spec

from sole.base.errors import SoleError

__all__ = ["EXTRAS", "has_extra", "install_line", "require_extra"]

# Module names by extra; the packages that bring them are declared in pyproject.toml.
EXTRAS = {
    "studies": ("distributed", "dask", "cryptography", "jinja2", "SALib"),
    "live": ("websockets", "jupyter_threejs_sage", "trame_vtk"),
    "film": ("imageio_ffmpeg",),
    "retime": ("toppra",),
    "control": ("daqp",),
    "surfaces": ("pytetwild",),
    "mujoco": ("mujoco",),
    "xacro": ("xacro", "xacrodoc"),
}


def require_extra(extra: str, what: str) -> None:
    """Raise unless all modules of an extra can be imported; nothing is imported.

    Parameters
    ----------
    extra : a key of `EXTRAS`.
    what : what needs it, the subject of the message.

    Raises
    ------
    SoleError
        Some are missing; the message has the command that installs them.
    """
    lacking = _lacking(extra)
    if lacking:
        raise SoleError(f"{what} needs {', '.join(lacking)}: {install_line(extra)}")


def install_line(extra: str) -> str:
    """Return the shell command that installs an extra of pyproject.toml."""
    return f"pip install 'compliant-sole[{extra}]'"


def has_extra(extra: str) -> bool:
    """Whether all modules of an extra (a key of `EXTRAS`) can be imported."""
    return not _lacking(extra)


def _lacking(extra: str) -> list[str]:
    return [name for name in EXTRAS[extra] if not _is_there(name)]


def _is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except (ImportError, ValueError):
        return False
