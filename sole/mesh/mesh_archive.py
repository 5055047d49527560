"""A mesh inside an `.npz`: its arrays and header entry, embedded in every result file."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sole.base.archive import Archive
from sole.base.errors import SchemaError
from sole.laws import material_from
from sole.mesh.sole_mesh import SoleMesh

_ARRAYS: dict[str, tuple[int | None, ...]] = {
    "points": (None, 3),
    "tets": (None, 4),
    "layer_of_tet": (None,),
    "bond": (None, 3),
    "tread": (None, 3),
}


def mesh_arrays(mesh: SoleMesh) -> dict[str, NDArray[Any]]:
    """Return the arrays of a mesh under the names that an archive uses (`mesh_points`, ...)."""
    return {f"mesh_{name}": getattr(mesh, name) for name in _ARRAYS}


def mesh_from_archive(file: Archive) -> SoleMesh:
    """Rebuild the mesh of an archive that holds `mesh_arrays` and ``header["mesh"]``.

    Raises
    ------
    SchemaError
        Something is missing or of the wrong kind.
    """
    try:
        header = file.header["mesh"]
        link_to_sole = header["link_to_sole"]
        return SoleMesh(
            points=file.array("mesh_points", _ARRAYS["points"]),
            **{
                name: file.integers(f"mesh_{name}", shape)
                for name, shape in _ARRAYS.items()
                if name != "points"
            },
            layers=tuple(header["layers"]),
            materials=tuple(None if m is None else material_from(m) for m in header["materials"]),
            name=header["name"],
            link=header["link"],
            link_to_sole=None if link_to_sole is None else np.array(link_to_sole),
            recipe=header.get("recipe"),
        )
    except SchemaError:
        raise
    except (KeyError, TypeError, IndexError, ValueError) as error:
        raise SchemaError(f"{file.path}: incomplete mesh in the file ({error})") from error
