"""A finite sole as a job of CalculiX (Debian's `calculix-ccx`), and what it found.

C3D10 is the quadratic tetrahedron of "p2" on the same nodes. The law is Mooney-Rivlin for powers
(2, -2), neo-Hooke for the power 2: both with D1 = 2/kappa, as `sole.laws.Ogden`. Debian's ccx 2.20
ends without a message on *HYPERFOAM, so foams are not compared.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from sole.hyperelastic import FiniteSole
from sole.laws import Ogden

needs_calculix = pytest.mark.skipif(
    shutil.which("ccx") is None, reason="ccx is not there: apt-get install calculix-ccx"
)
EDGES = [(0, 1), (1, 2), (0, 2), (0, 3), (1, 3), (2, 3)]  # of the mid-edge nodes of a C3D10
assert set(EDGES) == set(combinations(range(4), 2))


def law_lines(law) -> list[str]:
    """The material cards of a law."""
    assert isinstance(law, Ogden)
    D = f"{2 / law.kappa:.15g}"
    if law.alpha == (2.0,):
        return ["*HYPERELASTIC,NEO HOOKE", f"{law.mu[0] / 2:.15g},{D}"]
    assert law.alpha == (2.0, -2.0)
    return ["*HYPERELASTIC,MOONEY-RIVLIN", f"{law.mu[0] / 2:.15g},{law.mu[1] / 2:.15g},{D}"]


class Job:
    """One static step with large displacements; the bond is fixed."""

    def __init__(self, sole: FiniteSole) -> None:
        numbers = sole.parts.numbering
        self.count = len(numbers.coordinates)
        ends = [np.bincount(edge, minlength=4) / 2 for edge in EDGES]
        local = np.vstack([np.eye(4), ends])
        order = [np.flatnonzero((numbers.barycentric == row).all(axis=1))[0] for row in local]
        tets = numbers.nodes_of_tet[:, order] + 1
        self.lines = ["*NODE,NSET=ALL", *map(_row, enumerate(numbers.coordinates, 1))]
        self.lines += ["*ELEMENT,TYPE=C3D10,ELSET=BODY"]
        self.lines += [",".join(map(str, [e, *row])) for e, row in enumerate(tets, 1)]
        self.lines += ["*MATERIAL,NAME=LAW", *law_lines(sole.laws[0])]
        self.lines += ["*SOLID SECTION,ELSET=BODY,MATERIAL=LAW"]
        self.elements, self.nodes = len(tets), self.count
        self.node_set("BOND", np.flatnonzero(numbers.fixed))
        slaves = np.flatnonzero(numbers.slave)
        self.node_set("TREAD", np.append(sole.mesh.tread_vertices, slaves))
        self.boundary = ["*BOUNDARY", "BOND,1,3"]

    def node_set(self, name: str, nodes) -> None:
        """Name some nodes."""
        self.lines += [f"*NSET,NSET={name}", *(str(node + 1) for node in nodes)]

    def move(self, name: str, way) -> None:
        """Prescribe the displacement of a set at the end."""
        self.boundary += [f"{name},{a},{a},{way[a - 1]:.15g}" for a in (1, 2, 3)]

    def tie(self, trace) -> None:
        """Tie slave nodes to the tread vertices, as the P1 trace does."""
        node, master, weight = trace
        for slave in np.unique(node):
            own = node == slave
            parts = list(zip(master[own] + 1, -weight[own], strict=True))
            for axis in (1, 2, 3):
                terms = [f"{m},{axis},{w:.15g}" for m, w in parts]
                self.lines += ["*EQUATION", str(1 + own.sum()), f"{slave + 1},{axis},1."]
                self.lines[-1] += "," + ",".join(terms)

    def gaps(self, vertices, points, clearances, normal, stiffness: float) -> None:
        """A gap element under every vertex, against nodes "GROUND" that may be moved."""
        self.lines += ["*NODE,NSET=GROUND"]
        self.lines += list(map(_row, enumerate(points, self.nodes + 1)))
        direction = ",".join(f"{x:.15g}" for x in normal)
        for k, (vertex, clearance) in enumerate(zip(vertices, clearances, strict=True)):
            self.lines += [
                f"*ELEMENT,TYPE=GAPUNI,ELSET=GAP{k}",
                f"{self.elements + 1 + k},{self.nodes + 1 + k},{vertex + 1}",
                f"*GAP,ELSET=GAP{k}",
                f"{clearance:.15g},{direction},,{stiffness:g}",
            ]

    def run(self, folder: Path, first: float = 0.1):
        """Return the displacements of the sole's nodes (N, 3) and the force on the bond (3,)."""
        steps = ["*STEP,NLGEOM,INC=1000", "*STATIC", f"{first},1.,1e-7,0.2"]
        steps += ["*CONTROLS,PARAMETERS=FIELD", "1e-8,1e-8", *self.boundary]
        steps += ["*NODE PRINT,NSET=ALL,FREQUENCY=1000", "U"]
        steps += ["*NODE PRINT,NSET=BOND,FREQUENCY=1000,TOTALS=ONLY", "RF", "*END STEP"]
        (folder / "job.inp").write_text("\n".join([*self.lines, *steps, ""]))
        done = subprocess.run(
            ["ccx", "-i", "job"], cwd=folder, capture_output=True, text=True, timeout=300,
            check=False,
        )  # fmt: skip
        assert "Job finished" in done.stdout, done.stdout[-500:]
        found = {}
        for part in re.split(r"\n(?= *(?:displacements|total force))", _text(folder)):
            rows = [line.split() for line in part.splitlines()[1:] if line.strip()]
            found[part.split()[0]] = np.array(rows, dtype=float)
        return found["displacements"][: self.count, 1:], found["total"].ravel()


def _text(folder: Path) -> str:
    return (folder / "job.dat").read_text().strip("\n")


def _row(numbered) -> str:
    number, point = numbered
    return ",".join([str(number), *(f"{x:.15g}" for x in point)])
