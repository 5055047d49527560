"""Tables of figure 5 of the deformable-soles paper: peaks of acceleration, waist inclination.

They come from studies of walks over Young's modulus and Poisson's ratio. Numbers are those of soles
on which the robot walked in every repeat.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import spearmanr

from robot.walk import SoleChoice
from sole.base.errors import SoleError
from sole.studies import read_table

if TYPE_CHECKING:
    import xarray as xr

__all__ = [
    "COLUMNS",
    "LINEAR",
    "MEASURES",
    "METRIC_LABELS",
    "NAMES",
    "NU",
    "SPREAD",
    "rank_trends",
    "read_figure5",
    "table_numbers",
]

PEAK, TILT = "landing_acceleration_100_hz", "waist_tilt"
METRIC_LABELS = {PEAK: "landing acceleration\nbelow 100 Hz [m/s²]", TILT: "waist inclination [deg]"}
IMPACTS = (PEAK, "waist_acceleration_100_hz", "impact_force")
MEASURES = dict(zip(("peak", "waist", "force", "tilt"), (*IMPACTS, TILT), strict=True))
METRICS = (*METRIC_LABELS, *IMPACTS[1:], "strain_p99", "stance_margin")
SPREAD = ("mean", "min", "max")
COLUMNS = ["study", "ground", "controller", "young", "poisson", "repeats", "fallen"]
COLUMNS += [f"{m} {how}" for m in METRICS for how in SPREAD]
NU, LINEAR = 0.4, 0.1  # Poisson's ratio of the curves; largest strain of a linear sole
NAMES = {"plane": "flat ground", "step:0.005,0.4": "plate of 5 mm", "pd": "plain PD"}
NAMES |= {"stabiliser": "stabiliser", "noisy": "noisy sensors"}


def read_figure5(path: Path) -> list[xr.Dataset]:
    """Return a table of `sole study` as data sets (young, poisson, repeat), one for each setting.

    A setting is a ground, a controller and, where a study varies it, a gain. Inclinations are in
    degrees. `fallen` (young, poisson) counts repeats that fell or failed; where it is not 0 the
    other variables are NaN. Attributes: study (the file's name), ground, controller.
    """
    table = read_table(path)
    if "young" not in table.dims or PEAK not in table:
        raise SoleError(f"{path}: no walks over E; run `sole study` on one of examples/studies")
    walk = json.loads(table.attrs["options"]).get("walk", {})
    noisy = walk.get("sensing", {}).get("kind") == "noisy"
    for name, usual in (
        ("ground", walk.get("ground", "plane")),
        ("controller", walk.get("control", {}).get("kind", "stabiliser")),
        ("poisson", walk.get("sole", {}).get("poisson", SoleChoice().poisson)),
        ("kp", walk.get("control", {}).get("kp", 0.0)),
        ("once", 0),
    ):
        table = table if name in table.dims else table.expand_dims({name: [usual]})
    several = table.sizes["kp"] > 1
    repeats = ["once", *json.loads(table.attrs["ensemble"])]
    table = table.stack({"repeat": repeats}, create_index=False)
    fallen = (table.fell != 0).sum("repeat")
    table = table[[m for m in METRICS if m in table]].where(fallen == 0).assign(fallen=fallen)
    table[TILT] = np.rad2deg(table[TILT])
    table = table.transpose(..., "young", "poisson", "repeat").drop_attrs()
    return [
        table.sel(ground=g, controller=c, kp=kp, drop=True).assign_attrs(
            study=path.stem,
            ground=NAMES.get(g, g),
            controller=NAMES["noisy" if noisy else c] + (f", kp {kp:g}" if several else ""),
        )
        for g in table.ground.values
        for c in table.controller.values
        for kp in table.kp.values
    ]


def table_numbers(walks: xr.Dataset) -> Any:
    """Return a data frame of `COLUMNS`, a row per sole: mean, minimum and maximum of repeats."""
    names = [m for m in METRICS if m in walks]
    found = walks.to_dataframe().groupby(["young", "poisson"])[names].agg(list(SPREAD))
    found.columns = [" ".join(c) for c in found.columns]
    found = found.assign(fallen=walks.fallen.to_series(), repeats=walks.sizes["repeat"])
    return found.reset_index().assign(**walks.attrs).reindex(columns=COLUMNS)


def rank_trends(walks: xr.Dataset) -> list[float]:
    """Return Spearman's rank correlations of E and peak, E and inclination, peak and inclination.

    They use means over repeats, of soles with no fall and strains up to `LINEAR`; the number of
    these soles comes first. The paper's signs are +, -, -. NaN for fewer than four soles.
    """
    peak, tilt = (walks[m].mean("repeat").values for m in METRIC_LABELS)
    E = np.broadcast_to(walks.young.values[:, None], peak.shape)
    on = (walks.strain_p99 <= LINEAR).all("repeat").values
    pairs = ((E, peak), (E, tilt), (peak, tilt)) if on.sum() > 3 else ()
    found = [float(spearmanr(a[on], b[on]).statistic) for a, b in pairs] or [np.nan] * 3
    return [int(on.sum()), *found]
