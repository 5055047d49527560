"""Ground that the plan does not know: what fixed and online plans survive.

    python benchmarks/page_tables/unknown_ground.py [online] [force] [fixed] [--again]

The stabiliser walks on fixed and online plans, "force" is force control on the online plan.

`lola-like` walks five steps of 0.35 m, 0.7 + 0.1 s, on pads of 20 mm (2 MPa, nu = 0.45, p1, 40 mm
mesh, dt = 1 ms, true state). Four places of the edge, 0.80 to 0.96 m, lie around the third
foothold, at 1.05 m; the foot is 0.26 m long. At some a foot stands on the edge with a strip: these
are counted apart. Each walk takes five seconds and is kept in docs/lola_walks.jsonl: those that are
there are not walked again, unless `--again` is given.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from page_tables.printing import print_table
from robot.papers.experiments.edge_store import digest_of, store_walk, stored_walks
from robot.papers.experiments.lola_walks import EdgeCase, EdgeWalk, measured, walk_over

CASES = (-0.01, -0.02, -0.04, -0.055, 0.01, 0.02, 0.04, 0.09)  # m
EDGES = (0.80, 0.88, 0.92, 0.96)  # m
DOWN, UP = (0.96,), (0.80, 0.96)  # m: edges under a foot's heel or toes
STORE = Path(__file__).resolve().parents[2] / "docs" / "lola_walks.jsonl"


def case_of(height: float, edge: float, plan: str) -> EdgeCase:
    """Return a walk over an edge of `height` at x = `edge` [m]."""
    kind, online = "force" if plan == "force" else "stabiliser", plan != "fixed"
    return EdgeCase(height=height, edge=(edge, 0), kind=kind, phase_logic=online)


def walked(case: EdgeCase, again: bool) -> EdgeWalk:
    """Return a walk from the file, or walk it and keep it there."""
    known = {} if again else stored_walks(STORE)
    key = digest_of(case)
    if key not in known:
        known[key] = measured(walk_over(case))
        store_walk(STORE, case, known[key])
    return known[key]


def rows(plan: str, again: bool = False) -> Iterator[list[str]]:
    """Yield a row for each drop and rise."""
    for height in CASES:
        clean, partial = [], []
        for edge in EDGES:
            strip = edge in (UP if height > 0 else DOWN)
            (partial if strip else clean).append(walked(case_of(height, edge, plan), again))
        on = [done for done in clean if not done.fell]
        tilts = [
            f"{np.median(values):.2f} ({max(values):.2f})" if values else ""
            for values in ([done.roll for done in on], [done.pitch for done in on])
        ]
        yield [
            f"{'rise' if height > 0 else 'drop'} of {100 * abs(height):g} cm",
            plan,
            f"{len(on)} of {len(clean)}",
            *tilts,
            f"{sum(not done.fell for done in partial)} of {len(partial)}",
        ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table of the plans that are asked for, by default of two."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    again = "--again" in given
    plans = [plan for plan in given if plan != "--again"] or ["fixed", "online"]
    print_table(
        "ground | plan | walked | roll [deg] | pitch [deg] | walked, partial footholds",
        (row for plan in plans for row in rows(plan, again)),
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
