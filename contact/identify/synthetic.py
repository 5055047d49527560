"""Readings of a bench that nobody built: what a sole of known materials would show, with noise."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from contact.identify.bench_data import BenchData, BenchReading
from contact.identify.material_family import MaterialFamily
from contact.identify.predictions import BenchPoint, predict
from sole.base.archive import replacing

SMALLEST = 0.05  # of a reading: noise never turns it negative


def make_readings(
    family: MaterialFamily,
    plan: Sequence[BenchReading],
    point: BenchPoint,
    noise: float,
    seed: int,
) -> BenchData:
    """Return the readings of a plan, whose values do not count, with `noise` as a share of them."""
    p, _ = predict(family, plan, point)
    factor = 1 + noise * np.random.default_rng(seed).normal(size=len(p))
    y = p * np.maximum(factor, SMALLEST)
    return BenchData(tuple(replace(r, value=float(v)) for r, v in zip(plan, y, strict=True)))


def write_bench(path: Path, data: BenchData) -> None:
    """Write readings as a CSV that `read_bench` takes."""
    header = [
        "test", "tool", "press [N]", "shear [N]", "torque [N m]", "offset [mm]", "reading [mm]",
        "turn [mrad]", "time [s]",
    ]  # fmt: skip
    with replacing(path) as temporary, open(temporary, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        for r in data.readings:
            load, value = f"{r.load:.6g}", f"{1e3 * r.value:.6g}"
            writer.writerow(
                [
                    r.test,
                    r.tool.name,
                    f"{r.press:.6g}",
                    load if r.axis < 2 else "",
                    load if r.axis == 5 else "",
                    f"{1e3 * r.load / r.press:.6g}" if r.axis in (3, 4) else "",
                    value if r.axis < 3 else "",
                    value if r.axis >= 3 else "",
                    "" if math.isinf(r.time) else f"{r.time:.6g}",
                ]
            )
