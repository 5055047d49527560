"""Walks of `rengifo14` on the vertices of its feet: the tables of docs/results/penalty.md.

    python benchmarks/page_tables/vertex_walks.py epsilon --keep docs/results
    python benchmarks/page_tables/vertex_walks.py pairs --keep docs/results
    python benchmarks/page_tables/vertex_walks.py causes

The experiments are those of `sole reproduce rengifo fig14 false_impact_cause`. With `--keep` counts
of walks are kept in a folder that exists, and an interrupted table goes on; docs has all of them.
Without, `epsilon` walks for a quarter of an hour.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from page_tables.printing import print_table
from robot.papers.experiments.epsilon_walks import (
    EPSILONS,
    count_walks,
    epsilon_cases,
    epsilon_numbers,
)
from robot.papers.experiments.vertex_ensemble import isolate_causes
from sole.base.numba_settings import set_up_numba
from sole.claims import Effort

CAUSES = {
    "paper": "the paper's law",
    "landing": "feet land at rest",
    "grip": "mu = 1000",
    "triangle": "three vertices a foot",
    "triangle_grip": "three vertices a foot, mu = 1000",
    "fitted": "forces fitted inside the cones",
}


def numbers_of_epsilon(folder: Path | None) -> dict[str, float]:
    """Walk what the folder has not."""
    cases = epsilon_cases(quick=False)
    return epsilon_numbers(count_walks(cases, lambda k: lambda fraction: None, folder))


def epsilon(folder: Path | None = None) -> Iterator[list[str]]:
    """Medians over the draws of each time step."""
    found = numbers_of_epsilon(folder)
    print(f"{found['fallen']:.0f} of {found['walked']:.0f} walks fell", file=sys.stderr)
    for step, fine in ((0.2, ""), (0.1, "_fine")):
        for name, value in EPSILONS.items():
            columns = ("lifts", "flights", "longest", "full")
            numbers = [found[f"{column}_{name}{fine}"] for column in columns]
            yield [f"{step:g}", f"{1e6 * value:g}", *(f"{n:.0f}" for n in numbers)]


def pairs(folder: Path | None = None) -> Iterator[list[str]]:
    """Ratios to epsilon = 0 of the distinct pairs of both time steps."""
    found = numbers_of_epsilon(folder)
    for name in list(EPSILONS)[1:]:
        cells = [f"{1e6 * EPSILONS[name]:g}", f"{found[f'distinct_{name}']:.0f}"]
        for what in ("lifts", "flights"):
            ratio, low, high = (found[f"{what}_{end}_{name}"] for end in ("ratio", "low", "high"))
            cells.append(f"{ratio:.2f} ({low:.2f} to {high:.2f})")
        yield cells


def causes(folder: Path | None = None) -> Iterator[list[str]]:
    """Lift-offs of vertices when one cause after the other is taken away; nothing is kept."""
    found = isolate_causes(Effort(quick=False)).numbers
    for name, label in CAUSES.items():
        columns = ("lifts", "bounces", "pulls", "slips", "least_squares")
        yield [label, *(f"{found[f'{name}_{column}']:g}" for column in columns)]


TABLES = {
    "epsilon": (
        "dt [ms] | epsilon [um] | lift-offs | all flights | longest [ms] "
        "| all four vertices in contact [% of single support]",
        epsilon,
    ),
    "pairs": (
        "epsilon [um] | distinct pairs | lift-offs over those of epsilon = 0 "
        "| all flights over those of epsilon = 0",
        pairs,
    ),
    "causes": (
        "epsilon = 0, dt = 0.2 ms | lift-offs | undamped rise | pull cut by (19) "
        "| friction cut by (20) | neither",
        causes,
    ),
}

if __name__ == "__main__":
    set_up_numba()
    chosen, kept = sys.argv[1:], None
    if "--keep" in chosen:
        at = chosen.index("--keep")
        kept = Path(chosen[at + 1])
        del chosen[at : at + 2]
    for table in chosen or TABLES:
        header, rows = TABLES[table]
        print_table(header, rows(kept))
