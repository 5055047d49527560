"""Condensed soles on disk, found by what they were made of: condensed once, read by whoever.

One file for each sole beside the sweep's output: K_c and C as (2, 3m, 3m), named after a hash
of mesh, element and materials. Files appear whole or not at all, so a process killed while it
writes leaves nothing that another could take for a sole; readers map them into memory, so that
the processes of one machine share the pages.
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np

from sole import __version__
from sole.archive import replacing
from sole.condense import CondensedSole
from sole.config import digest
from sole.errors import ResourceError
from sole.material import Material
from sole.mesh import SoleMesh


class SoleStore:
    """A folder of condensed soles.

    Parameters
    ----------
    folder : made with the first sole.
    complete : every sole that is asked for must be there: nothing is condensed by the reader.
    """

    def __init__(self, folder: Path, *, complete: bool = False) -> None:
        self.folder, self.complete = Path(folder), complete

    def _path(self, mesh: SoleMesh, element: str, materials: Sequence[Material]) -> Path:
        made_of = [__version__, mesh.digest, element, [asdict(m) for m in materials]]
        return self.folder / f"{digest(made_of)}.npy"

    def get(
        self, mesh: SoleMesh, element: str, materials: tuple[Material, ...]
    ) -> CondensedSole | None:
        """Return the sole of these materials at a common scale, None if it is not there.

        Raises
        ------
        ResourceError
            It is not there though the store is `complete`.
        """
        path = self._path(mesh, element, materials)
        order = 3 * len(mesh.tread_vertices)
        with contextlib.suppress(OSError, ValueError):  # absent, or damaged by somebody else
            both = np.load(path, mmap_mode="r")
            if both.shape == (2, order, order):
                return CondensedSole(
                    mesh=mesh,
                    materials=materials,
                    element=element,
                    stiffness=both[0],
                    compliance=both[1],
                )
        if self.complete:
            raise ResourceError(
                f"a worker does not find the condensed sole {path}: let all workers see the "
                "folder of the output"
            )
        return None

    def put(self, sole: CondensedSole) -> None:
        """Keep a sole.

        Raises
        ------
        ResourceError
            The disk is full; soles kept before are untouched.
        """
        self.folder.mkdir(exist_ok=True)
        with replacing(self._path(sole.mesh, sole.element, sole.materials)) as temporary:
            np.save(temporary, np.stack([sole.stiffness, sole.compliance]))

    def remove(self) -> None:
        """Delete the folder and all soles in it."""
        shutil.rmtree(self.folder, ignore_errors=True)


def store_path(output: Path) -> Path:
    """Return where the soles of a sweep to `output` are kept: beside it."""
    return output.with_name(f"{output.name}.soles")


def sole_bytes(mesh: SoleMesh) -> int:
    """Return what the condensed sole of a mesh with m tread vertices takes: 2 (3m)^2 doubles."""
    return 2 * (3 * len(mesh.tread_vertices)) ** 2 * 8
