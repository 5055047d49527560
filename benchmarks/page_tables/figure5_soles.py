"""Tables of docs/results/figure5.md from figure5.csv, which `examples/figure5.py` writes.

The file comes from the studies examples/studies/figure5_*.toml.

python benchmarks/page_tables/figure5_soles.py [studies trends every flat plate repeats noisy paper
    gains per_nu]

Intervals are the least and greatest of the repeats, widened by the error of the time step: that of
the walk on the same ground with the same controller and the nearest E in the page's own table of
landing_steps.py.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import numpy as np
from scipy.stats import spearmanr

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from page_tables.marked_tables import tables_of
from page_tables.printing import print_table
from robot.papers.claims.chardonnet_robot import CHARDONNET_ROBOT_CLAIMS
from robot.papers.experiments.figure5_file import numbers_of_file, soles_of_file
from robot.papers.experiments.figure5_tables import MEASURES
from sole.base.numba_settings import set_up_numba

PAGE = Path(__file__).resolve().parents[2] / "docs" / "results" / "figure5.md"
CSV = Path(__file__).resolve().parents[2] / "docs" / "results" / "figure5.csv"
LANDING, TILT = "landing_acceleration_100_hz", "waist_tilt"
WAIST, FORCE, STRAIN = "waist_acceleration_100_hz", "impact_force", "strain_p99"
IMPACTS = (LANDING, WAIST, FORCE)
LINEAR, NU = 0.1, "0.4"  # largest strain of a linear sole; Poisson's ratio of the tables over E
FLAT, PLATE, PD, STABILISER = "flat ground", "plate of 5 mm", "plain PD", "stabiliser"
NOISY = "noisy sensors"
Sole = Mapping[str, str]
TRENDS = {
    "flat ground, plain PD": ("flat", FLAT, PD),
    "flat ground, stabiliser": ("flat", FLAT, STABILISER),
    "plate of 5 mm, stabiliser": ("plate", PLATE, STABILISER),
}
REPEATED = {
    "flat ground, plain PD": ("repeats_flat", FLAT, PD),
    "flat ground, stabiliser": ("repeats_flat", FLAT, STABILISER),
    "plate of 5 mm, stabiliser": ("repeats_plate", PLATE, STABILISER),
}
PAPER = {
    "flat, plain PD": ("paper_flat", FLAT, PD),
    "flat, stabiliser": ("paper_flat", FLAT, STABILISER),
    "plate, plain PD": ("paper_plate", PLATE, PD),
    "plate, stabiliser": ("paper_plate", PLATE, STABILISER),
}
GAINS = {f"{kp:g}": ("gains", FLAT, f"{PD}, kp {kp:g}") for kp in (5e3, 1e4, 3e4)}
WITH_ERROR = ("flat", "plate", "repeats_flat", "repeats_plate")
CLAIMED = {"fig5_flat": "pd_flat", "fig5_flat_stabiliser": "flat", "fig5_plate": "plate"}
ERRORS = ("walk", "landing [%]", "waist [%]", "force [%]", "inclination [%]")


def soles() -> list[Sole]:
    """Return the rows of the file."""
    with CSV.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def of(*wanted: str) -> list[Sole]:
    """Return the soles of a study, ground and controller."""
    return [s for s in soles() if (s["study"], s["ground"], s["controller"]) == wanted]


def digits(value: float) -> str:
    """Return three digits."""
    if value >= 999.5:
        return f"{round(value, -1):.0f}"
    return f"{value:#.3g}".rstrip(".")


@cache
def step_errors() -> tuple[tuple[str, float, dict[str, float]], ...]:
    """Return walk ("flat, plain PD"), E [Pa] and the share that each metric lacks at 0.125 ms."""
    tables = tables_of(PAGE.read_text(encoding="utf-8"), PAGE)
    (found,) = [table for table in tables if table.header == ERRORS]
    names = (*IMPACTS, TILT)
    rows = []
    for walk, *cells in found.rows:
        name, _, young = walk.rpartition(", ")
        shares = [float(cell) / 100 for cell in cells]
        rows.append((name, 1e6 * float(young.split()[0]), dict(zip(names, shares, strict=True))))
    return tuple(rows)


def lacking(sole: Sole, metric: str) -> float:
    """Return the share of a metric that the time step leaves out; 0 where it was not measured."""
    if sole["study"] not in WITH_ERROR:
        return 0.0
    ground = {FLAT: "flat", PLATE: "plate"}[sole["ground"]]
    walk = f"{ground}, {sole['controller']}"
    near = {
        abs(np.log(E / float(sole["young"]))): shares
        for name, E, shares in step_errors()
        if name == walk
    }
    return near[min(near)][metric] if near else 0.0


def spread(sole: Sole, metric: str) -> str:
    """Return mean (least to greatest), widened by the error of the time step."""
    mean, low, high = (float(sole[f"{metric} {how}"]) for how in ("mean", "min", "max"))
    error = lacking(sole, metric)
    least, most = low * (1 + min(error, 0)), high * (1 + max(error, 0))
    return f"{digits(mean)} ({digits(least)} to {digits(most)})"


def studies() -> Iterator[list[str]]:
    """Count the walks and the falls of every study."""
    for name in dict.fromkeys(s["study"] for s in soles()):
        own = [s for s in soles() if s["study"] == name]
        walks, fell = (sum(int(s[key]) for s in own) for key in ("repeats", "fallen"))
        yield [name, str(walks), str(fell)]


def trends(most: float = LINEAR) -> Iterator[list[str]]:
    """Rank correlations of soles on which every repeat walked, strained by `most` at most."""
    for name, wanted in TRENDS.items():
        own = of(*wanted)
        kept = [s for s in own if s["fallen"] == "0" and float(s[f"{STRAIN} max"]) <= most]
        E = [float(s["young"]) for s in kept]
        tilt = [float(s[f"{TILT} mean"]) for s in kept]
        peaks = [[float(s[f"{impact} mean"]) for s in kept] for impact in IMPACTS]
        pairs = [(E, x) for x in (*peaks, tilt)] + [(peak, tilt) for peak in peaks]
        rhos = [f"{spearmanr(a, b).statistic:+.2f}" for a, b in pairs]
        yield [name, f"{len(kept)} of {len(own)}", str(len(set(E))), *rhos]


def cells(sole: Sole, metrics: tuple[str, ...]) -> list[str]:
    """Return the spread of the first two metrics and the mean of the others, or how many fell."""
    if sole["fallen"] != "0":
        return [f"fell in {sole['fallen']} of {sole['repeats']}", *[""] * (len(metrics) - 1)]
    means = [digits(float(sole[f"{m} mean"])) for m in metrics[2:]]
    return [*(spread(sole, m) for m in metrics[:2]), *means]


def over_young(
    first: tuple[str, str, str], second: tuple[str, str, str], more: tuple[str, ...] = ()
) -> Iterator[list[str]]:
    """Two columns of soles at nu = 0.4; `more` metrics of the second. Stars: beyond `LINEAR`."""
    pairs = zip(*([s for s in of(*w) if s["poisson"] == NU] for w in (first, second)), strict=True)
    for a, b in pairs:
        strains = [float(s[f"{STRAIN} max"] or 0) for s in (a, b)]
        star = " *" if max(strains) > LINEAR else ""
        young = f"{float(a['young']) / 1e6:.3g}{star}"
        yield [young, *cells(a, (LANDING, TILT)), *cells(b, (LANDING, TILT, *more))]


def repeats() -> Iterator[list[str]]:
    """Ten walks on each of four soles, at nu = 0.4."""
    for name, wanted in REPEATED.items():
        for s in of(*wanted):
            young = f"{float(s['young']) / 1e6:.3g}"
            if s["fallen"] != "0":
                yield [name, young, f"fell in {s['fallen']} of {s['repeats']}", *[""] * 4]
                continue
            told = [spread(s, m) for m in (*IMPACTS, TILT)]
            yield [name, young, *told, f"{float(s['stance_margin min']):.2f}"]


def settings(
    wanted: Mapping[str, tuple[str, str, str]], more: tuple[str, ...] = ()
) -> Iterator[list[str]]:
    """Soles of several settings, one below the other; stars: beyond `LINEAR`."""
    for name, setting in wanted.items():
        for sole in of(*setting):
            star = " *" if float(sole[f"{STRAIN} max"] or 0) > LINEAR else ""
            young = f"{float(sole['young']) / 1e6:.3g}{star}"
            yield [name, young, *cells(sole, (LANDING, TILT, *more))]


def per_nu() -> Iterator[list[str]]:
    """Rank correlations with E at each nu; their median, its interval and the claim's verdict."""
    found = numbers_of_file(CSV)
    verdicts = {c.name: c.verdict(found) for c in CHARDONNET_ROBOT_CLAIMS if c.name in CLAIMED}
    settings_of = soles_of_file(CSV)
    for name, prefix in CLAIMED.items():
        soles = settings_of[prefix]
        ranks = {measure: soles.by_ratio(measure) for measure in MEASURES}
        for n, nu in enumerate(soles.ratios):
            told = ["" if np.isnan(r[n]) else f"{r[n]:+.2f}" for r in ranks.values()]
            yield [f"`{name}`", f"{nu:g}", str(soles.stands[:, n].sum()), *told, ""]
        told = [
            f"{found[f'{prefix}_{m}']:+.2f} ({found[f'{prefix}_{m}_low']:+.2f} to "
            f"{found[f'{prefix}_{m}_high']:+.2f})"
            for m in MEASURES
        ]
        yield [f"`{name}`", "median", f"{found[f'{prefix}_moduli']:.0f}", *told, verdicts[name]]


OVER = "E [MPa] | plain PD: landing [m/s^2] | inclination [deg] | stabiliser: landing [m/s^2] "
OVER += "| inclination [deg] | waist [m/s^2] | impact force [N]"
RANKS = (
    "rank correlation of | soles | values of E | E, landing | E, waist | E, force | E, inclination "
    "| landing, inclination | waist, inclination | force, inclination"
)
TABLES = {
    "studies": ("study | walks | fell", studies),
    "trends": (RANKS, trends),
    "every": (RANKS, lambda: trends(np.inf)),
    "flat": (OVER, lambda: over_young(("flat", FLAT, PD), ("flat", FLAT, STABILISER), IMPACTS[1:])),
    "plate": (
        OVER,
        lambda: over_young(("plate", PLATE, PD), ("plate", PLATE, STABILISER), IMPACTS[1:]),
    ),
    "repeats": (
        "walk | E [MPa] | landing [m/s^2] | waist [m/s^2] | force [N] | inclination [deg] "
        "| least stance margin",
        repeats,
    ),
    "noisy": (
        "E [MPa] | flat: landing [m/s^2] | inclination [deg] | plate: landing [m/s^2] "
        "| inclination [deg]",
        lambda: over_young(("noisy", FLAT, NOISY), ("noisy", PLATE, NOISY)),
    ),
    "paper": (
        "walks | E [MPa] | landing [m/s^2] | inclination [deg] | waist [m/s^2] | force [N]",
        lambda: settings(PAPER, IMPACTS[1:]),
    ),
    "gains": (
        "kp [N m/rad] | E [MPa] | landing [m/s^2] | inclination [deg]",
        lambda: settings(GAINS),
    ),
    "per_nu": (
        "claim | nu | values of E | E, landing | E, waist | E, force | E, inclination | verdict",
        per_nu,
    ),
}

if __name__ == "__main__":
    set_up_numba()
    for name in sys.argv[1:] or TABLES:
        header, rows = TABLES[name]
        print_table(header, rows())
