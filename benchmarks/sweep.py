"""How fast a sweep is: condensations, stiffness rows a second, press rows a second.

    python benchmarks/sweep.py [--size-tread 0.008] [--press 12] [--skip-direct] [--quick]
    python benchmarks/sweep.py --memory 1000 10000 100000

One run prints one table: a 100 x 100 grid, E over [0.1, 100] MPa and nu over [0, 0.49], with
interpolation along nu and (unless skipped) with a condensation for each of the 100 nu; the
largest difference between the two tables; and a few press rows. With --memory instead: the
largest resident memory of `sole sweep` with so many stiffness rows, each in a process of its own.
"""

from __future__ import annotations

import argparse
import csv
import platform
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from unittest import mock

import numpy as np

from sole.base.numba_settings import set_up_numba
from sole.condense import condense
from sole.material import Material
from sole.mesh import mesh_shape, write_mesh
from sole.shape import preset
from sole.studies import Study, StudySummary, parse_axis, run_study

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


def line(name: str, s: StudySummary, remark: str = "") -> str:
    rest = s.seconds - s.condensing_seconds
    error = f"{s.compliance_error:.1e}" if s.compliance_error else "-"
    return (
        f"| {name} | {s.rows} | {s.condensations} | {s.condensing_seconds:.2f} | {error} "
        f"| {s.new_rows / rest:.4g} | {remark} |"
    )


_PEAK = """
import resource, sys
from sole.base.cli import main
try:
    main()
finally:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def memory(numbers: Sequence[int], preset_name: str) -> list[int]:
    """Print and return the largest resident memory [kB] of sweeps of so many rows."""
    print("| rows | peak [MB] | bytes per row more than the first |\n|---|---|---|")
    peaks: list[int] = []
    with tempfile.TemporaryDirectory() as folder:
        pad = Path(folder) / "pad.msh"
        write_mesh(pad, mesh_shape(preset(preset_name), size_tread=0.02))
        for number in numbers:
            grid = ["--young", f"1e5:1e8:{number // 10}", "--poisson", "0:0.45:10"]
            command = [sys.executable, "-c", _PEAK, "sweep", str(pad), *grid]
            command += ["-o", str(pad.with_suffix(".nc")), "--workers", "0", "--quiet"]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            peaks.append(int(done.stdout.split()[-1]))
            more = number - numbers[0]
            each = f"{1024 * (peaks[-1] - peaks[0]) / more:.0f}" if more else "-"
            print(f"| {number} | {peaks[-1] / 1024:.1f} | {each} |", flush=True)
    return peaks


def main(arguments: Sequence[str] | None = None) -> list[StudySummary]:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--preset", default="hrp2kai")
    parser.add_argument("--size-tread", type=float, default=None, help="[m]")
    parser.add_argument("--press", type=int, default=12, help="number of press rows")
    parser.add_argument("--element", default="p2")
    parser.add_argument("--skip-direct", action="store_true")
    parser.add_argument("--memory", type=int, nargs="+", metavar="ROWS")
    parser.add_argument("--quick", action="store_true", help="coarse, 2 x 24, six press rows")
    options = parser.parse_args(arguments)
    moduli, ratios = NUMBER, NUMBER
    if options.quick:
        options.size_tread, options.press, options.element = 0.03, 6, "p1"
        moduli, ratios = 2, 24  # more than the interpolation needs
    if options.memory:
        memory(options.memory, options.preset)
        return []
    mesh = mesh_shape(preset(options.preset), size_tread=options.size_tread)
    grid = Study(
        axis=(
            parse_axis("young", f"1e5:1e8:{moduli}"),
            parse_axis("poisson", f"0:0.49:{ratios}"),
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
        summaries.append(run_study(grid, mesh, a))
        print(line("interpolated", summaries[-1]))
        if not options.skip_direct:
            with mock.patch("sole.studies.shared_soles.MOST_NODES", 0):  # no interpolation
                summaries.append(run_study(grid, mesh, b))
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
            summaries.append(run_study(press, mesh, c))
            print(line("press", summaries[-1], f"{summaries[-1].failed} failed"))
    return summaries


if __name__ == "__main__":
    set_up_numba()
    main()
