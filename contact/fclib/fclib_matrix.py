"""One matrix in an HDF5 group as FCLIB stores it: CSparse's three layouts [AcaryEtAl2014]_.

    nz = -1  compressed columns: p (n + 1) pointers, i row of every entry,
    nz = -2  compressed rows: p (m + 1) pointers, i column of every entry,
    nz >= 0  that many triplets: i row, p column; entries of the same place add up,

x the values, m rows, n columns. FCLIB's header says the opposite for triplets (p row, i column);
the files that are around come from CSparse. A matrix in which only that reading keeps all
indices in range is read that way.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from contact.fclib.hdf5 import dataset, read_number, read_numbers
from sole.base.arrays import IntArray
from sole.base.errors import SchemaError, SoleError
from sole.base.memory import require_memory

STORAGES = ("csc", "csr", "triplet")
NEEDED = 60.0  # bytes per entry while a matrix is read


def read_matrix(group: Any, shape: tuple[int, int]) -> sparse.csr_array:
    """Read an h5py group of the expected `shape`; None in place of a number: any.

    Raises
    ------
    SchemaError
        A dataset is missing, sizes disagree, an index is out of range, a value is not finite or
        not real.
    """
    name = group.name.strip("/")
    m, n = read_number(group, "m"), read_number(group, "n")
    if (m, n) != shape:
        raise SchemaError(f"{name} is {m} x {n}, expected {shape[0]} x {shape[1]}")
    nz = read_number(group, "nz")
    if nz < -2:
        raise SchemaError(f"{name}/nz is {nz}, expected -1 (CSC), -2 (CSR) or a count of triplets")
    size = dataset(group, "x").size or 0  # None: nothing in it
    require_memory(NEEDED * size, f"reading {name}", "a smaller problem")
    p, i = _indices(group, "p"), _indices(group, "i")
    x = read_numbers(group, "x")
    if nz >= 0:
        return _triplets(name, (m, n), i, p, x, nz)
    major, minor = (n, m) if nz == -1 else (m, n)
    if len(p) != major + 1:
        raise SchemaError(f"{name}/p holds {len(p)} pointers, expected {major + 1}")
    if p[0] != 0 or (np.diff(p) < 0).any():
        raise SchemaError(f"{name}/p must start at 0 and never fall")
    count = int(p[-1])
    if len(i) < count or len(x) < count:
        raise SchemaError(
            f"{name} has {len(i)} indices and {len(x)} values, its pointers ask for {count}"
        )
    i, x = i[:count], x[:count]  # CSparse may allocate more than it uses
    if not _within(i, minor):
        raise SchemaError(f"{name}/i is out of range: {i.min()} to {i.max()}, {minor} allowed")
    kind: Any = sparse.csc_array if nz == -1 else sparse.csr_array
    return _summed(kind((x, i, p), shape=(m, n)))


def write_matrix(parent: Any, name: str, matrix: sparse.csr_array, storage: str) -> None:
    """Write `matrix` as group `name`; `storage` is csc, csr or triplet."""
    if storage not in STORAGES:
        raise SoleError(f"storage '{storage}' is unknown; known are {', '.join(STORAGES)}")
    m, n = (int(size) for size in matrix.shape)
    group = parent.create_group(name)
    if storage == "triplet":
        entries = sparse.coo_array(matrix)
        (i, p), x, nz = entries.coords, entries.data, entries.nnz
    else:
        kind: Any = sparse.csc_array if storage == "csc" else sparse.csr_array
        packed = kind(matrix).sorted_indices()
        i, p, x = packed.indices, packed.indptr, packed.data
        nz = -1 if storage == "csc" else -2
    for key, value in {"nzmax": len(x), "m": m, "n": n, "nz": nz}.items():
        group.create_dataset(key, data=np.array([value], dtype=np.int32))
    group.create_dataset("p", data=np.asarray(p, dtype=np.int32))
    group.create_dataset("i", data=np.asarray(i, dtype=np.int32))
    group.create_dataset("x", data=np.asarray(x, dtype=float))


def _indices(group: Any, name: str) -> IntArray:
    values = np.asarray(dataset(group, name)[()]).ravel()
    if values.dtype.kind not in "iu":
        raise SchemaError(f"{group.name.strip('/')}/{name} must hold integers")
    return values.astype(np.int64)


def _within(index: IntArray, limit: int) -> bool:
    return not len(index) or bool(index.min() >= 0 and index.max() < limit)


def _triplets(
    name: str, shape: tuple[int, int], i: IntArray, p: IntArray, x: Any, nz: int
) -> sparse.csr_array:
    if min(len(i), len(p), len(x)) < nz:
        raise SchemaError(
            f"{name} has {len(i)} row indices, {len(p)} column indices and {len(x)} values, "
            f"expected {nz} of each"
        )
    i, p, x = i[:nz], p[:nz], x[:nz]
    m, n = shape
    if not (_within(i, m) and _within(p, n)):
        if not (_within(p, m) and _within(i, n)):
            raise SchemaError(
                f"{name}: an index is out of range: rows i {i.min()} to {i.max()}, "
                f"columns p {p.min()} to {p.max()}, in a matrix {m} x {n}"
            )
        i, p = p, i
    return _summed(sparse.coo_array((x, (i, p)), shape=shape))


def _summed(matrix: Any) -> sparse.csr_array:
    out = sparse.csr_array(matrix)
    out.sum_duplicates()
    return out
