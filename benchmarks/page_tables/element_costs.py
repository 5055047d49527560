"""What the elements cost: processor time of assembly and condensation, one thread.

OMP_NUM_THREADS=1 python benchmarks/page_tables/element_costs.py

A box of 0.24 x 0.14 x 0.02 m at three mesh sizes; medians of five, after one that compiles. The
elements take turns.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from page_tables.printing import print_table
from sole.base.numba_settings import set_up_numba
from sole.condense import Condenser
from sole.elasticity import ELEMENTS
from sole.material import Material
from sole.mesh import mesh_shape
from sole.shape import box

SIZES = (0.014, 0.010, 0.007)  # m
ROUNDS = 5
RUBBER = Material(young_modulus=1e6, poisson_ratio=0.4)


def rows() -> Iterator[list[str]]:
    """Yield a row for each mesh: tetrahedra, tread nodes, seconds with every element, a ratio."""
    for size in SIZES:
        mesh = mesh_shape(box(0.24, 0.14, 0.02), size, size)
        took: dict[str, list[float]] = defaultdict(list)
        for _ in range(ROUNDS + 1):
            for element in ELEMENTS:
                start = time.process_time()
                Condenser(mesh, element).condense([RUBBER])
                took[element].append(time.process_time() - start)
        median = {element: statistics.median(took[element][1:]) for element in ELEMENTS}
        yield [
            f"{1e3 * size:g}", str(len(mesh.tets)), str(len(mesh.tread_vertices)),
            *(f"{median[element]:.2f}" for element in ELEMENTS),
            f"{median['ccr'] / median['p2']:.1f}",
        ]  # fmt: skip


if __name__ == "__main__":
    set_up_numba()
    print_table(
        f"edges [mm] | tetrahedra | tread nodes | {' [s] | '.join(ELEMENTS)} [s] | ccr / p2", rows()
    )
