"""Reports of a press at finite strain: for `sole press` and, from its file, for `sole info`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from contact.finite_press import FinitePressRecord, load_finite_press
from contact.summaries.press_summary import (
    notes_of_load,
    notes_of_mesh,
    rows_of_certificate,
    rows_of_contact,
    rows_of_load,
    rows_of_nodes,
)
from sole.base.errors import MaterialError
from sole.base.report import Quantity, Report
from sole.laws import check_stability


def finite_press(path: Path) -> Report:
    """Describe the file of a press at finite strain."""
    return describe_finite_press(load_finite_press(path))


def describe_finite_press(record: FinitePressRecord) -> Report:
    """Return the table of a press: laws, load, contact, motion, stretches, energy, certificate."""
    s, c = record.summary, record.certificate
    stretches = np.array([s["least_stretch"], s["largest_stretch"]])
    rows = {
        **{
            f"law of {layer}": Quantity(str(material))
            for layer, material in zip(record.mesh.layers, record.materials, strict=True)
        },
        "element": Quantity(record.element),
        **rows_of_load(record, record.loads),
        **rows_of_contact(record, s),
        "contact area": Quantity(float(s["contact_area"]), "m^2", "of the deformed tread"),
        "strain": Quantity(
            float(s["strain"]), "", "99 % of the volume is compressed by less than this"
        ),
        "stretches": Quantity(stretches, "", "least and largest principal stretch"),
        **rows_of_nodes(record),
        "energy": Quantity(float(s["energy"]), "J", "elastic"),
        **rows_of_certificate(c.contact),
        "internal residual": Quantity(c.internal, "", "of the nodal forces, relative"),
        "newton": Quantity(
            int(s["newton"]), "", f"steps on the sole, {s['clipped']} with a clipped tangent"
        ),
    }
    notes = (
        *_stopped(record),
        *notes_of_load(record, record.loads[-1]),
        *_sides(record),
        *_unstable(record),
        *notes_of_mesh(record, rows),
    )
    return Report("press at finite strain", rows, notes)


def _stopped(record: FinitePressRecord) -> Iterator[str]:
    """Yield a warning if the press did not reach its load."""
    asked, reached = int(record.summary["increments"]), len(record.loads)
    if reached < asked:
        yield f"the press stopped: this is increment {reached} of {asked}, not the whole load"


def _sides(record: FinitePressRecord) -> Iterator[str]:
    """Yield a warning of sides that bulge under the ground."""
    nodes, depth = int(record.summary["sides_below"]), float(record.summary["sides_depth"])
    if nodes:
        yield (
            f"{nodes} vertices of the sides are up to {1e3 * depth:.2g} mm under the ground: only "
            "the tread touches it, so these bulges are not modelled; chamfer the tread "
            "(`sole mesh --chamfer`), or press less"
        )


def _unstable(record: FinitePressRecord) -> Iterator[str]:
    """Yield a warning of every law that is unstable at the stretches that were reached."""
    low = min(1.0, float(record.summary["least_stretch"]))
    high = max(1.0, float(record.summary["largest_stretch"]))
    for layer, material in zip(record.mesh.layers, record.materials, strict=True):
        try:
            check_stability(material.law, low, high)
        except MaterialError as error:
            yield f"layer '{layer}' was pressed to stretches from {low:.3g} to {high:.3g}: {error}"
