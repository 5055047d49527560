"""How the peak of a pressure changes with the mesh, and what its estimated error says.

python benchmarks/page_tables/pressure_peaks.py

`hrp2kai`, 20 mm of 3 MPa, 570 N at (30, 10) mm; on the bump at (20, 10) mm. Meshes: the default of
`sole mesh`, and edges of 9, 6 and 5 mm. The peak is the mean over the most loaded square
centimetre (`contact.press.peak_pressure`); the change is that to the finest mesh. For comparison
the largest pressure at a node.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from contact.ground import Bump, Ground, Plane, Step
from contact.press import Wrench, peak_pressure, press
from page_tables.printing import print_table
from sole.base.numba_settings import set_up_numba
from sole.condense import condense
from sole.material import Material
from sole.mesh import mesh_shape
from sole.shape import preset

SIZES = (None, 0.009, 0.006, 0.005)  # m
CASES: tuple[tuple[str, Ground, float], ...] = (
    ("plane, nu = 0.3", Plane(), 0.3),
    ("plane, nu = 0.45", Plane(), 0.45),
    ("bump of 100 mm, nu = 0.45", Bump(rise=0.004, radius=0.1, x=0.02, y=0.01), 0.45),
    ("bump of 30 mm, nu = 0.45", Bump(rise=0.004, radius=0.03, x=0.02, y=0.01), 0.45),
    ("step of 5 mm, nu = 0.45", Step(rise=0.005), 0.45),
)


def rows() -> Iterator[list[str]]:
    """Yield a row for each ground and mesh."""
    for name, ground, nu in CASES:
        cop = (0.02, 0.01) if isinstance(ground, Bump) else (0.03, 0.01)
        peaks, largest, nodes = [], [], []
        for size in SIZES:
            mesh = mesh_shape(preset("hrp2kai"), size, size)
            sole = condense(mesh, Material(young_modulus=3e6, poisson_ratio=nu))
            result = press(sole, Wrench.standing(570.0, cop=cop), ground)
            peaks.append(peak_pressure(mesh, result.pressure))
            largest.append(float(result.pressure.max()))
            nodes.append(len(sole.points))
        for peak, most, m in zip(peaks, largest, nodes, strict=True):
            change = 100 * (peaks[-1].value / peak.value - 1)
            yield [
                name, str(m), f"{1e-3 * most:.1f}", f"{1e-3 * peak.value:.1f}", f"{change:+.1f}",
                f"{100 * peak.error:.1f}",
            ]  # fmt: skip


if __name__ == "__main__":
    set_up_numba()
    print_table(
        "ground | tread nodes | largest at a node [kPa] | peak [kPa] | change to the finest [%] | "
        "estimated [%]",
        rows(),
    )
