"""What `sole identify` tells: the unknowns with intervals, correlations, the next test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from contact.identify import Identification, TestAdvice
from sole.base.readable import in_words
from sole.base.report import Quantity, Report

__all__ = ["describe_identification"]

SHOWN = 3  # tests to do next


def describe_identification(
    found: Identification,
    advice: Sequence[TestAdvice],
    remarks: Sequence[str] = (),
    files: Mapping[str, Path | None] | None = None,
) -> Report:
    """Return the report of an identification; `files` : what was written, by the row's name."""
    rows: dict[str, Quantity] = {}
    for k, name in enumerate(found.names):
        low, high = found.interval(name)
        unit = "Pa" if name.endswith(".E") else "s" if name == "eta" else ""
        label = "thickness" if name == "thickness" else name
        rows[label] = Quantity(
            float(found.values[k]),
            unit,
            f"95 %: {in_words([low, high], unit, 5)}; sd {_share(found, k)}"
            + ("; of the mesh's" if name == "thickness" else ""),
        )
        rows[f"{label} sd"] = Quantity(float(found.sd[k]), unit)
    for i in range(len(found.names)):
        for j in range(i):
            pair = f"correlation {found.names[j]} {found.names[i]}"
            rows[pair] = Quantity(float(found.correlation[i, j]))
    rows["readings"] = Quantity(len(found.data.readings), "", ", ".join(found.data.tests))
    rows["scatter"] = Quantity(found.noise, "", "of the readings about the fit, relative")
    worst = int(np.argmax(np.abs(found.residuals)))
    row = found.data.readings[worst]
    rows["worst reading"] = Quantity(
        float(found.residuals[worst]), "sd", f"row {row.row}, {row.test}, {row.tool.name}"
    )
    for n, a in enumerate(advice[:SHOWN], 1):
        pairs = zip(found.names, a.sd, found.values, strict=True)
        left = ", ".join(
            f"{name} {sd:.2g}" if name.endswith(".nu") else f"{name} {sd / v:.2g} of it"
            for name, sd, v in pairs
        )
        rows[f"next test {n}"] = Quantity(
            f"{a.test}, {a.tool}", "", f"4 readings leave standard deviations of {left}"
        )
    for name, path in (files or {}).items():
        if path is not None:
            rows[name] = Quantity(str(path))
    return Report("identified materials", rows, tuple(remarks))


def _share(found: Identification, k: int) -> str:
    if found.names[k].endswith(".nu"):
        return f"{found.sd[k]:.2g}"
    return f"{100 * found.sd[k] / found.values[k]:.2g} %"
