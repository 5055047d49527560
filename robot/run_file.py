"""Runs as NetCDF: named dimensions, units on everything, schema `robot.run/1`.

The root group holds the series over `time` (and over `frame`, `node` if nodal forces were
recorded), so that xarray and any other reader of NetCDF shows them; the groups `skeleton`,
`treads` and `ground` hold what pictures need. Written to a temporary name and renamed.
"""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robot.channels import CHANNELS, FRAMES, Channel
from robot.run import Run
from robot.skeleton import Shape, Skeleton
from robot.treads import Tread
from sole import __version__
from sole.archive import replacing, schema_of
from sole.errors import SchemaError

SCHEMA = "robot.run/1"
GROUPS = ("skeleton", "treads", "ground")
LABELS = {
    "xy": ["x", "y"],
    "xyz": ["x", "y", "z"],
    "wrench": ["fx", "fy", "fz", "tx", "ty", "tz"],
    "motion": ["x", "y", "z", "rx", "ry", "rz"],
    "rpy": ["roll", "pitch", "yaw"],
    "quaternion": ["qx", "qy", "qz", "qw"],
}


def save_run(path: Path, run: Run) -> None:
    """Write a run.

    Raises
    ------
    ResourceError
        The disk is full; what was there before is untouched.
    SoleError
        The folder does not exist or may not be written.
    """
    # Through memory: HDF5 itself ends the process when the disk is full.
    buffer = io.BytesIO()
    mode = "w"
    for group, dataset in _datasets(run).items():
        packed = {str(n): {"zlib": True, "complevel": 1} for n in _large(dataset)}
        dataset.to_netcdf(buffer, mode=mode, group=group, engine="h5netcdf", encoding=packed)
        mode = "a"
    with replacing(Path(path)) as temporary:
        temporary.write_bytes(buffer.getbuffer())


def _large(dataset: Any) -> list[str]:
    return [n for n, a in dataset.variables.items() if a.dtype.kind in "fib" and a.size > 4096]


def _datasets(run: Run) -> dict[str | None, Any]:
    import xarray

    data: dict[str, Any] = {}
    for name, values in {**run.series, **run.frames}.items():
        if name in ("time", "frame_time"):
            continue
        channel = {**CHANNELS, **FRAMES, **run.extras}[name]
        over = "frame_time" if name in run.frames else "time"
        attributes: dict[str, Any] = {"units": channel.unit, "long_name": channel.meaning}
        if name in run.extras:
            attributes["extra"] = 1
        stored = values.astype(np.int8) if values.dtype.kind == "b" else values
        data[name] = ((over, *channel.dims), stored, attributes)
    coordinates: dict[str, Any] = {"time": ("time", run.time, {"units": "s"})}
    if run.frames:
        coordinates["frame_time"] = ("frame_time", run.frames["frame_time"], {"units": "s"})
    named = {"joint": list(run.joints), "foot": list(run.feet)}
    named |= {"body": [t.name for t in run.treads]} | LABELS
    used = {d for value in data.values() for d in value[0]}
    coordinates |= {d: (d, names) for d, names in named.items() if d in used}
    head = {"schema": SCHEMA, "version": __version__, "header": json.dumps(dict(run.header))}
    groups: dict[str | None, Any] = {None: xarray.Dataset(data, coordinates, head)}
    groups["skeleton"] = _skeleton(run.skeleton)
    groups["treads"] = _treads(run.treads)
    if run.ground:
        x, y, z = (run.ground[n] for n in ("x", "y", "height"))
        groups["ground"] = xarray.Dataset(
            {"height": (("x", "y"), z, {"units": "m"})}, {"x": ("x", x), "y": ("y", y)}
        )
    return groups


def _skeleton(s: Skeleton) -> Any:
    import xarray

    square = ("row", "column")
    data: dict[str, Any] = {
        "parents": ("link", s.parents),
        "coordinates": ("link", s.coordinates),
        "first": ("link", s.first),
        "placements": (("link", *square), s.placements, {"units": "m"}),
        "axes": (("link", "motion"), s.axes),
        "frames": ("body", s.frames),
        "frame_placements": (("body", *square), s.frame_placements, {"units": "m"}),
    }
    shapes = [
        {
            "kind": h.kind,
            "link": h.link,
            "joint": int(h.joint),
            "placement": np.asarray(h.placement).tolist(),
            "size": np.asarray(h.size).tolist(),
            "path": None if h.path is None else str(h.path),
        }
        for h in s.shapes
    ]
    return xarray.Dataset(data, attrs={"names": json.dumps(s.names), "shapes": json.dumps(shapes)})


def _treads(treads: tuple[Tread, ...]) -> Any:
    import xarray

    data: dict[str, Any] = {}
    for b, t in enumerate(treads):
        data[f"points{b}"] = ((f"node{b}", "xyz"), t.points, {"units": "m"})
        data[f"areas{b}"] = (f"node{b}", t.areas, {"units": "m^2"})
        data[f"faces{b}"] = ((f"face{b}", "corner"), t.faces)
    told = [
        {"name": t.name, "foot": t.foot, "friction": t.friction, "rigid": t.rigid} for t in treads
    ]
    return xarray.Dataset(data, attrs={"treads": json.dumps(told)})


def load_run(path: Path) -> Run:
    """Read what `save_run` wrote, whole.

    Raises
    ------
    SchemaError
        Not a run, truncated, of another version, or without something it needs.
    """
    import xarray

    path = Path(path)
    found = schema_of(path)
    if found != SCHEMA:
        raise SchemaError(f"{path}: got a '{found}' file, expected '{SCHEMA}'")
    try:
        root = xarray.load_dataset(path, engine="h5netcdf")
        groups = {g: xarray.load_dataset(path, engine="h5netcdf", group=g) for g in GROUPS[:2]}
        try:
            groups["ground"] = xarray.load_dataset(path, engine="h5netcdf", group="ground")
        except OSError:  # a run without ground
            pass
        return _run(root, groups)
    except SchemaError:
        raise
    except Exception as error:  # HDF5, h5netcdf, xarray and json each have their own
        raise SchemaError(f"{path}: not a readable '{SCHEMA}' file ({error})") from error


def _run(root: Any, groups: dict[str, Any]) -> Run:
    series: dict[str, NDArray[Any]] = {"time": np.array(root["time"].values)}
    frames: dict[str, NDArray[Any]] = {}
    extras: dict[str, Channel] = {}
    for name, values in root.data_vars.items():
        name, array = str(name), np.ascontiguousarray(values.values)
        if name in FRAMES:
            frames[name] = array
            continue
        if "extra" in values.attrs:
            dims = tuple(str(d) for d in values.dims[1:])
            extras[name] = Channel(dims, values.attrs["units"], values.attrs["long_name"])
        series[name] = array.astype(bool) if array.dtype == np.int8 else array
    if frames:
        frames["frame_time"] = np.array(root["frame_time"].values)
    s, t, ground = groups["skeleton"], groups["treads"], groups.get("ground")
    shapes = tuple(
        Shape(
            kind=h["kind"],
            link=h["link"],
            joint=h["joint"],
            placement=np.array(h["placement"]),
            size=np.array(h["size"]),
            path=None if h["path"] is None else Path(h["path"]),
        )
        for h in json.loads(s.attrs["shapes"])
    )
    arrays = ("parents", "coordinates", "first", "placements", "axes", "frames", "frame_placements")
    skeleton = Skeleton(
        names=tuple(json.loads(s.attrs["names"])),
        shapes=shapes,
        **{n: s[n].values for n in arrays},
    )
    treads = tuple(
        Tread(
            points=t[f"points{b}"].values,
            faces=t[f"faces{b}"].values,
            areas=t[f"areas{b}"].values,
            **told,
        )
        for b, told in enumerate(json.loads(t.attrs["treads"]))
    )
    return Run(
        series=series,
        frames=frames,
        extras=extras,
        skeleton=skeleton,
        treads=treads,
        header=json.loads(root.attrs["header"]),
        ground={} if ground is None else {n: ground[n].values for n in ("x", "y", "height")},
    )
