"""Tables of docs/figure5.md from docs/figure5.csv, which `examples/figure5.py` writes.

The file comes from the studies examples/studies/figure5_*.toml.

python benchmarks/page_tables/figure5_soles.py [studies trends every flat plate noisy finest
    repeats flat_short plate_short short_trends short_every]
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
from scipy.stats import spearmanr

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from page_tables.printing import print_table

CSV = Path(__file__).resolve().parents[2] / "docs" / "figure5.csv"
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
    "flat ground, noisy sensors": ("noisy", FLAT, NOISY),
}
SHORT = {
    "flat ground, plain PD": ("flat_short", FLAT, PD),
    "flat ground, stabiliser": ("flat_short", FLAT, STABILISER),
    "plate of 5 mm, stabiliser": ("plate_short", PLATE, STABILISER),
}


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


def spread(sole: Sole, metric: str) -> str:
    """Return mean (least to greatest)."""
    mean, low, high = (digits(float(sole[f"{metric} {how}"])) for how in ("mean", "min", "max"))
    return f"{mean} ({low} to {high})"


def studies() -> Iterator[list[str]]:
    """Count the walks and the falls of every study."""
    for name in dict.fromkeys(s["study"] for s in soles()):
        own = [s for s in soles() if s["study"] == name]
        walks, fell = (sum(int(s[key]) for s in own) for key in ("repeats", "fallen"))
        yield [name, str(walks), str(fell)]


def trends(
    most: float = LINEAR, studied: Mapping[str, tuple[str, str, str]] = TRENDS
) -> Iterator[list[str]]:
    """Rank correlations of soles on which every repeat walked, strained by `most` at most."""
    for name, wanted in studied.items():
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


def finest() -> Iterator[list[str]]:
    """Landing acceleration and inclination at the finest dt, and what dt still changes."""
    columns = [of("converged", g, c) for g in (FLAT, PLATE) for c in (PD, STABILISER)]
    for row in zip(*columns, strict=True):
        told = []
        for s in row:
            if s["fallen"] != "0":
                told.append("fell")
                continue
            left = int(float(s["unconverged mean"]))
            numbers = ", ".join(digits(float(s[f"{m} mean"])) for m in (LANDING, TILT))
            told.append(numbers + (f" ({left})" if left else ""))
        yield [f"{float(row[0]['young']) / 1e6:.3g}", *told]


def repeats() -> Iterator[list[str]]:
    """Ten walks on each of four soles, at nu = 0.4."""
    for study, ground, controller in (
        ("repeats_flat", FLAT, PD),
        ("repeats_flat", FLAT, STABILISER),
        ("repeats_plate", PLATE, STABILISER),
    ):
        for s in of(study, ground, controller):
            young = f"{float(s['young']) / 1e6:.3g}"
            if s["fallen"] != "0":
                fell = f"fell in {s['fallen']} of {s['repeats']}"
                yield [f"{ground}, {controller}", young, fell, *[""] * 4]
                continue
            told = [spread(s, m) for m in (*IMPACTS, TILT)]
            least = float(s["stance_margin min"])
            yield [f"{ground}, {controller}", young, *told, f"{least:.2f}"]


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
    "noisy": (
        "E [MPa] | flat: landing [m/s^2] | inclination [deg] | plate: landing [m/s^2] "
        "| inclination [deg]",
        lambda: over_young(("noisy", FLAT, NOISY), ("noisy", PLATE, NOISY)),
    ),
    "finest": (
        "E [MPa] | flat, plain PD | flat, stabiliser | plate, plain PD | plate, stabiliser",
        finest,
    ),
    "repeats": (
        "walk | E [MPa] | landing [m/s^2] | waist [m/s^2] | force [N] | inclination [deg] "
        "| least stance margin",
        repeats,
    ),
    "flat_short": (
        OVER,
        lambda: over_young(("flat_short", FLAT, PD), ("flat_short", FLAT, STABILISER), IMPACTS[1:]),
    ),
    "plate_short": (
        OVER,
        lambda: over_young(
            ("plate_short", PLATE, PD), ("plate_short", PLATE, STABILISER), IMPACTS[1:]
        ),
    ),
    "short_trends": (RANKS, lambda: trends(LINEAR, SHORT)),
    "short_every": (RANKS, lambda: trends(np.inf, SHORT)),
}

if __name__ == "__main__":
    for name in sys.argv[1:] or TABLES:
        header, rows = TABLES[name]
        print_table(header, rows())
