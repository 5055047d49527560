"""How fast a sweep is: condensations, stiffness rows a second, press rows a second.

    python benchmarks/sweep.py [--size-tread 0.008] [--press 12] [--skip-direct]

One run prints one table: a 100 x 100 grid, E over [0.1, 100] MPa and nu over [0, 0.49], with
interpolation along nu and (unless skipped) with a condensation for each of the 100 nu; the
largest difference between the two tables; and a few press rows.
"""

from __future__ import annotations

import argparse
import csv
import platform
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from unittest import mock

import numpy as np

from sole.condense import condense
from sole.material import Material
from sole.meshing import mesh_shape
from sole.presets import preset
from sole.studies.axis import parse_axis
from sole.studies.study import Study
from sole.sweep import SweepSummary, run_sweep

NUMBER = 100


def processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor()
    names = [line.split(":")[1].strip() for line in text.splitlines() if "model name" in line]
    return f"{names[0]} ({len(names)} threads)" if names else platform.processor()


def difference(a: Path, b: Path) -> float:
    """Largest difference of two tables' stiffnesses, relative to sqrt(K_ii K_jj)."""
    with a.open() as f, b.open() as g:
        worst = 0.0
        for x, y in zip(csv.DictReader(f), csv.DictReader(g), strict=True):
            diagonal = {k.split("_")[1]: float(v) for k, v in y.items() if _is_diagonal(k)}
            for name, value in y.items():
                if name.startswith("k_"):
                    _, i, j = name.split("[")[0].split("_")
                    scale = np.sqrt(diagonal[i] * diagonal[j])
                    worst = max(worst, abs(float(x[name]) - float(value)) / scale)
    return float(worst)


def _is_diagonal(name: str) -> bool:
    parts = name.split("[")[0].split("_")
    return parts[0] == "k" and parts[1] == parts[2]


def line(name: str, s: SweepSummary, remark: str = "") -> str:
    rest = s.seconds - s.condensing_seconds
    error = f"{s.compliance_error:.1e}" if s.compliance_error else "-"
    return (
        f"| {name} | {s.rows} | {s.condensations} | {s.condensing_seconds:.2f} | {error} "
        f"| {s.new_rows / rest:.4g} | {remark} |"
    )


def main(arguments: Sequence[str] | None = None) -> list[SweepSummary]:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--preset", default="hrp2kai")
    parser.add_argument("--size-tread", type=float, default=None, help="[m]")
    parser.add_argument("--press", type=int, default=12, help="number of press rows")
    parser.add_argument("--element", default="p2")
    parser.add_argument("--skip-direct", action="store_true")
    options = parser.parse_args(arguments)
    mesh = mesh_shape(preset(options.preset), size_tread=options.size_tread)
    grid = Study(
        axis=(
            parse_axis("young", f"1e5:1e8:{NUMBER}"),
            parse_axis("poisson", f"0:0.49:{NUMBER}"),
        ),
        element=options.element,
        options={"stiffness": {"mass": 58.0, "com_height": 0.8}},
    )
    condense(mesh, Material(young_modulus=1e6, poisson_ratio=0.3), options.element)  # compile
    summaries = []
    print(
        f"{processor()}, Python {platform.python_version()}; {options.preset}, "
        f"{options.element}, {len(mesh.tread_vertices)} tread vertices, {len(mesh.tets)} "
        "tetrahedra\n"
    )
    print("| sweep | rows | condensations | their time [s] | error of C | rows/s | |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        a, b, c = (Path(folder) / f"{n}.nc" for n in "abc")
        summaries.append(run_sweep(grid, mesh, a))
        print(line("interpolated", summaries[-1]))
        if not options.skip_direct:
            with mock.patch("sole.studies.sharing.MOST_NODES", 0):  # no interpolation
                summaries.append(run_sweep(grid, mesh, b))
            apart = difference(summaries[0].table, summaries[1].table)
            print(line("direct", summaries[-1], f"tables differ by {apart:.1e}"))
        if options.press:
            press = replace(
                grid,
                axis=(
                    parse_axis("young", f"3e5:1e7:{-(-options.press // 3)}"),
                    parse_axis("poisson", "0.3,0.4,0.45"),
                ),
                rows=("press",),
                options={"press": {"force": 570.0, "cop": [0.02, 0.01]}},
            )
            summaries.append(run_sweep(press, mesh, c))
            print(line("press", summaries[-1], f"{summaries[-1].failed} failed"))
    return summaries


if __name__ == "__main__":
    main()
