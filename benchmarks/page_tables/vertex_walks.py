"""Walks of `rengifo14` on the vertices of its feet: two tables of docs/penalty.md.

    python benchmarks/page_tables/vertex_walks.py epsilon     # ten minutes
    python benchmarks/page_tables/vertex_walks.py causes

The experiments are those of `sole reproduce rengifo fig14 false_impact_cause`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from page_tables.printing import print_table
from robot.papers.experiments.vertex_ensemble import (
    EPSILONS,
    isolate_causes,
    reproduce_vertex_walk,
)
from sole.claims import Effort

CAUSES = {
    "paper": "the paper's law",
    "landing": "feet land at rest",
    "grip": "mu = 1000",
    "triangle": "three vertices a foot",
    "triangle_grip": "three vertices a foot, mu = 1000",
    "fitted": "forces fitted inside the cones",
}


def epsilon() -> Iterator[list[str]]:
    """Medians over three landing speeds, for two time steps."""
    found = reproduce_vertex_walk(Effort(quick=False)).numbers
    for step, fine in ((0.2, ""), (0.1, "_fine")):
        for name, value in EPSILONS.items():
            columns = ("lifts", "lifts_ratio", "flights", "flights_ratio", "longest", "full")
            numbers = [found[f"{column}_{name}{fine}"] for column in columns]
            forms = ("g", ".2f", "g", ".2f", ".0f", ".0f")
            cells = [f"{n:{form}}" for n, form in zip(numbers, forms, strict=True)]
            yield [f"{step:g}", f"{1e6 * value:g}", *cells]


def causes() -> Iterator[list[str]]:
    """Lift-offs of vertices when one cause after the other is taken away."""
    found = isolate_causes(Effort(quick=False)).numbers
    for name, label in CAUSES.items():
        columns = ("lifts", "bounces", "pulls", "slips", "least_squares")
        yield [label, *(f"{found[f'{name}_{column}']:g}" for column in columns)]


TABLES = {
    "epsilon": (
        "dt [ms] | epsilon [um] | lift-offs | over epsilon = 0 | all flights | over epsilon = 0 "
        "| longest [ms] | all four vertices in contact [% of single support]",
        epsilon,
    ),
    "causes": (
        "epsilon = 0, dt = 0.2 ms | lift-offs | undamped rise | pull cut by (19) "
        "| friction cut by (20) | neither",
        causes,
    ),
}

if __name__ == "__main__":
    for table in sys.argv[1:] or TABLES:
        header, rows = TABLES[table]
        print_table(header, rows())
