"""What `lola-like` survives on ground that its plan does not know: tables of stored walks.

    python benchmarks/page_tables/lola_survival.py [TABLE ...] [--store FILE] [-o MAP.png]

`lola_walks_done.py` walks the ensembles and keeps them in docs/results/lola_walks.jsonl; nothing is
walked. A row counts the walks that differ in any bit, of those that the file knows. `-o` draws the
map of `soles`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from page_tables.lola_ensembles import (
    BOXES,
    EVERY,
    HEIGHTS,
    HIGHER,
    KEYS,
    KINDS,
    STRIDES,
    WAYS,
    WHOLE,
    YOUNGS,
    anywhere,
    boxes,
    by_place,
    clean,
    higher,
    on_soles,
    pairs,
    partial,
    striding,
    way,
)
from page_tables.printing import print_table
from robot.papers.experiments.edge_store import digest_of, stored_walks
from robot.papers.experiments.lola_cases import EdgeCase
from robot.papers.experiments.lola_walks import EdgeWalk
from robot.papers.experiments.obstacle_and_drop import flat
from robot.papers.experiments.paired_walks import compared, distinct_walks
from sole.base.numba_settings import set_up_numba

EASY = 0.05  # m: the goals of higher and deeper ground are lower
STORE = Path(__file__).resolve().parents[2] / "docs" / "results" / "lola_walks.jsonl"
CHANGES = ("tilt", "mean_tilt", "com_torque_x", "com_torque_y", "alone")
Known = Mapping[str, EdgeWalk]


def done(known: Known, cases: Sequence[EdgeCase]) -> list[EdgeWalk]:
    """Return the walks of these cases that are in the file and differ in any bit."""
    return distinct_walks([known[key] for key in map(digest_of, cases) if key in known])


def said(height: float) -> str:
    """Return a drop or a rise in words."""
    return f"{'rise' if height > 0 else 'drop'} of {100 * abs(height):g} cm"


def grounds() -> Iterator[tuple[str, list[EdgeCase], float | None]]:
    """Yield all grounds of the survival table under force control, with the goals [%]."""
    yield "flat", flat(WHOLE), None
    for height in EVERY:
        yield said(height), clean(height), 90 if abs(height) > EASY else 95
    for height in BOXES:
        yield f"box of {100 * height:g} cm, 30 cm long", boxes(height), 70 if height > EASY else 95
    for height in EVERY:
        yield f"{said(height)}, partial footholds", partial(height), None
    yield "all partial footholds", [case for h in EVERY for case in partial(h)], 80


def spread(values: Sequence[float], form: str) -> str:
    """Return median and largest, "" without values."""
    known = [v for v in values if v == v]
    return f"{np.median(known):{form}} ({max(known):{form}})" if known else ""


def survival(known: Known) -> Iterator[list[str]]:
    """Yield a row for each ground: walks that did not fall, and medians of these."""
    for name, cases, goal in grounds():
        walks = done(known, cases)
        on = [w for w in walks if not w.fell]
        if walks and len(walks) < len(cases):
            print(f"{name}: {len(walks)} of {len(cases)} walks", file=sys.stderr)
        yield [
            name,
            f"{len(on)} of {len(walks)}" if walks else "",
            "" if goal is None else f"{goal:g} %",
            spread([w.roll for w in on], ".2f"),
            spread([w.pitch for w in on], ".2f"),
            spread([w.landing for w in on], ".2f"),
            spread([100 * w.speed for w in on], ".0f"),
            spread([w.strain for w in on], ".2f"),
        ]


def experiments(known: Known) -> Iterator[list[str]]:
    """Yield a row for each comparison: survivors, and medians of paired changes."""
    for name, before, after in pairs():
        both = [
            (known[a], known[b])
            for a, b in zip(map(digest_of, before), map(digest_of, after), strict=True)
            if a in known and b in known
        ]
        if not both:
            yield [name, f"0 of {len(after)}", *[""] * 7]
            continue
        found = compared(*map(list, zip(*both, strict=True)))
        changes = [_change(found, n) for n in CHANGES]
        survived = f"{found['survived_before']:.0f}, {found['survived_after']:.0f}"
        counts = f"{found['walks']:.0f} of {len(after)}", survived, f"{found['pairs']:.0f}"
        yield [name, *counts, *changes]


def counted(known: Known, kind: str) -> dict[tuple[float, float], tuple[int, int]]:
    """Return (survived, walked) by E [Pa] and height [m]."""
    table = {}
    for E in YOUNGS:
        for height in HEIGHTS:
            walks = done(known, on_soles(height, E, kind))
            table[E, height] = (sum(not w.fell for w in walks), len(walks))
    return table


def soles(known: Known) -> Iterator[list[str]]:
    """Yield a row for each E and law: survivors by height, their inclination and landing."""
    for kind in KINDS:
        table = counted(known, kind)
        for E in YOUNGS:
            cells = [table[E, h] for h in HEIGHTS]
            total = [sum(column) for column in zip(*cells, strict=True)]
            counts = [f"{on} of {n}" if n else "" for on, n in (*cells, total)]
            walks = [w for h in HEIGHTS for w in done(known, on_soles(h, E, kind)) if not w.fell]
            numbers = ("tilt", ".1f"), ("landing", ".1f"), ("strain", ".2f")
            told = [spread([getattr(w, n) for w in walks], form) for n, form in numbers]
            yield [f"{E / 1e6:g} MPa", kind, *counts, *told]


def ways(known: Known) -> Iterator[list[str]]:
    """Yield a row for each ground: walked by plan, law and sensors."""
    for height in HEIGHTS:
        yield [said(height), *(_walked(known, way(height, name)) for name in WAYS)]


def rises(known: Known) -> Iterator[list[str]]:
    """Yield a row for each height, law and set of keys."""
    for height in HIGHER:
        for kind in KINDS:
            for keys in KEYS[: None if height == HIGHER[0] else 1]:
                told = str(keys.step_over).lower(), f"{keys.lift:g}", f"{keys.arrive or 0.9:g}"
                count = _walked(known, higher(height, keys, kind))
                yield [f"{100 * height:g} cm", kind, *told, count]


def strides(known: Known) -> Iterator[list[str]]:
    """Yield a row for each length of the steps."""
    for forward in STRIDES:
        counts = (_walked(known, cases) for cases in (striding(forward), anywhere(forward)))
        yield [f"{forward:g}", *counts]


def places(known: Known) -> Iterator[list[str]]:
    """Yield a row for each place of an edge."""
    for case in by_place(0.35):
        walk = known.get(digest_of(case))
        end = "" if walk is None else "falls" if walk.fell else "walks"
        yield [f"{100 * case.back:.2f}", end]


def _walked(known: Known, cases: Sequence[EdgeCase]) -> str:
    """Return how many of the distinct walks did not fall."""
    walks = done(known, cases)
    return f"{sum(not w.fell for w in walks)} of {len(walks)}" if walks else ""


def draw_map(known: Known, path: Path) -> None:
    """Draw the share of survivors over E and height, a panel for each law."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.0, 3.8), layout="constrained")
    panels = figure.subplots(1, 2, sharey=True)
    for axes, kind in zip(panels, KINDS, strict=True):
        table = counted(known, kind)
        share = np.array([[_share(*table[E, h]) for E in YOUNGS] for h in HEIGHTS])
        shown = axes.imshow(share, origin="lower", vmin=0, vmax=100, cmap="cividis", aspect="auto")
        for i, h in enumerate(HEIGHTS):
            for j, E in enumerate(YOUNGS):
                on, n = table[E, h]
                told, color = f"{on}/{n}" if n else "", "w" if share[i, j] < 50 else "k"
                axes.text(j, i, told, ha="center", va="center", fontsize=8, color=color)
        axes.set_xticks(range(len(YOUNGS)), [f"{E / 1e6:g}" for E in YOUNGS])
        axes.set_yticks(range(len(HEIGHTS)), [f"{100 * h:+g}" for h in HEIGHTS])
        axes.set(xlabel="E of the soles [MPa]", title=f"{kind} on the online plan")
    panels[0].set_ylabel("height of the ground behind the edge [cm]")
    figure.colorbar(shown, ax=panels, label="walks that did not fall [%]")
    figure.savefig(path, dpi=110)


def _change(found: Mapping[str, float], name: str) -> str:
    """Return a median change with its interval, if there are values enough for one."""
    if not found[f"{name}_count"]:
        return ""
    low, high = found[f"{name}_low"], found[f"{name}_high"]
    interval = "" if np.isnan(low) else f" ({low:+.0f} to {high:+.0f})"
    return f"{found[f'{name}_change']:+.0f}{interval}"


def _share(on: int, n: int) -> float:
    return 100 * on / n if n else np.nan


TABLES: dict[str, tuple[str, Callable[[Known], Iterator[list[str]]]]] = {
    "survival": (
        "ground | did not fall | goal | roll [deg] | pitch [deg] "
        "| landing [weights] | joint speed [% of limit] | sole deformed [thickness]",
        survival,
    ),
    "experiments": (
        "comparison | distinct pairs | survived | both stand | inclination [%] | its RMS [%] "
        "| T_x about the CoM [%] | T_y about the CoM [%] | F_z of a foot alone [%]",
        experiments,
    ),
    "soles": (
        f"soles | law | {' | '.join(said(h) for h in HEIGHTS)} | all "
        "| inclination [deg] | landing [weights] | sole deformed [thickness]",
        soles,
    ),
    "ways": (f"ground | {' | '.join(WAYS)}", ways),
    "rises": (
        "rise | law | `[plan] step_over` | `[gait] lift` [m] | `[plan] arrive` | walked",
        rises,
    ),
    "strides": ("step length [m] | walked | walked, edges anywhere", strides),
    "places": ("edge before the third foothold [cm] | end", places),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables that are asked for, by default all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tables", nargs="*", metavar="TABLE", help=", ".join(TABLES))
    parser.add_argument("--store", type=Path, default=STORE)
    parser.add_argument("-o", "--output", type=Path)
    given = parser.parse_args(arguments)
    if unknown := set(given.tables) - set(TABLES):
        parser.error(f"unknown: {', '.join(sorted(unknown))}; known are {', '.join(TABLES)}")
    known = stored_walks(given.store)
    for name in given.tables or TABLES:
        header, rows = TABLES[name]
        print_table(header, rows(known))
    if given.output is not None:
        draw_map(known, given.output)
    return 0


if __name__ == "__main__":
    set_up_numba()
    raise SystemExit(main())
