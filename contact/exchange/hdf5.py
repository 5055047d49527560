"""HDF5 for FCLIB's files: every error names the file or the dataset, in one line."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from sole.archive import replacing
from sole.arrays import FloatArray, IntArray, frozen
from sole.errors import ResourceError, SchemaError, SoleError
from sole.memory import require_memory


def read_group(parent: Any, name: str) -> Any:
    """Return the h5py group `name`; SchemaError if it is not there."""
    import h5py

    found = parent.get(name)
    if not isinstance(found, h5py.Group):
        raise SchemaError(f"group '{parent.name.strip('/')}/{name}' is missing")
    return found


def read_vector(group: Any, name: str) -> FloatArray:
    """Return a vector of finite numbers."""
    found = dataset(group, name)
    require_memory(16.0 * found.size, f"reading {name}", "a smaller problem")
    values = np.asarray(found[()])
    if values.dtype.kind not in "iuf":
        raise SchemaError(f"vectors/{name} must hold numbers")
    values = values.astype(float).ravel()
    if not np.isfinite(values).all():
        raise SchemaError(f"vectors/{name} holds NaN or infinity")
    return frozen(values)


def read_texts(group: Any) -> dict[str, str]:
    """Return title, description and math_info; '' where a file has none."""
    import h5py

    info = group.get("info")
    out = {}
    for name in ("title", "description", "math_info"):
        value = info.get(name) if isinstance(info, h5py.Group) else None
        text = np.asarray(value[()]).ravel()[:1].tolist() if value is not None else []
        raw = text[0] if text else ""
        out[name] = (raw.decode("utf-8", "replace") if isinstance(raw, bytes) else str(raw)).strip()
    return out


@contextlib.contextmanager
def opened(path: Path) -> Iterator[Any]:
    """Open for reading; every error names the file."""
    import h5py

    if not path.is_file():
        raise SchemaError(f"{path}: {'is a folder' if path.is_dir() else 'no such file'}")
    if not h5py.is_hdf5(path):
        raise SchemaError(f"{path}: not an HDF5 file (foreign, or its beginning is missing)")
    try:
        with h5py.File(path, "r") as f:
            yield f
    except ResourceError as error:
        raise ResourceError(f"{path}: {error}") from error
    except SoleError as error:
        raise SchemaError(f"{path}: {error}") from error
    except (OSError, KeyError, RuntimeError, TypeError, ValueError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise SchemaError(f"{path}: cannot be read, truncated or damaged ({reason})") from error


@contextlib.contextmanager
def written(path: Path) -> Iterator[Any]:
    """Open for writing; whole or absent in the end."""
    import h5py

    with replacing(path) as temporary, h5py.File(temporary, "w") as f:
        yield f


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
        raise SchemaError(f"dataset '{group.name.strip('/')}/{name}' is missing".replace("'/", "'"))
    return found


def read_number(group: Any, name: str) -> int:
    """Return an integer stored as a scalar or as an array of one."""
    values = np.asarray(dataset(group, name)[()])
    if values.size != 1 or values.dtype.kind not in "iuf":
        raise SchemaError(f"{group.name.strip('/')}/{name} must be one number")
    return int(values.ravel()[0])
