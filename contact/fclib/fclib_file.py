"""FCLIB files: contact problems in HDF5, read and written [AcaryEtAl2014]_.

    fclib_local :  u = W r + q                               groups W, vectors/{q, mu}
                   (+ V lam, V' r + R lam + s = 0)           groups V, R, vectors/s
    fclib_global:  M v = H r + G lam + f, u = H' v + w       groups M, H, G, vectors/{f, w, mu, b}

FCLIB orders a contact (n, t1, t2), we (t1, t2, n): the order changes here and nowhere else. A
global problem is reduced to its contacts (contact/fclib/reduction.py). W is used as it is
stored, never made symmetric; how far it is from symmetric is reported.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from contact.fclib.fclib_matrix import read_matrix, write_matrix
from contact.fclib.hdf5 import (
    digest_of,
    numbers_in,
    one,
    open_to_read,
    open_to_write,
    read_group,
    read_number,
    read_optional,
    read_texts,
    read_vector,
)
from contact.fclib.reduction import GlobalProblem, without_multipliers
from contact.problem import (
    DenseDelassus,
    Problem,
    SparseDelassus,
    check_magnitudes,
    positive_semidefinite,
)
from sole.base.arrays import FloatArray, IntArray, frozen
from sole.base.errors import SchemaError, SoleError
from sole.base.memory import require_memory

FILL = 0.3  # share of entries above which W is kept as a full matrix
LARGE = 300  # rows below which it always is
CLEARLY = 1e-3  # negative eigenvalue over max W_ii beyond the round-off of a file
KINDS = ("fclib_local", "fclib_global")


@dataclass(frozen=True, eq=False, kw_only=True)
class FclibFile:
    """A file of FCLIB, in our order (t1, t2, n).

    Parameters
    ----------
    kind : "fclib_local" or "fclib_global".
    entries : stored numbers of W (after the reduction of a global problem).
    semidefinite : whether the symmetric part of W is positive semi-definite; see
        `contact.problem.semidefinite`.
    guesses, solution : reactions (K, 3) that the file holds; (), None without.
    source : a global problem as it was, None for a local one.
    digest : hash of the file.
    """

    path: Path
    kind: str
    title: str
    description: str
    math_info: str
    problem: Problem
    entries: int
    semidefinite: bool
    guesses: tuple[FloatArray, ...]
    solution: FloatArray | None
    source: GlobalProblem | None
    digest: str

    @property
    def contacts(self) -> int:
        """K, the number of contacts."""
        return self.problem.contacts

    @property
    def fill(self) -> float:
        """Share of the entries of W that are stored."""
        return self.entries / (3 * self.contacts) ** 2 if self.contacts else 0.0


def load_problem(path: Path | str) -> Problem:
    """Return the contact problem of an FCLIB file; see `read_fclib`."""
    return read_fclib(path).problem


def read_fclib(path: Path | str) -> FclibFile:
    """Read a local or global problem in three dimensions.

    Raises
    ------
    SchemaError
        Not HDF5, truncated, something missing, sizes that disagree, indices out of range, complex
        numbers, NaN, magnitudes beyond 1e-100 to 1e100, a negative mu, spacedim 2; or a symmetric
        W that is clearly indefinite (an eigenvalue below -1e-3 max W_ii).
    SoleError
        M of a global problem is singular.
    ResourceError
        W does not fit in memory.
    """
    path = Path(path)
    with open_to_read(path) as f:
        kind = next((name for name in KINDS if name in f), None)
        if kind is None:
            raise SchemaError(
                f"no group {' or '.join(KINDS)}, got {', '.join(sorted(map(str, f))) or 'nothing'}"
            )
        group = read_group(f, kind)
        source: GlobalProblem | None = None
        if kind == "fclib_local":
            W, q, mu = _local(group)
        else:
            source = _global(group)
            (W, q), mu = source.local(), source.friction
        problem = _problem(W, q, mu)
        check_magnitudes(problem)
        operator: Any = problem.operator
        semidefinite = positive_semidefinite(operator)
        # A file may hold rounded numbers: a slightly indefinite W is accepted with a note.
        if problem.symmetric and not (semidefinite or positive_semidefinite(operator, CLEARLY)):
            raise SchemaError("W is not positive semi-definite: a Delassus operator is")
        texts = read_texts(group)
        guesses, solution = _reactions(f, problem.contacts)
    return FclibFile(
        path=path,
        kind=kind,
        problem=problem,
        entries=int(W.nnz),
        semidefinite=semidefinite,
        guesses=guesses,
        solution=solution,
        source=source,
        digest=digest_of(path),
        **texts,
    )


def save_problem(
    path: Path | str,
    problem: Problem,
    storage: str = "csc",
    *,
    title: str = "",
    description: str = "",
    math_info: str = "",
    guesses: Sequence[FloatArray] = (),
    solution: FloatArray | None = None,
) -> None:
    """Write a local problem, W as csc, csr or triplet; `guesses`, `solution` are (K, 3)."""
    operator = problem.operator
    W: sparse.csr_array = (
        operator.matrix
        if isinstance(operator, SparseDelassus)
        else sparse.csr_array(operator.dense())
    )
    order = _theirs(problem.contacts)
    with open_to_write(Path(path)) as f:
        group = f.create_group("fclib_local")
        write_matrix(group, "W", W[order][:, order], storage)
        vectors = {"q": problem.offset.ravel()[order], "mu": problem.friction}
        _write_rest(group, vectors, title, description, math_info)
        for i, guess in enumerate(guesses):
            _write_reactions(f, f"guesses/{i + 1}", problem, guess)
        if len(guesses):
            f["guesses"].create_dataset("number_of_guesses", data=one(len(guesses)))
        if solution is not None:
            _write_reactions(f, "solution", problem, solution)


def save_global(
    path: Path | str,
    problem: GlobalProblem,
    storage: str = "csc",
    *,
    title: str = "",
    description: str = "",
    math_info: str = "",
) -> None:
    """Write a global problem; `storage` of its matrices is csc, csr or triplet."""
    order = _theirs(len(problem.friction))
    with open_to_write(Path(path)) as f:
        group = f.create_group("fclib_global")
        write_matrix(group, "M", problem.mass, storage)
        write_matrix(group, "H", problem.directions[:, order], storage)
        vectors = {"f": problem.force, "w": problem.offset[order], "mu": problem.friction}
        if problem.constraints is not None:
            G, b = problem.constraints, problem.constraint_offset
            write_matrix(group, "G", G, storage)
            vectors["b"] = np.zeros(int(G.shape[1])) if b is None else b
        _write_rest(group, vectors, title, description, math_info)


def _ours(contacts: int) -> IntArray:
    """(3K,) index in the file of every component in our order."""
    return np.ravel(3 * np.arange(contacts)[:, None] + np.array([1, 2, 0]))


def _theirs(contacts: int) -> IntArray:
    """(3K,) index in our order of every component in the file's."""
    return np.ravel(3 * np.arange(contacts)[:, None] + np.array([2, 0, 1]))


def _problem(W: sparse.csr_array, q: FloatArray, mu: FloatArray) -> Problem:
    n = int(W.shape[0])
    if n >= LARGE and W.nnz < FILL * float(n) ** 2:
        return Problem(SparseDelassus(W), q, mu)
    require_memory(40.0 * float(n) ** 2, f"a full W of {n // 3} contacts", "fewer contacts")
    return Problem(DenseDelassus(W.toarray()), q, mu)


def _local(group: Any) -> tuple[sparse.csr_array, FloatArray, FloatArray]:
    """W, q and mu of a local problem, our order."""
    vectors = read_group(group, "vectors")
    q, mu = read_vector(vectors, "q"), read_vector(vectors, "mu")
    contacts = _contacts(group, q, "q", mu)
    n = 3 * contacts
    W = read_matrix(read_group(group, "W"), (n, n))
    if "V" in group or "R" in group:
        s = read_vector(vectors, "s")
        V = read_matrix(read_group(group, "V"), (n, len(s)))
        R = read_matrix(read_group(group, "R"), (len(s), len(s)))
        W, q = without_multipliers(W, V, R, q, s)
    order = _ours(contacts)
    return W[order][:, order], q[order], mu


def _global(group: Any) -> GlobalProblem:
    vectors = read_group(group, "vectors")
    f, w, mu = (read_vector(vectors, name) for name in ("f", "w", "mu"))
    contacts = _contacts(group, w, "w", mu)
    order = _ours(contacts)
    M = read_matrix(read_group(group, "M"), (len(f), len(f)))
    H = read_matrix(read_group(group, "H"), (len(f), 3 * contacts))
    G, b = None, None
    if "G" in group:
        b = read_vector(vectors, "b")
        G = read_matrix(read_group(group, "G"), (len(f), len(b)))
    return GlobalProblem(
        mass=M,
        directions=H[:, order],
        force=f,
        offset=frozen(w[order]),
        friction=mu,
        constraints=G,
        constraint_offset=b,
    )


def _contacts(group: Any, offset: FloatArray, name: str, mu: FloatArray) -> int:
    """Check the sizes of the vectors; return the number of contacts."""
    dimension = read_number(group, "spacedim")
    if dimension != 3:
        raise SchemaError(f"spacedim is {dimension}: only problems in three dimensions are read")
    if len(offset) != 3 * len(mu):
        raise SchemaError(
            f"{name} holds {len(offset)} numbers and mu {len(mu)}: expected three of {name} for "
            "each of mu"
        )
    return len(mu)


def _reactions(f: Any, contacts: int) -> tuple[tuple[FloatArray, ...], FloatArray | None]:
    """Reactions of the guesses and of the solution; those that do not fit are ignored."""
    found = [_reaction(f, f"guesses/{i}", contacts) for i in numbers_in(f.get("guesses"))]
    return tuple(r for r in found if r is not None), _reaction(f, "solution", contacts)


def _reaction(f: Any, place: str, contacts: int) -> FloatArray | None:
    r = read_optional(f, f"{place}/r", 3 * contacts)
    return None if r is None else frozen(r[_ours(contacts)].reshape(-1, 3))


def _write_rest(
    group: Any, vectors: Mapping[str, FloatArray], title: str, description: str, math_info: str
) -> None:
    """Vectors, info and spacedim."""
    group.create_dataset("spacedim", data=one(3))
    for name, values in vectors.items():
        group.create_dataset(f"vectors/{name}", data=np.asarray(values, dtype=float))
    for name, text in (
        ("title", title),
        ("description", description),
        ("math_info", math_info),
    ):
        group.create_dataset(f"info/{name}", data=np.bytes_(text.encode() + b"\0"))


def _write_reactions(f: Any, place: str, problem: Problem, r: FloatArray) -> None:
    r = np.asarray(r, dtype=float).reshape(-1, 3)
    if len(r) != problem.contacts:
        raise SoleError(f"{place} has {len(r)} reactions, the problem {problem.contacts} contacts")
    order = _theirs(problem.contacts)
    f.create_dataset(f"{place}/r", data=r.ravel()[order])
    f.create_dataset(f"{place}/u", data=problem.velocity(r).ravel()[order])
