"""Files of FCLIB written with h5py alone; everything in FCLIB's order (n, t1, t2)."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import h5py
import numpy as np

from contact.fclib.fclib_file import load_problem
from sole.base.errors import SchemaError

STORAGES = ("csc", "csr", "triplet", "triplet of fclib.h")


def put_matrix(group, name, matrix, storage):
    """Write a full matrix; entries equal to zero are left out."""
    A = np.asarray(matrix, dtype=float)
    m, n = A.shape
    if storage == "csc":
        nz, lines = -1, [[(i, A[i, j]) for i in range(m) if A[i, j]] for j in range(n)]
    else:
        nz, lines = -2, [[(j, A[i, j]) for j in range(n) if A[i, j]] for i in range(m)]
    i = [index for line in lines for index, _ in line]
    x = [value for line in lines for _, value in line]
    p = np.cumsum([0, *map(len, lines)])
    if storage.startswith("triplet"):
        row = np.repeat(np.arange(m), [len(line) for line in lines])
        # Shuffled, every entry in two parts that add up: 3/4 and 1/4 are exact.
        order = np.random.default_rng(1).permutation(2 * len(x))
        i, p = np.tile(row, 2)[order], np.tile(i, 2)[order]
        x = np.concatenate([0.75 * np.array(x), 0.25 * np.array(x)])[order]
        nz = len(x)
        if storage == "triplet of fclib.h":
            i, p = p, i
    g = group.create_group(name)
    for key, value in {"nzmax": len(x), "m": m, "n": n, "nz": nz}.items():
        g.create_dataset(key, data=np.array([value], dtype=np.int32))
    g.create_dataset("p", data=np.asarray(p, dtype=np.int32))
    g.create_dataset("i", data=np.asarray(i, dtype=np.int32))
    g.create_dataset("x", data=np.asarray(x, dtype=float))


def put(path, kind, matrices, vectors, storage="csr", title="by hand"):
    """Write a problem: `kind` is fclib_local or fclib_global."""
    with h5py.File(path, "w") as f:
        group = f.create_group(kind)
        group.create_dataset("spacedim", data=np.array([3], dtype=np.int32))
        for name, matrix in matrices.items():
            put_matrix(group, name, matrix, storage)
        for name, vector in vectors.items():
            group.create_dataset(f"vectors/{name}", data=np.asarray(vector, dtype=float))
        group.create_dataset("info/title", data=np.bytes_(title))
    return path


def local(path, W, q, mu, storage="csr", **more):
    """Write a local problem."""
    return put(path, "fclib_local", {"W": W}, {"q": q, "mu": mu}, storage, **more)


def random_local(K, seed=0, asymmetry=0.0):
    """W positive definite with all entries different, q, mu: order (n, t1, t2)."""
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(3 * K, 3 * K))
    W = A @ A.T / (3 * K) + np.eye(3 * K)
    W += asymmetry * np.abs(W).max() * np.triu(np.ones_like(W), 1)
    return W, rng.normal(size=3 * K), rng.uniform(0.2, 0.9, K)


def ours(K):
    """Index in (n, t1, t2) of every component in (t1, t2, n)."""
    return np.array([3 * k + c for k in range(K) for c in (1, 2, 0)])


def residual(W, q, mu, r):
    """The natural map over rho |q|, written out anew: |r - P_K(r - rho (u + mu |u_t| n))|."""
    rho, total = len(W) / np.trace(W), 0.0
    u = (W @ r.ravel() + q).reshape(-1, 3)
    for k in range(len(mu)):
        z = r[k] - rho * u[k]
        z[2] -= rho * mu[k] * np.hypot(*u[k, :2])
        s, n = np.hypot(*z[:2]), z[2]
        if s <= mu[k] * n:
            p = z
        elif mu[k] * s <= -n:
            p = np.zeros(3)
        else:
            p_n = (n + mu[k] * s) / (1 + mu[k] ** 2)
            p = np.array([*(mu[k] * p_n * z[:2] / s), p_n])
        total += np.sum((r[k] - p) ** 2)
    return np.sqrt(total) / (rho * np.linalg.norm(q))


def refusals(path, contents):
    """Read files of those contents; return what is said of each, None for one that is read."""
    said = []
    for content in contents:
        path.write_bytes(content)
        try:
            load_problem(path)
        except SchemaError as error:
            said.append(str(error))
        else:
            said.append(None)
    return said


def refusals_apart(path, contents):
    """The same in a process of its own.

    Every file is tried in a fork, which takes as long as the memory of its parent is large.
    """
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        return pool.submit(refusals, path, contents).result()
