"""Files of a bushing for other engines: MJCF, URDF, SDF, JSON.

All have six joints in a chain, slides along x, y, z and hinges about x, y, z, whose axes meet in
the bushing's centre, between the sole's frame and a body `tread` with a box as hard as the engine
can.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from contact.bushing.bushing import Bushing
from contact.bushing.gazebo_files import sdf_text, urdf_text
from contact.bushing.mujoco_file import mujoco_text
from contact.bushing.xml_parts import AXES, SCHEMA
from contact.constants import FRICTION
from sole.base.archive import replacing
from sole.base.errors import ConfigError
from sole.base.report import plain


def write_bushing(bushing: Bushing, path: Path, engine: str, dt: float | None = None) -> None:
    """Write a bushing for an engine of `EXPORTS`; `dt` [s] is the time step of MuJoCo's file.

    Raises
    ------
    ConfigError
        An unknown engine, a path without its suffix, or a dt for a file that has none.
    """
    if engine not in EXPORTS:
        raise ConfigError(f"cannot export to '{engine}': known are {', '.join(EXPORTS)}")
    suffix, text = EXPORTS[engine]
    if path.suffix != suffix:
        raise ConfigError(f"an export to {engine} is a {suffix} file, got -o {path}")
    if dt is not None and engine != "mujoco":
        raise ConfigError(f"only MuJoCo's file has a time step, got dt = {dt:g} s for {engine}")
    content = mujoco_text(bushing, dt) if engine == "mujoco" else text(bushing)
    with replacing(path) as temporary:
        temporary.write_text(content + "\n", encoding="utf-8")


def _json(b: Bushing) -> str:
    data = {
        "schema": SCHEMA,
        "name": b.name,
        "frame": "sole frame: x forward, y left, z up, origin on the bond plane",
        "center": b.center,
        "axes": list(AXES),
        "stiffness": b.stiffness,
        "damping": b.damping,
        "origin": b.origin,
        "stiffness_about_origin": b.full,
        "tread": {"low": b.low, "high": b.high, "z": b.origin[2]},
        "mass": b.mass,
        "range": {"load": b.load, "tilt_rad": b.tilt},
        "friction": FRICTION,
        "error": {"stuck": b.stuck_error, "load": b.load_error, "edge": b.edge_error},
        "units": {"length": "m", "stiffness": "N/m, N m/rad", "damping": "N s/m, N m s/rad"},
    }
    return json.dumps(plain(data), indent=1)


EXPORTS: dict[str, tuple[str, Callable[[Bushing], str]]] = {
    "mujoco": (".xml", mujoco_text),
    "urdf": (".urdf", urdf_text),
    "sdf": (".sdf", sdf_text),
    "json": (".json", _json),
}
