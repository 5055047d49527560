"""Numbers, vectors and texts of HDF5; every error names the file or the dataset."""

from __future__ import annotations

import contextlib
import hashlib
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from sole.base.archive import replacing
from sole.base.arrays import FloatArray, IntArray, frozen
from sole.base.errors import ResourceError, SchemaError, SoleError
from sole.base.file_sizes import check_hdf5_sizes
from sole.base.files import existing_file
from sole.base.hdf5_files import open_hdf5
from sole.base.memory import require_memory


def read_group(parent: Any, name: str) -> Any:
    """Return the h5py group `name`; SchemaError if it is not there."""
    import h5py

    found = parent.get(name)
    if not isinstance(found, h5py.Group):
        raise SchemaError(f"group '{_place(parent, name)}' {_lack(found, 'group')}")
    return found


def read_vector(group: Any, name: str) -> FloatArray:
    """Return a vector of finite numbers."""
    require_memory(16.0 * (dataset(group, name).size or 0), f"reading {name}", "a smaller problem")
    return frozen(read_numbers(group, name))


def read_numbers(group: Any, name: str) -> FloatArray:
    """Return finite real numbers, flat; refuse text, complex numbers and empty datasets."""
    found = dataset(group, name)
    place = _place(group, name)
    if found.shape is None:
        raise SchemaError(f"{place} holds nothing (a null dataspace), expected numbers")
    if not is_real(found.dtype):
        raise SchemaError(f"{place} must hold real numbers, got {_kind(found.dtype)}")
    values = np.asarray(found[()]).astype(float).ravel()
    if not np.isfinite(values).all():
        raise SchemaError(f"{place} holds NaN or infinity")
    return values


def read_optional(f: Any, place: str, size: int) -> FloatArray | None:
    """Return `size` finite real numbers, flat; None where there are none."""
    import h5py

    try:
        found = f.get(place)
    except (LookupError, ValueError):  # the parent is not a group
        return None
    if not isinstance(found, h5py.Dataset) or found.size != size or not is_real(found.dtype):
        return None
    values = np.asarray(found[()], dtype=float).ravel()
    return values if np.isfinite(values).all() else None


def numbers_in(group: Any) -> list[int]:
    """Return the names in a group that are numbers, sorted; none if it is not a group."""
    import h5py

    if not isinstance(group, h5py.Group):
        return []
    return sorted(int(name) for name in group if name.isascii() and name.isdecimal())


def read_texts(group: Any) -> dict[str, str]:
    """Return title, description and math_info; '' where a file has none."""
    import h5py

    info = group.get("info")
    out = {}
    for name in ("title", "description", "math_info"):
        value = info.get(name) if isinstance(info, h5py.Group) else None
        text: list[Any] = []
        if isinstance(value, h5py.Dataset) and value.shape is not None:
            text = np.asarray(value[()]).ravel()[:1].tolist()
        raw = text[0] if text else ""
        out[name] = (raw.decode("utf-8", "replace") if isinstance(raw, bytes) else str(raw)).strip()
    return out


@contextlib.contextmanager
def open_to_read(path: Path) -> Iterator[Any]:
    """Open for reading; every error names the file."""
    import h5py

    existing_file(path, SchemaError)
    if not h5py.is_hdf5(path):
        raise SchemaError(f"{path}: not an HDF5 file (foreign, or its beginning is missing)")
    try:
        with open_hdf5(path) as f:
            check_hdf5_sizes(path, f)
            yield f
    except ResourceError as error:
        raise ResourceError(f"{path}: {error}") from error
    except SoleError as error:
        text = str(error)
        raise SchemaError(text if text.startswith(f"{path}: ") else f"{path}: {text}") from error
    except (LookupError, OSError, RuntimeError, TypeError, ValueError, AttributeError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise SchemaError(f"{path}: cannot be read, truncated or damaged ({reason})") from error


@contextlib.contextmanager
def open_to_write(path: Path) -> Iterator[Any]:
    """Open for writing, atomically."""
    import h5py

    # Through memory: HDF5 itself ends the process when the disk is full.
    buffer = io.BytesIO()
    with h5py.File(buffer, "w") as f:
        yield f
    with replacing(path) as temporary:
        temporary.write_bytes(buffer.getvalue())


def digest_of(path: Path) -> str:
    """Return a hash of the file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()[:32]


def one(value: int) -> IntArray:
    """Return FCLIB's single integer: an array of one."""
    return np.array([value], dtype=np.int32)


def dataset(group: Any, name: str) -> Any:
    """Return the h5py dataset `name`; SchemaError if it is not there."""
    import h5py

    found = group.get(name)
    if not isinstance(found, h5py.Dataset):
        raise SchemaError(f"dataset '{_place(group, name)}' {_lack(found, 'dataset')}")
    return found


def read_number(group: Any, name: str) -> int:
    """Return an integer stored as a scalar or as an array of one."""
    values = np.asarray(dataset(group, name)[()])
    if values.size != 1 or not is_real(values.dtype) or not np.isfinite(values).all():
        raise SchemaError(f"{_place(group, name)} must be one number")
    return int(values.ravel()[0])


def is_real(dtype: Any) -> bool:
    """Whether values of `dtype` turn into floats without loss of a part: b, i, u, f."""
    return dtype.kind in "biuf"


def _kind(dtype: Any) -> str:
    return {"c": "complex numbers", "V": "records"}.get(dtype.kind, "text")


def _place(parent: Any, name: str) -> str:
    return f"{parent.name}/{name}".strip("/")


def _lack(found: Any, kind: str) -> str:
    return "is missing" if found is None else f"is not a {kind}"
