"""How a foot on an exported sole errs in MuJoCo, as written and without single settings.

python benchmarks/page_tables/exported_sole.py

The pad of docs/export.md, 0.2 x 0.1 x 0.02 m, eta = 5 ms, under a foot of 10 kg. Motions along a
press, a shear of 0.2 N, tilts (the pressure moves by 8 % of half the sole) and torsion, against
presses of the same loads on the condensed sole; creep in a second of shear along y.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from peers.exported_foot import CASES, ExportedFoot, creep_of, errors_of

from contact.bushing import MujocoContact, fit_bushing, write_bushing
from page_tables.printing import print_table
from sole.base.numba_settings import set_up_numba
from sole.condense import condense
from sole.material import Material
from sole.mesh import mesh_shape
from sole.shape import box

LOAD = 600.0  # N


def without_contact(spec: Any) -> None:
    """Give the tread MuJoCo's default contact and friction."""
    tread = spec.geom("tread")
    tread.solref, tread.solimp = [0.02, 1.0], [0.9, 0.95, 0.001, 0.5, 2.0]
    tread.priority = 0


def main() -> Iterator[list[str]]:
    """Return the rows: model, errors [%] of all `CASES`, creep [%/s]."""
    sole = condense(
        mesh_shape(box(0.2, 0.1, 0.02), 0.025, 0.025),
        Material(young_modulus=1e6, poisson_ratio=0.4),
    )
    b = fit_bushing(sole, eta=0.005)
    default: dict[str, Any] = {"cone": 0, "impratio": 1.0}
    models: tuple[tuple[str, float, Callable[[Any], None] | None, dict[str, Any]], ...] = (
        (f"as written, {LOAD:g} N", LOAD, None, {}),
        (f"as written, {b.load:.0f} N", b.load, None, {}),
        ("at steps of 2 ms", LOAD, None, {"timestep": 2e-3}),
        ("without cone, impratio", LOAD, None, default),
        ("with MuJoCo's default contact", LOAD, without_contact, {}),
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pad.xml"
        write_bushing(b, path, "mujoco")
        for name, load, edit, option in models:
            found = errors_of(ExportedFoot(sole, path, edit, option), sole, load)
            creep = creep_of(ExportedFoot(sole, path, edit, option), sole, load)
            yield [
                name,
                *(f"{round(100 * found[case], 2) + 0.0:.2f}" for case in CASES),
                f"{100 * creep:.3f}",
            ]
    bounds = MujocoContact.of(b)
    yield ["at most", *[f"{100 * bounds.total:.2f}"] * len(CASES), f"{100 * bounds.creep:.3f}"]


if __name__ == "__main__":
    set_up_numba()
    print_table(f"error [%] | {' | '.join(CASES)} | creep [%/s]", main())
