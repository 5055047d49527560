"""Condensed soles on disk, named after a hash of their inputs: condensed once, read by all.

Each sole has one file beside the sweep's output: K_c and C as (2, 3m, 3m), named after a hash of
mesh, element and materials. Files are written atomically, so a killed process leaves no partial
sole. Readers map them into memory, so the processes of one machine share the pages.
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np

from sole import __version__
from sole.base.archive import replacing
from sole.base.config import digest
from sole.base.errors import ResourceError
from sole.condense import CondensedSole
from sole.material import Material
from sole.mesh import SoleMesh


class SoleStore:
    """A folder of condensed soles.

    Parameters
    ----------
    folder : made with the first sole.
    complete : every requested sole must exist; the reader condenses nothing.
    """

    def __init__(self, folder: Path, *, complete: bool = False) -> None:
        self.folder, self.complete = Path(folder), complete

    def _path(self, mesh: SoleMesh, element: str, materials: Sequence[Material]) -> Path:
        made_of = [__version__, mesh.digest, element, [asdict(m) for m in materials]]
        return self.folder / f"{digest(made_of)}.npy"

    def get(
        self, mesh: SoleMesh, element: str, materials: tuple[Material, ...]
    ) -> CondensedSole | None:
        """Return the sole of these materials up to a common scale, None if absent.

        Raises
        ------
        ResourceError
            The sole is absent although the store is `complete`.
        """
        path = self._path(mesh, element, materials)
        order = 3 * len(mesh.tread_vertices)
        with contextlib.suppress(OSError, ValueError):  # absent, or damaged from outside
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
        """Store a sole.

        Raises
        ------
        ResourceError
            The disk is full; stored soles are unchanged.
        """
        self.folder.mkdir(exist_ok=True)
        with replacing(self._path(sole.mesh, sole.element, sole.materials)) as temporary:
            np.save(temporary, np.stack([sole.stiffness, sole.compliance]))

    def remove(self) -> None:
        """Delete the folder and all soles in it."""
        shutil.rmtree(self.folder, ignore_errors=True)


def store_path(output: Path) -> Path:
    """Return the folder of the condensed soles of a sweep: beside `output`."""
    return output.with_name(f"{output.name}.soles")


def sole_bytes(mesh: SoleMesh) -> int:
    """Return the bytes of a condensed sole with m tread vertices: 2 (3m)^2 doubles."""
    return 2 * (3 * len(mesh.tread_vertices)) ** 2 * 8
