"""The soles of a study: one mesh, one for every value of the axis `shape`, or the rows' own."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any

from sole.archive import schema_of
from sole.errors import ConfigError
from sole.mesh import SoleMesh
from sole.studies.rows import Rows
from sole.studies.study import Study


def soles_of(study: Study, kinds: Mapping[str, Rows], folder: Path) -> dict[str, SoleMesh]:
    """Return the meshes of a study by label; files of the axis `shape` lie in `folder`.

    Raises
    ------
    ConfigError
        Nothing names a sole; a file is neither mesh nor shape.
    """
    shapes = next((a.values for a in study.axis if a.quantity == "shape"), ())
    if shapes:
        return {str(name): read_sole(folder / str(name), study.unit) for name in shapes}
    if study.mesh:
        return {"": read_sole(Path(study.mesh), study.unit)}
    own: Any = next((kind for kind in kinds.values() if hasattr(kind, "pad")), None)
    if own is None:
        raise ConfigError(
            f"mesh: rows {', '.join(kinds)} have no sole of their own: name the mesh or the shape "
            "that is studied"
        )
    words = [[(a.key, v) for v in a.values] for a in study.axis if not a.numeric]
    labels = dict.fromkeys(own.pad(dict(chosen)) for chosen in product(*words))
    return {label: own.mesh(label) for label in labels}


def read_sole(path: Path, unit: str | None = None) -> SoleMesh:
    """Return the mesh of a mesh file, or of a shape, meshed with its usual sizes.

    Raises
    ------
    ConfigError
        Neither of them.
    """
    schema = schema_of(path)
    if schema.startswith("sole.shape/"):
        from sole.meshing import mesh_shape
        from sole.shape import load_shape

        return mesh_shape(load_shape(path))
    if not schema.startswith("sole.mesh/"):
        raise ConfigError(f"{path}: a sweep starts from a mesh, a shape or a study, got '{schema}'")
    from sole.mesh_file import read_mesh

    return read_mesh(path, unit=unit)
