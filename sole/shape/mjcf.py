"""MJCF: read through the model that MuJoCo itself compiles from it.

MuJoCo applies default classes, includes, units and inertias from geoms.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

from sole.base.errors import ShapeError
from sole.base.extras import require_extra
from sole.base.files import LARGEST_MESH, existing_file
from sole.base.quiet import captured
from sole.shape.mjcf_tree import MjcfTree


def read_mjcf(path: Path) -> ET.Element:
    """Return the <robot> of an MJCF; joint positions are MuJoCo's, links are its bodies.

    Of several bodies in the world the one that carries most joints is the robot. Its own joints
    become the free base. A base that the file inclines gets an upright link above it.

    Raises
    ------
    ShapeError
        MuJoCo refuses the file, a mesh is missing, or the robot has ball joints or loops.
    SoleError
        The extra is not installed.
    """
    require_extra("mujoco", f"{path}: MJCF")
    import mujoco

    try:
        with captured(2), captured(1):
            spec = mujoco.MjSpec.from_file(str(path))
            for mesh in spec.meshes:
                if mesh.file:
                    _require_mesh(path, mesh.name, Path(spec.modelfiledir, spec.meshdir, mesh.file))
            model = spec.compile()
    except ShapeError:
        raise
    except (ValueError, RuntimeError, mujoco.FatalError) as error:
        reason = " ".join(str(error).removeprefix("Error:").split())
        raise ShapeError(f"{path}: MuJoCo cannot read it ({reason})") from error
    return MjcfTree(mujoco, spec, model, path).written()


def _require_mesh(path: Path, name: str, file: Path) -> None:
    try:
        existing_file(file, ShapeError, most=LARGEST_MESH)
    except ShapeError as error:
        raise ShapeError(f"{path}: mesh '{name or file.stem}': {error}") from error
