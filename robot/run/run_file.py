"""Runs as NetCDF 4: named dimensions, units on everything, schema `robot.run/1`.

Series have the dimension `time`, nodal snapshots `frame_time`; every dimension has its labels as a
coordinate. `skeleton`, `treads` and `header` are JSON texts; `ground` depends on `x` and `y`. h5py
writes plain dimension scales, which xarray, h5netcdf and netCDF4 read; xarray's own writer takes
seconds for so many variables. The file is written under a temporary name, then renamed.
"""

from __future__ import annotations

import io
import json
import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robot.run.channels import CHANNELS, FRAMES, Channel
from robot.run.run import Run
from robot.run.skeleton import LinkShape, Skeleton
from robot.run.treads import TreadNodes
from sole import __version__
from sole.base.archive import replacing, schema_of
from sole.base.errors import ResourceError, SchemaError, SoleError
from sole.base.file_digest import UNSEALED, check_seal, is_as_written, seal
from sole.base.file_kinds import how_to_make, refuse_other_schema
from sole.base.hdf5_files import open_hdf5

SCHEMA = "robot.run/1"
PACKED = 4096  # numbers above which a variable is compressed
SKELETON = (
    "parents", "coordinates", "first", "placements", "axes", "frames", "frame_placements",
)  # fmt: skip
LABELS = {
    "xy": ["x", "y"],
    "xyz": ["x", "y", "z"],
    "wrench": ["fx", "fy", "fz", "tx", "ty", "tz"],
    "motion": ["x", "y", "z", "rx", "ry", "rz"],
    "rpy": ["roll", "pitch", "yaw"],
    "quaternion": ["qx", "qy", "qz", "qw"],
    "margin": ["slip", "tilt"],
}


def save_run(path: Path, run: Run) -> None:
    """Write a run.

    Raises
    ------
    ResourceError
        The disk is full; an existing file stays untouched.
    SoleError
        The folder does not exist or is not writable, or the arguments are in another order.
    """
    import h5py

    if isinstance(path, Run):
        raise SoleError("save_run(path, run): the path comes first, as in every save_ function")

    # Through memory: HDF5 itself ends the process when the disk is full.
    buffer = io.BytesIO()
    with h5py.File(buffer, "w") as file:
        file.attrs["schema"] = SCHEMA
        file.attrs["version"] = __version__
        file.attrs.update(UNSEALED)
        _write(file, run)
    with replacing(Path(path)) as temporary:
        temporary.write_bytes(buffer.getvalue())
        seal(temporary)


def save_anyhow(path: Path, run: Run) -> None:
    """Write a run to `path` or, if that fails, to the folder for temporary files.

    Raises
    ------
    ResourceError
        It could not be written to `path`; the message says why, and where the run is.
    """
    try:
        save_run(path, run)
    except SoleError as error:
        rescue = Path(tempfile.gettempdir()) / f"{Path(path).stem}-{os.getpid()}.nc"
        try:
            save_run(rescue, run)
        except SoleError as second:
            raise ResourceError(f"{error}; {second}: the run is lost") from error
        raise ResourceError(f"{error}; the run is in {rescue} instead") from error


def _write(file: Any, run: Run) -> None:
    """Write the dimensions first, then the variables."""
    _text(file, "header", dict(run.header))
    _text(file, "skeleton", _skeleton(run.skeleton))
    _text(file, "treads", [_tread(t) for t in run.treads])
    channels = {**CHANNELS, **FRAMES, **run.extras}
    sizes: dict[str, int] = {"time": len(run)}
    variables: list[tuple[str, tuple[str, ...], NDArray[Any]]] = []
    for name, values in {**run.series, **run.frames}.items():
        if name in ("time", "frame_time"):
            continue
        dims = ("frame_time" if name in run.frames else "time", *channels[name].dims)
        sizes |= zip(dims, values.shape, strict=True)
        variables.append((name, dims, values))
    if run.ground:
        sizes |= {"x": len(run.ground["x"]), "y": len(run.ground["y"])}
        variables.append(("ground", ("x", "y"), run.ground["height"]))
    labels = {"time": run.time, **_labels(run)}
    if run.frames:
        labels["frame_time"] = run.frames["frame_time"]
    if run.ground:
        labels |= {"x": run.ground["x"], "y": run.ground["y"]}
    for name, size in sizes.items():
        values = np.asarray(labels.get(name, np.arange(size)))
        scale = _dataset(file, name, values)
        scale.make_scale(name)
        if name in ("time", "frame_time"):
            scale.attrs["units"] = "s"
        elif name in ("x", "y"):
            scale.attrs["units"] = "m"
    for name, dims, values in variables:
        data = _dataset(file, name, values)
        for k, dim in enumerate(dims):
            data.dims[k].attach_scale(file[dim])
        known = channels.get(name)
        data.attrs["units"] = "m" if known is None else known.unit
        data.attrs["long_name"] = "height of the ground" if known is None else known.meaning
        if name in run.extras:
            data.attrs["dims"] = json.dumps(known.dims if known else ())


def _dataset(file: Any, name: str, values: NDArray[Any]) -> Any:
    import h5py

    if values.dtype.kind in "US":
        return file.create_dataset(name, data=values.tolist(), dtype=h5py.string_dtype())
    stored = values.astype(np.int8) if values.dtype.kind == "b" else values
    if stored.size < PACKED:
        return file.create_dataset(name, data=stored)
    return file.create_dataset(name, data=stored, compression="gzip", compression_opts=1)


def _text(file: Any, name: str, value: Any) -> None:
    import h5py

    text = file.create_dataset(name, data=json.dumps(value), dtype=h5py.string_dtype())
    text.attrs["units"], text.attrs["long_name"] = "1", "JSON"


def _labels(run: Run) -> dict[str, Any]:
    place, turn = ["x", "y", "z"], ["rx", "ry", "rz"]
    labels: dict[str, Any] = {d: np.array(names) for d, names in LABELS.items()}
    labels["joint"] = np.array(run.joints, dtype=str)
    labels["foot"] = np.array(run.feet, dtype=str)
    labels["body"] = np.array([t.name for t in run.treads], dtype=str)
    base = [*place, "qx", "qy", "qz", "qw"]
    labels["position"] = np.array([*base, *run.joints])
    labels["velocity"] = np.array([*place, *turn, *run.joints])
    return labels


def _skeleton(s: Skeleton) -> dict[str, Any]:
    told = {name: getattr(s, name).tolist() for name in SKELETON}
    told["names"] = list(s.names)
    told["shapes"] = [
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
    return told


def _tread(t: TreadNodes) -> dict[str, Any]:
    told: dict[str, Any] = {n: getattr(t, n) for n in ("name", "foot", "friction", "rigid")}
    return told | {n: getattr(t, n).tolist() for n in ("points", "faces", "areas")}


def load_run(path: Path) -> Run:
    """Read a whole run written by `save_run`.

    Raises
    ------
    SchemaError
        The file is no run, truncated, incomplete, or of another version.
    """
    path = Path(path)
    refuse_other_schema(path, schema_of(path), SCHEMA)
    try:
        with open_hdf5(path) as file:
            check_seal(path, file.attrs)
            return _read(file)
    except SchemaError:
        raise
    except Exception as error:  # HDF5, h5py and json each raise their own
        if is_as_written(path):
            raise  # a mistake of this module
        raise SchemaError(
            f"{path}: not a readable '{SCHEMA}' file ({error}); {how_to_make(SCHEMA)}"
        ) from error


def _read(file: Any) -> Run:
    header, skeleton, treads = (
        json.loads(file[name].asstr()[()]) for name in ("header", "skeleton", "treads")
    )
    extras = {
        name: Channel(tuple(json.loads(d.attrs["dims"])), d.attrs["units"], d.attrs["long_name"])
        for name, d in file.items()
        if "dims" in d.attrs
    }
    series: dict[str, NDArray[Any]] = {}
    for name in (*CHANNELS, *extras):
        if name in file:
            array, dims = file[name][()], (CHANNELS | extras)[name].dims
            if array.ndim != 1 + len(dims):
                axes = ", ".join(("time", *dims))
                raise SchemaError(f"'{name}' has {array.ndim} axes, expected {axes}")
            series[name] = array.astype(bool) if array.dtype == np.int8 else array
    ground = {}
    if "ground" in file:
        ground = {"x": file["x"][()], "y": file["y"][()], "height": file["ground"][()]}
    shapes = tuple(
        LinkShape(
            kind=h["kind"],
            link=h["link"],
            joint=h["joint"],
            placement=np.array(h["placement"]),
            size=np.array(h["size"]),
            path=None if h["path"] is None else Path(h["path"]),
        )
        for h in skeleton["shapes"]
    )
    n, B = len(skeleton["names"]), len(skeleton["frames"])
    arrays = {name: np.array(skeleton[name]) for name in SKELETON}
    arrays["frame_placements"] = arrays["frame_placements"].reshape(B, 4, 4)
    arrays["placements"] = arrays["placements"].reshape(n, 4, 4)
    return Run(
        series=series,
        frames={name: file[name][()] for name in FRAMES if name in file},
        extras=extras,
        skeleton=Skeleton(names=tuple(skeleton["names"]), shapes=shapes, **arrays),
        treads=tuple(
            TreadNodes(
                name=t["name"],
                foot=t["foot"],
                friction=t["friction"],
                rigid=t["rigid"],
                points=np.array(t["points"], dtype=float).reshape(-1, 3),
                faces=np.array(t["faces"], dtype=np.int64).reshape(-1, 3),
                areas=np.array(t["areas"], dtype=float),
            )
            for t in treads
        ),
        header=header,
        ground=ground,
    )
