"""The variables of a NetCDF file: dimensions, unit and meaning of each, from the file itself."""

from __future__ import annotations

from pathlib import Path

from sole.base.hdf5_files import open_hdf5
from sole.base.report import Quantity, Report

__all__ = ["describe_variables"]


def describe_variables(path: Path) -> Report:
    """Return one line per variable of a NetCDF file: its dimensions, unit and meaning.

    Coordinates come last: they are the variables that bear the name of a dimension.
    """
    with open_hdf5(path) as file:
        data = {name: d for name, d in file.items() if hasattr(d, "dims")}
        rows = {}
        for name, d in sorted(data.items(), key=lambda item: (item[1].is_scale, item[0])):
            own = [dim[0].name.lstrip("/") for dim in d.dims if len(dim)]
            names = [name] if d.is_scale else own
            unit = str(d.attrs.get("units", ""))
            meaning = str(d.attrs.get("long_name", "coordinate" if d.is_scale else ""))
            rows[name] = Quantity(", ".join(names), "" if unit == "1" else unit, meaning)
    return Report(f"variables of {path.name}", rows)
