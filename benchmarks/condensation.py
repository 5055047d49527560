"""Condensation of a sole: time, memory and error beside other direct solvers.

    python benchmarks/condensation.py [--quick] [--threads 1 2] [--repeat 3] [--case NAME ...]

One run prints one table. Each measurement is a process of its own that loads the stiffness,
warms up on a small one, then orders and factors up to K_c; methods take turns and the median
of the rounds counts. Memory is the highest resident size above that before the start, K_c
included; for PARDISO it is its own reported peak plus one Schur matrix, which is less. The
error is that of K_c V for random V, against a reference refined with extended precision.
CPU seconds of all threads are given too: other work on the machine disturbs them less.

Other solvers: MKL PARDISO's Schur complement (`pip install .[bench]`), SuperLU and CHOLMOD
(if scikit-sparse is installed), both "factor, then solve 3m right-hand sides".
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from direct_solvers import METHODS, NEEDS, Problem, reference, small_problem

from sole.base.numba_settings import set_up_numba


@dataclass(frozen=True)
class Case:
    """What to mesh, how finely, with which element."""

    shape: str  # "box", a preset, or "stl:" before a preset
    size_tread: float  # m
    size_bond: float  # m
    element: str
    direct: bool = False  # also with solvers that take 3m right-hand sides


LONG = 60  # s: cases with longer rounds are measured once

CASES = {
    "P2 2k": Case("box", 0.02, 0.02, "p2", direct=True),
    "P1 20k": Case("box", 0.0040, 0.0040, "p1", direct=True),
    "P2 20k": Case("box", 0.0078, 0.0078, "p2", direct=True),
    "P1 65k": Case("box", 0.00272, 0.00272, "p1"),
    "P2 65k": Case("box", 0.0054, 0.0054, "p2"),
    "P1 220k": Case("box", 0.0048, 0.00069, "p1"),
    "P2 220k": Case("box", 0.0035, 0.0035, "p2"),
    "four pads P2": Case("lola", 0.0045, 0.0045, "p2"),
    "polygon P2": Case("right_foot", 0.0043, 0.0043, "p2"),
    "STL P2": Case("stl:hrp2kai", 0.0053, 0.0053, "p2"),
}
QUICK = "P2 2k"
GOALS = ("P1 20k", "P2 20k", "P1 65k", "P2 65k", "P1 220k", "P2 220k")


# ---------------------------------------------------------------- the stiffness of a case


def prepare(case: Case, path: Path) -> dict[str, int]:
    from sole.elasticity import assemble_stiffness
    from sole.material import Material

    parts = assemble_stiffness(_mesh(case, path.parent), case.element)
    materials = [Material(young_modulus=1e6, poisson_ratio=0.45)] * len(parts.mesh.layers)
    K = parts.stiffness(materials)
    np.savez(path, indptr=K.indptr, indices=K.indices, blocks=K.blocks,
             coordinates=parts.coordinates, contact=parts.contact)  # fmt: skip
    return {"free": 3 * len(parts.coordinates), "contact": 3 * len(parts.contact)}


def _mesh(case: Case, folder: Path) -> Any:
    from sole.mesh import mesh_shape
    from sole.shape import box, load_shape, preset

    kind, _, of = case.shape.rpartition(":")
    toml = Path(__file__).parent.parent / "meshes" / f"{of}.toml"
    if of == "box":
        shape = box(0.23, 0.13, 0.02)
    else:
        shape = load_shape(toml) if toml.exists() else preset(of)
    mesh = mesh_shape(shape, case.size_tread, case.size_bond)
    if kind == "stl":
        from sole.mesh import Options, mesh_stl

        file = folder / "solid.stl"
        _write_stl(file, mesh)
        mesh = mesh_stl(file, "mm", Options(size_tread=case.size_tread, size_bond=case.size_bond))
    return mesh


def _write_stl(path: Path, mesh: Any) -> None:
    from sole.mesh import boundary_faces

    corners = 1e3 * mesh.points[boundary_faces(mesh.tets)]
    lines = ["solid sole"]
    for triangle in corners:
        vertices = "".join(f"vertex {x:.9g} {y:.9g} {z:.9g}\n" for x, y, z in triangle)
        lines.append(f"facet normal 0 0 0\nouter loop\n{vertices}endloop\nendfacet")
    path.write_text("\n".join([*lines, "endsolid sole\n"]), encoding="ascii")


# ---------------------------------------------------------------- one measurement, one process


def measure(method: str, path: Path, threads: int) -> dict[str, float]:
    """Run once after a warm-up; return seconds, bytes, error."""
    METHODS[method](small_problem(), threads)()
    run = METHODS[method](Problem.load(path), threads)
    before = resident(reset=True)
    started, cpu_started = time.perf_counter(), time.process_time()
    K_c, reported = run()
    seconds, cpu = time.perf_counter() - started, time.process_time() - cpu_started
    memory = resident() - before if reported is None else reported
    with np.load(path.with_suffix(".reference.npz")) as data:
        V, R = data["V"], data["R"]
    error = np.abs(K_c @ V - R).max() / np.abs(R).max()
    return {"seconds": seconds, "cpu": cpu, "bytes": float(memory), "error": float(error)}


def resident(reset: bool = False) -> float:
    """Return the resident size [bytes], the highest since the last reset (Linux)."""
    if reset:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    key = "VmRSS" if reset else "VmHWM"
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return 1024.0 * next(float(line.split()[1]) for line in lines if line.startswith(key))


def in_process(arguments: list[str], threads: int, limit: float | None = None) -> dict[str, Any]:
    names = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")
    environment = os.environ | dict.fromkeys(names, str(threads))
    done = subprocess.run(
        [sys.executable, __file__, *arguments, "--threads", str(threads)],
        capture_output=True, text=True, env=environment, timeout=limit, check=False,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[-1])
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


# ---------------------------------------------------------------- the table


def run_case(name: str, path: Path, threads: int, repeat: int, skip: set[str]) -> list[list[str]]:
    case = CASES[name]
    methods = [m for m in METHODS if m not in skip and (case.direct or not m.endswith("solve"))]
    rounds: dict[str, list[dict[str, float]]] = {m: [] for m in methods}
    started = time.perf_counter()
    for turn in range(repeat):
        if turn and time.perf_counter() - started > turn * LONG:
            break
        for m in methods:
            if m.endswith("solve") and (turn or threads > 1):
                continue  # slow, and sequential: once is enough
            try:
                rounds[m].append(in_process(["--method", m, "--file", str(path)], threads, 600))
            except subprocess.TimeoutExpired:
                print(f"{name}: {m} took more than 600 s", file=sys.stderr)
    ours = {
        k: float(np.median([r[k] for r in rounds["ours"]])) for k in ("seconds", "cpu", "bytes")
    }
    rows = []
    for m, results in rounds.items():
        if results:
            t, cpu, memory, error = (
                float(np.median([r[k] for r in results]))
                for k in ("seconds", "cpu", "bytes", "error")
            )
            row = [name, str(threads), m, f"{t:.2f}", f"{cpu:.2f}", f"{memory / 1e6:.0f}"]
            own = (ours["seconds"] / t, ours["cpu"] / cpu, ours["bytes"] / memory)
            ratios = ["", "", ""] if m == "ours" else [f"{ratio:.2f}" for ratio in own]
            rows.append([*row, f"{error:.0e}", *ratios])
    return rows


def describe_machine() -> str:
    from importlib.metadata import PackageNotFoundError, version

    import psutil

    def installed(name: str) -> str:
        try:
            return f"{name} {version(name)}"
        except PackageNotFoundError:
            return f"{name} absent"

    cpu = platform.processor()
    info = Path("/proc/cpuinfo")
    if info.exists():
        lines = info.read_text(encoding="utf-8").splitlines()
        cpu = next((x.split(":")[1].strip() for x in lines if x.startswith("model name")), cpu)
        flags = next((x for x in lines if x.startswith("flags")), "")
        cpu += ", AVX-512" if "avx512f" in flags else ""
    packages = ("numpy", "scipy", "numba", "pypardiso", "mkl", "scikit-sparse")
    return (
        f"{cpu}, {os.cpu_count()} logical cores, "
        f"{psutil.virtual_memory().total / 2**30:.0f} GiB; load "
        f"{os.getloadavg()[0]:.1f} at the start; {platform.system()}, Python "
        f"{platform.python_version()}, " + ", ".join(map(installed, packages))
    )


def geometric_means(rows: list[list[str]], threads: int) -> str:
    def ratios(column: int, method: str, cases: tuple[str, ...]) -> np.ndarray:
        chosen = [r for r in rows if r[1] == str(threads) and r[2] == method and r[0] in cases]
        return np.array([float(r[column]) for r in chosen])

    t, cpu, memory = (ratios(k, "PARDISO Schur", GOALS) for k in (7, 8, 9))
    if not len(t):
        return f"{threads} thread(s): no PARDISO to compare with"
    mean_t, mean_cpu = (float(np.exp(np.log(x).mean())) for x in (t, cpu))
    return (
        f"{threads} thread(s), boxes, ours / PARDISO Schur: time {mean_t:.2f} (geometric mean; "
        f"largest {t.max():.2f}), CPU time {mean_cpu:.2f} (largest {cpu.max():.2f}), "
        f"memory largest {memory.max():.2f}"
    )


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="2k dofs only, once, one thread")
    parser.add_argument("--case", nargs="+", choices=list(CASES), help="only these")
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--method", choices=list(METHODS), help=argparse.SUPPRESS)
    parser.add_argument("--file", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--reference", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args(words)
    if options.quick:
        options.case, options.threads, options.repeat = [QUICK], [1], 1
    if options.reference:
        V, R = reference(Problem.load(options.reference))
        np.savez(options.reference.with_suffix(".reference.npz"), V=V, R=R)
        print("{}")
    elif options.method:
        print(json.dumps(measure(options.method, options.file, options.threads[0])))
    else:
        _tabulate(options.case or tuple(c for c in CASES if c != QUICK), options)


def _tabulate(names: tuple[str, ...], options: argparse.Namespace) -> None:
    from importlib.util import find_spec

    print(f"{describe_machine()}\n")
    skip = {m for m, module in NEEDS.items() if find_spec(module) is None}
    for m in sorted(skip):
        print(f"{m}: skipped, {NEEDS[m]} is not installed\n")
    print(
        "| case | threads | method | time [s] | CPU [s] | memory [MB] | error "
        "| ours/its time | CPU | memory |"
    )
    print("|" + 10 * "---|")
    rows: list[list[str]] = []
    sizes = []
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            path = Path(folder) / "case.npz"
            size = prepare(CASES[name], path)
            sizes.append(f"{name}: {size['free']} free dofs, {size['contact']} of contact")
            in_process(["--reference", str(path)], max(options.threads))
            for threads in options.threads:
                new = run_case(name, path, threads, options.repeat, skip)
                rows += new
                for row in new:
                    print("| " + " | ".join(row) + " |", flush=True)
    print("\n" + "; ".join(sizes) + ".")
    for threads in options.threads:
        print(geometric_means(rows, threads))


if __name__ == "__main__":
    set_up_numba()
    main()
