"""Vertical stiffness of a bonded pad by element and mesh: the table of docs/results/accuracy.md.

python benchmarks/page_tables/locking.py
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from box_mesh import box_mesh

from page_tables.printing import print_table
from sole.base.numba_settings import set_up_numba
from sole.condense import Condenser
from sole.material import Material

SIZE = (0.23, 0.13, 0.02)  # m
NUS = (0.3, 0.4, 0.45, 0.49, 0.499)
MESHES = {
    "p1": ((17, 10, 2), (34, 20, 4), (68, 40, 8)),
    "p2": ((9, 6, 1), (17, 10, 2), (34, 20, 4)),
    "ccr": ((9, 6, 1), (17, 10, 2), (26, 15, 3)),
}  # bricks of six tetrahedra


def row(element: str, cells: tuple[int, int, int]) -> list[str]:
    """Return element, free dofs, tread vertices, stiffnesses [MN/m] for E = 1 MPa."""
    condenser = Condenser(box_mesh(*SIZE, cells), element)
    k = []
    for nu in NUS:
        sole = condenser.condense([Material(young_modulus=1e6, poisson_ratio=nu)])
        k.append(f"{sole.foot_stiffness[2, 2] / 1e6:#.3g}")
    free = 3 * len(condenser.parts.coordinates)
    return [element, f"{free:,}".replace(",", " "), str(len(sole.points)), *k]


def main(coarse: int | None = None) -> Iterator[list[str]]:
    """Return the rows; `coarse` : only so many meshes of each element, coarsest first."""
    for element, meshes in MESHES.items():
        for cells in meshes[:coarse]:
            yield row(element, cells)


if __name__ == "__main__":
    set_up_numba()
    nus = " | ".join(f"{nu:g}" for nu in NUS[1:])
    print_table(f"element | free dofs | tread vertices | nu = {NUS[0]:g} | {nus}", main())
