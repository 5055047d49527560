"""One layer or two: tables of docs/results/layers.md, from walks onto an unexpected plate.

    python benchmarks/page_tables/layered_soles.py [searched] [validation] [stiff]

`searched` runs both searches of examples/studies (half an hour on one core), `validation` walks
that no search saw, `stiff` soles of the same vertical stiffness (a minute each).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from scipy.stats import t as student

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from two_layer import best, designs

from page_tables.printing import print_table
from sole.base.numba_settings import set_up_numba
from sole.mesh import SoleMesh, mesh_shape
from sole.shape import load_shape
from sole.studies import axes_of, load_study, read_table, run_study
from sole.studies.design import load_design, run_design

STUDIES = Path(__file__).resolve().parents[2] / "examples" / "studies"
THICKNESS, SIZE = 0.02, 0.03  # m: of a sole, of the mesh
PEAK, TILT, STRAIN = "landing_acceleration_100_hz", "waist_tilt", "strain_p99"


@dataclass(frozen=True)
class Layers:
    """A sole: E [Pa] of the tread and of what is above it, nu of both, the tread's share [m]."""

    title: str
    below: float
    above: float
    poisson: float
    tread: float = 0.01


SOLES = (
    Layers("usual sole", 3e6, 3e6, 0.4),
    Layers("one layer", 1.45e6, 1.45e6, 0.2),
    Layers("two layers, tread 8.45 mm", 1.48e6, 1.59e6, 0.245, 0.00845),
)
STIFF = (
    Layers("1.10 / 1.10", 1.10e6, 1.10e6, 0.45),
    Layers("0.956 / 2.87, 17 mm", 0.956e6, 2.87e6, 0.45, 0.017),
    Layers("2.87 / 0.956, 3 mm", 2.87e6, 0.956e6, 0.45, 0.003),
)


def pad() -> SoleMesh:
    """Mesh the pad of two layers."""
    return mesh_shape(load_shape(STUDIES / "two_layer_pad.toml"), SIZE, SIZE)


def walks(soles: Sequence[Layers], starts: Sequence[float], **options: Any) -> list[Any]:
    """Let every sole walk from all starts [m]; return its tables over the starts."""
    columns = {
        ("young", "tread"): [s.below for s in soles],
        ("young", "mid"): [s.above for s in soles],
        ("poisson", ""): [s.poisson for s in soles],
        ("thickness", "tread"): [s.tread for s in soles],
        ("thickness", "mid"): [THICKNESS - s.tread for s in soles],
    }
    study = load_study(STUDIES / "two_layer_list.toml")
    axes = []
    for axis in study.axis:
        values = columns.get((axis.quantity, axis.layer or ""), list(starts))
        axes.append(replace(axis, values=tuple(values)))
    walk = {**study.options["walk"], **options}
    study = replace(study, axis=tuple(axes), mesh="", options={"walk": walk})
    with TemporaryDirectory() as folder:
        path = Path(folder) / "walks.nc"
        run_study(study, pad(), path, folder=STUDIES)
        table = read_table(path).load()
    line = table[[PEAK, TILT, STRAIN]].to_dataframe().reset_index()
    return [
        line[(line.young_tread == s.below) & (line.young_mid == s.above)].sort_values("phase")
        for s in soles
    ]


def interval(values: Any) -> str:
    """Return mean +- half of the 95 % interval."""
    n = len(values)
    half = student.ppf(0.975, n - 1) * np.std(values, ddof=1) / np.sqrt(n)
    return f"{np.mean(values):.1f} +- {half:.1f}"


def validation() -> Iterator[list[str]]:
    """Compare soles on starts that the searches did not use, and at half the time step."""
    late = [t[PEAK].to_numpy() for t in walks(SOLES, (-0.09, -0.03, 0.03))]
    fine = [t[PEAK].to_numpy() for t in walks(SOLES, (0.0, 0.06), dt=5e-4)]
    for sole, a, b in zip(SOLES, late, fine, strict=True):
        young = " below ".join(f"{E / 1e6:.2f}" for E in dict.fromkeys((sole.below, sole.above)))
        yield [sole.title, f"{young}, {sole.poisson:g}", interval(a), told(b)]
    yield ["two less one, start by start", "", interval(late[2] - late[1]), told(fine[2] - fine[1])]


def told(values: Any) -> str:
    """Return the values one by one."""
    return ", ".join(f"{v:.1f}" for v in values)


def stiff() -> Iterator[list[str]]:
    """Compare soles of the same vertical stiffness at nu = 0.45."""
    for sole, table in zip(STIFF, walks(STIFF, (-0.06, 0.0, 0.06)), strict=True):
        strain, tilt = float(table[STRAIN].max()), float(table[TILT].max())
        yield [sole.title, interval(table[PEAK]), f"{strain:.3f}", f"{tilt:.4f}"]


def searched() -> Iterator[list[str]]:
    """Search the best sole of one layer and of two."""
    for title, name in (("one layer", "one_layer"), ("two layers", "two_layer")):
        with TemporaryDirectory() as folder:
            path = Path(folder) / "found.nc"
            design = replace(load_design(STUDIES / f"{name}.toml"), mesh="")
            run_design(design, pad(), path, folder=STUDIES)
            found = designs(path)
            (chosen,) = best(found, 0.1, design_tilt(design)).itertuples()
            table = read_table(path)
            line = table[[PEAK]].to_dataframe()
            own = line.groupby([n for n in axes_of(table) if n != "phase"])[PEAK]
            low, high = (getattr(own, how)().loc[chosen.Index] for how in ("min", "max"))
        sole = ", ".join(
            f"{axis} {value / 1e6:.3g} MPa" if "young" in axis else f"{axis} {value:.3g}"
            for axis, value in zip(found.index.names, chosen.Index, strict=True)
        )
        yield [title, sole, f"{chosen.peak:.1f} ({low:.1f} to {high:.1f})",
               f"{chosen.waist_tilt:.4f}", f"{chosen.strain_p99:.3f}"]  # fmt: skip


def design_tilt(design: Any) -> float:
    """Return the largest inclination that a search allows [rad]."""
    (limit,) = (c for c in design.design.subject_to if str(c).startswith("waist_tilt_deg"))
    return float(np.radians(float(str(limit).split()[-1])))


TABLES = {
    "searched": ("search | sole | landing [m/s^2] | inclination [rad] | strain", searched),
    "validation": (
        "sole | E [MPa], nu | starts -90, -30, 30 mm [m/s^2] | starts 0, 60 mm at dt/2 [m/s^2]",
        validation,
    ),
    "stiff": (
        "E below / above [MPa], tread | landing [m/s^2] | strain, worst walk | inclination [rad]",
        stiff,
    ),
}

if __name__ == "__main__":
    set_up_numba()
    for name in sys.argv[1:] or TABLES:
        header, rows = TABLES[name]
        print_table(header, rows())
