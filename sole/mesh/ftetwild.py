"""Tetrahedra inside any triangle surface by fTetWild, in a child process.

fTetWild (Hu et al., "Fast Tetrahedral Meshing in the Wild", 2020) keeps within an envelope of the
surface and needs neither a closed surface nor one that does not cut itself: what is inside follows
from the winding number. The package `pytetwild` brings it. Its compiled code answers no signal and
prints its progress, so it runs in a child that ends with this process. Meshes differ a little from
run to run.
"""

from __future__ import annotations

import math
import re
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from sole.base.arrays import FloatArray, IntArray
from sole.base.bounded_child import bounded_child
from sole.base.errors import MeshError
from sole.base.extras import require_extra
from sole.base.progress import progress_bar

ENVELOPE = 1e-3  # of the diagonal: how far the new surface may lie from the old one
ENERGY = 10.0  # fTetWild stops when no element has more (3 is the best)
LAYERS = 2.0  # edges over the thickness, by default
MOST_TETS = 40_000  # about; thin soles get longer edges than `LAYERS` gives
SECONDS = 300  # of processor time; the feet of docs/howto take at most 130
PER_CUBE = 0.12  # of an edge: volume of a tetrahedron
_CHILD = """
import numpy, pytetwild
with numpy.load(sys.argv[1]) as given:
    points, tets = pytetwild.tetrahedralize(
        given["points"], given["faces"], edge_length_abs=float(given["size"]),
        epsilon=float(given["envelope"]), stop_energy=float(given["energy"]), num_threads=1,
        quiet=False, loglevel=2, vtk_ordering=True,
    )
numpy.savez(sys.argv[2], points=points, tets=tets)
"""
_STAGES = (  # what a line of the child begins with, the work that follows, its share of the whole
    ("Initialized", "simplifying the surface", 0.0),
    ("Tetrahedralization performed", "inserting triangles", 0.1),
    ("edge splitting", "improving tetrahedra", 0.2),
    ("Tetrahedralization completed", "reading tetrahedra", 1.0),
)
_OUT_OF_TIME = (-9, -24)  # the signals of the limit
_WORST = re.compile(r"max_energy = ([0-9.e+]+)")


def fill_by_ftetwild(
    points: FloatArray,
    faces: IntArray,
    size: float,
    what: str,
    *,
    shown: bool = False,
) -> tuple[FloatArray, IntArray]:
    """Return points (n, 3) [m] and tetrahedra (e, 4) inside a surface, open or cutting itself.

    Parameters
    ----------
    points, faces : (n, 3) [m] and (f, 3).
    size : edge length [m].
    what : the file, in messages.
    shown : draw a progress bar if standard error is a terminal.

    Raises
    ------
    SoleError
        The extra is not installed.
    MeshError
        fTetWild fails, takes over `SECONDS`, or finds no inside.
    """
    require_extra("surfaces", "fTetWild")
    given = {
        "points": points,
        "faces": faces.astype(np.int32),
        "size": size,
        "envelope": ENVELOPE,
        "energy": ENERGY,
    }
    with (
        tempfile.TemporaryDirectory(prefix="sole-") as folder,
        progress_bar(f"meshing {what}", None, shown=shown, now=lambda: stage[0]) as tell,
    ):
        stage = [_STAGES[0][1]]
        before, after = Path(folder, "surface.npz"), Path(folder, "mesh.npz")
        np.savez(before, **given)  # type: ignore[arg-type]
        code = _run([str(before), str(after)], folder, stage, tell)
        if code in _OUT_OF_TIME:
            raise MeshError(
                f"{what}: fTetWild takes over {SECONDS} s of processor time with edges of "
                f"{1e3 * size:.3g} mm and {len(faces)} triangles: give a larger --size-tread, or "
                "export fewer triangles"
            )
        if code != 0 or not after.exists():
            why = f"signal {-code}" if code < 0 else f"exit code {code}"
            raise MeshError(
                f"{what}: fTetWild cannot mesh it ({why}): repair the surface, or take another "
                "--size-tread"
            )
        with np.load(after) as made:
            p, tets = made["points"], made["tets"].astype(np.int64)
    if not len(tets):
        raise MeshError(
            f"{what}: fTetWild finds no inside: the surface encloses no volume; export a solid"
        )
    used, compact = np.unique(tets, return_inverse=True)
    return np.asarray(p[used], dtype=float), compact.reshape(-1, 4)


def edge_length(volume: float, thickness: float) -> float:
    """Return the default edge length [m]: `LAYERS` edges over the thickness, bounded in number."""
    finest = float(np.cbrt(volume / (PER_CUBE * MOST_TETS)))
    return max(thickness / LAYERS, finest)


def _run(words: list[str], folder: str, stage: list[str], tell: Callable[[float], None]) -> int:
    """Run the child, say how far it is, and return its exit code; end it if this is broken off.

    It leaves files of its own in `folder`.
    """
    share, first, out = 0.0, 0.0, subprocess.PIPE
    with bounded_child(_CHILD, words, seconds=SECONDS, stdout=out, text=True, cwd=folder) as child:
        assert child.stdout is not None
        for line in child.stdout:
            for begin, name, least in _STAGES:
                if line.startswith(begin):
                    stage[0], share = name, max(share, least)
            worst = _WORST.match(line)
            if worst and share >= _STAGES[2][2]:
                energy = max(float(worst[1]), ENERGY)
                first = max(first, math.log(energy / ENERGY))
                left = math.log(energy / ENERGY) / first if first > 0 else 0.0
                share = max(share, 0.2 + 0.7 * (1 - left))
            tell(share)
        return child.wait()
