"""Arrays for a browser: whole multiples of a stated step, compressed.

    x ~ step k,    |x - step k| <= step/2,    k a 32-bit integer

Along the first axis, usually time, k is stored as differences modulo 2^32, the four bytes of all
numbers in four planes: smooth series then compress well. NaN is k = -2^31. A packed text is gzip in
base64: the length of the header (4 bytes, little endian), the header as JSON, the planes of every
array. `unpack.js` reads it in the browser, `unpack` here.
"""

from __future__ import annotations

import base64
import gzip
import json
import math
import struct
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from sole.base.arrays import FloatArray

MISSING = -(2**31)  # NaN
LARGEST = 2**30  # of |k|: a coarser step is taken instead of more
PLANES = 4  # bytes of a number
LEVEL = 6  # of gzip: 9 takes nine times as long for 15 % less


class Quantised(NamedTuple):
    """Values of any shape to store at least to `step`, in `unit`."""

    values: FloatArray
    step: float
    unit: str = ""


def pack(header: Mapping[str, Any], arrays: Mapping[str, Quantised]) -> str:
    """Return a JSON-serialisable header and arrays as one text; the same data, the same text.

    The header gets `arrays`: name, shape, step and unit of each. A step is enlarged where values
    would need more than 2^30 of it.
    """
    body, told = [], []
    for name, (values, step, unit) in arrays.items():
        whole, used = _rounded(np.asarray(values, dtype=float), step)
        told.append({"name": name, "shape": list(whole.shape), "step": used, "unit": unit})
        rows = whole.reshape(_table(whole.shape)).view(np.uint32)
        change = np.diff(rows, axis=0, prepend=np.zeros((1, rows.shape[1]), np.uint32))
        numbers = np.ascontiguousarray(change.T).astype("<u4").reshape(-1, 1)
        body.append(numbers.view(np.uint8).T.tobytes())
    head = json.dumps({**header, "arrays": told}, allow_nan=False).encode()
    whole_text = struct.pack("<I", len(head)) + head + b"".join(body)
    return base64.b64encode(gzip.compress(whole_text, LEVEL, mtime=0)).decode()


def unpack(text: str) -> tuple[dict[str, Any], dict[str, FloatArray]]:
    """Return the header and the arrays of a packed text."""
    data = gzip.decompress(base64.b64decode(text))
    at = 4 + struct.unpack("<I", data[:4])[0]
    header = json.loads(data[4:at])
    arrays = {}
    for told in header["arrays"]:
        shape = tuple(told["shape"])
        size = math.prod(shape)
        planes = np.frombuffer(data, np.uint8, PLANES * size, at).reshape(PLANES, size)
        at += PLANES * size
        change = np.ascontiguousarray(planes.T).view("<u4").reshape(_table(shape)[::-1])
        whole = np.cumsum(change.T, axis=0, dtype=np.uint32).view(np.int32).reshape(shape)
        arrays[told["name"]] = np.where(whole == MISSING, np.nan, told["step"] * whole)
    return header, arrays


def _table(shape: tuple[int, ...]) -> tuple[int, int]:
    """Return the length of the first axis and the product of the others; (1, 1) for a number."""
    return (shape[0], math.prod(shape[1:])) if shape else (1, 1)


def _rounded(values: FloatArray, step: float) -> tuple[np.ndarray[Any, np.dtype[np.int32]], float]:
    known = np.isfinite(values)
    largest = float(np.abs(values[known]).max(initial=0.0))
    step = max(step, largest / LARGEST)
    whole = np.where(known, np.rint(np.where(known, values, 0.0) / step), MISSING)
    return whole.astype(np.int32), step
