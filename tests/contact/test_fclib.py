"""FCLIB's files: every storage, both kinds, both orders of a contact, and what is refused."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest
from fclib_files import STORAGES, local, ours, put, random_local, refusals_apart
from scipy import sparse

from contact.fclib import read_fclib, save_problem
from contact.fclib.fclib_file import load_problem, save_global
from contact.fclib.reduction import SMALL, GlobalProblem
from contact.problem import (
    DenseDelassus,
    Problem,
    SparseDelassus,
    certify,
    factor_is_cheap,
    positive_semidefinite,
)
from contact.problem.semidefinite import lowest_found
from contact.solvers import GaussSeidel, solve
from contact.summaries.problem_summary import describe_problem
from sole.base.errors import ResourceError, SchemaError, SoleError

ROUND_OFF = 1e-13  # relative, of sums over some tens of terms


def close(a, b):
    a, b = np.asarray(a), np.asarray(b)
    return np.abs(a - b).max() <= ROUND_OFF * np.abs(b).max()


# --- Order of a contact ------------------------------------------------------------------------


def test_a_sticking_contact_by_hand(tmp_path):
    """W = diag(2, 3, 4) for (n, t1, t2): r = -q / W where |r_t| < mu r_n, so
    r_n = 1, r_t1 = -0.1, r_t2 = -0.2 and u = 0."""
    path = local(tmp_path / "a.hdf5", np.diag([2.0, 3.0, 4.0]), [-2.0, 0.3, 0.8], [0.5])
    solution = GaussSeidel(tolerance=1e-14).solve(load_problem(path))
    assert np.allclose(solution.reactions, [[-0.1, -0.2, 1.0]], rtol=0, atol=1e-13)
    assert np.allclose(solution.velocity, 0.0, rtol=0, atol=1e-13)


def test_two_contacts_by_hand(tmp_path):
    """One slips: W = diag(2, 3, 3), q = (-2, 0.3, 0.4), mu = 0.05 give r_n = 1 and
    r_t = -0.05 (0.6, 0.8), u_t = q_t + 3 r_t = (0.21, 0.28), against r_t. One is open: q_n > 0."""
    W = np.diag([2.0, 3.0, 3.0, 1.0, 1.0, 1.0])
    q = [-2.0, 0.3, 0.4, 0.7, 0.1, -0.2]
    solution = GaussSeidel(tolerance=1e-14).solve(
        load_problem(local(tmp_path / "a.hdf5", W, q, [0.05, 0.5]))
    )
    assert np.allclose(solution.reactions, [[-0.03, -0.04, 1], [0, 0, 0]], rtol=0, atol=1e-13)
    assert np.allclose(solution.velocity, [[0.21, 0.28, 0], [0.1, -0.2, 0.7]], rtol=0, atol=1e-13)
    assert solution.status.tolist() == [2, 0]


@pytest.mark.parametrize("storage", STORAGES[:3])
def test_every_storage_is_read_as_it_is(storage, tmp_path):
    """W is not symmetric, so that rows and columns cannot be mistaken for each other."""
    W, q, mu = random_local(4, asymmetry=1e-3)
    W[0, 5] = W[2, 9] = 0.0
    problem = load_problem(local(tmp_path / "a.hdf5", W, q, mu, storage))
    order = ours(4)
    assert np.array_equal(problem.operator.dense(), W[np.ix_(order, order)])
    assert np.array_equal(problem.offset, q[order].reshape(-1, 3))
    assert np.array_equal(problem.friction, mu)


def test_asymmetry_is_reported_and_nothing_is_mended(tmp_path):
    W, q, mu = random_local(3, asymmetry=1e-3)
    file = read_fclib(local(tmp_path / "a.hdf5", W, q, mu))
    assert file.problem.operator.asymmetry == np.abs(W - W.T).max() / np.abs(W).max()
    assert not file.problem.symmetric
    assert file.semidefinite


def test_scalars_and_unused_room_are_read_too(tmp_path):
    """Sizes as HDF5 scalars; i and x longer than the pointers ask for (CSparse's nzmax)."""
    W, q, mu = random_local(2)
    path = local(tmp_path / "a.hdf5", W, q, mu, "csc")
    with h5py.File(path, "a") as f:
        group = f["fclib_local/W"]
        for name in ("m", "n", "nz", "nzmax"):
            value = int(group[name][0])
            del group[name]
            group[name] = value
        for name in ("i", "x"):
            values = np.append(group[name][()], [99, 99])
            del group[name]
            group[name] = values
    order = ours(2)
    assert np.array_equal(load_problem(path).operator.dense(), W[np.ix_(order, order)])


def test_large_and_sparse_stays_sparse(tmp_path):
    """120 contacts in a chain: W has three blocks in a row."""
    K, rng = 120, np.random.default_rng(2)
    B = np.zeros((3 * K, 3 * K + 3))
    for k in range(K):
        B[3 * k : 3 * k + 3, 3 * k : 3 * k + 6] = rng.normal(size=(3, 6))
    W, q = B @ B.T, rng.normal(size=3 * K)
    path = local(tmp_path / "a.hdf5", W, q, np.full(K, 0.5))
    file = read_fclib(path)
    assert isinstance(file.problem.operator, SparseDelassus)
    assert file.fill == np.count_nonzero(W) / W.size
    order, r = ours(K), rng.normal(size=(K, 3))
    expected = W[np.ix_(order, order)] @ r.ravel() + q[order]
    assert close(file.problem.velocity(r).ravel(), expected)
    assert isinstance(
        load_problem(local(tmp_path / "b.hdf5", *random_local(2))).operator, DenseDelassus
    )


def test_no_contact_is_an_empty_problem(tmp_path):
    path = local(tmp_path / "a.hdf5", np.zeros((0, 0)), [], [])
    assert GaussSeidel().solve(load_problem(path)).reactions.shape == (0, 3)


# --- Global problems ---------------------------------------------------------------------------


def bodies(sizes, K, p=0, seed=3):
    """M block diagonal with shuffled unknowns, H, f, w, mu and with p > 0 G, b."""
    rng = np.random.default_rng(seed)
    n = sum(sizes)
    M, first = np.zeros((n, n)), 0
    for size in sizes:
        A = rng.normal(size=(size, size))
        M[first : first + size, first : first + size] = A @ A.T + np.eye(size)
        first += size
    shuffled = rng.permutation(n)
    H = rng.normal(size=(n, 3 * K)) * (rng.random((n, 3 * K)) < 0.4)
    vectors = {"f": rng.normal(size=n), "w": rng.normal(size=3 * K), "mu": np.full(K, 0.5)}
    matrices = {"M": M[np.ix_(shuffled, shuffled)], "H": H}
    if p:
        matrices["G"], vectors["b"] = rng.normal(size=(n, p)), rng.normal(size=p)
    return matrices, vectors


@pytest.mark.parametrize("sizes", [(6, 6, 3, 1), (6, SMALL + 6)], ids=["small", "one large"])
@pytest.mark.parametrize("storage", STORAGES)
def test_a_global_problem_is_reduced(sizes, storage, tmp_path):
    """W = H' M^-1 H and q = H' M^-1 f + w, by numpy; with triplets in either convention."""
    matrices, vectors = bodies(sizes, 4)
    if storage == STORAGES[3]:  # a square M is read by CSparse's convention: it is symmetric
        matrices["H"][-1, 0] = 1.0  # an index that only one convention allows
    problem = load_problem(put(tmp_path / "a.hdf5", "fclib_global", matrices, vectors, storage))
    M, H = matrices["M"], matrices["H"]
    order = ours(4)
    W = (H.T @ np.linalg.solve(M, H))[np.ix_(order, order)]
    q = (H.T @ np.linalg.solve(M, vectors["f"]) + vectors["w"])[order]
    assert close(problem.operator.dense(), W)
    assert close(problem.offset.ravel(), q)
    assert problem.operator.asymmetry == 0.0


def test_global_and_local_have_the_same_solution(tmp_path):
    matrices, vectors = bodies((6, 6, 6), 3)
    M, H = matrices["M"], matrices["H"]
    W = H.T @ np.linalg.solve(M, H)
    q = H.T @ np.linalg.solve(M, vectors["f"]) + vectors["w"]
    one = load_problem(put(tmp_path / "a.hdf5", "fclib_global", matrices, vectors))
    other = load_problem(local(tmp_path / "b.hdf5", (W + W.T) / 2, q, vectors["mu"]))
    r = GaussSeidel(tolerance=1e-10).solve(one).required().reactions
    # The residual moves by no more than rho |dW| |r| / (rho |q|), far below the tolerance.
    assert certify(other, r).natural_map < 3e-10


def test_equality_constraints_of_a_global_problem(tmp_path):
    """For any r: v, lam from M v = H r + G lam + f, G'v + b = 0 give u = H'v + w = W r + q."""
    matrices, vectors = bodies((6, 6, 3), 2, p=3)
    problem = load_problem(put(tmp_path / "a.hdf5", "fclib_global", matrices, vectors))
    M, H, G = matrices["M"], matrices["H"], matrices["G"]
    order, r = ours(2), np.random.default_rng(4).normal(size=6)  # order of the file
    A = np.block([[M, -G], [G.T, np.zeros((3, 3))]])
    v = np.linalg.solve(A, np.concatenate([H @ r + vectors["f"], -vectors["b"]]))[: len(M)]
    u = (H.T @ v + vectors["w"])[order]
    assert np.abs(problem.velocity(r[order].reshape(-1, 3)).ravel() - u).max() < 1e-11


def test_multipliers_of_a_local_problem(tmp_path):
    """For any r: V'r + R lam + s = 0 and u = W r + V lam + q."""
    W, q, mu = random_local(2)
    rng = np.random.default_rng(5)
    V, R, s = 0.3 * rng.normal(size=(6, 2)), np.array([[3.0, 0.5], [0.5, 4.0]]), [0.2, -0.1]
    path = put(
        tmp_path / "a.hdf5",
        "fclib_local",
        {"W": W, "V": V, "R": R},
        {"q": q, "mu": mu, "s": s},
    )
    r, order = rng.normal(size=6), ours(2)
    lam = np.linalg.solve(R, -V.T @ r - s)
    u = (W @ r + V @ lam + q)[order]
    assert close(load_problem(path).velocity(r[order].reshape(-1, 3)).ravel(), u)


def test_rigid_bodies_give_a_sparse_w(tmp_path):
    """200 bodies in a chain: contact k joins bodies k and k + 1, so W has three blocks in a row."""
    K = 199
    rng = np.random.default_rng(6)
    H = np.zeros((6 * (K + 1), 3 * K))
    for k in range(K):
        H[6 * k : 6 * k + 12, 3 * k : 3 * k + 3] = rng.normal(size=(12, 3))
    problem = GlobalProblem(
        mass=sparse.csr_array(sparse.diags_array(rng.uniform(1, 2, 6 * (K + 1)))),
        directions=sparse.csr_array(H),
        force=np.zeros(6 * (K + 1)),
        offset=rng.normal(size=3 * K),
        friction=np.full(K, 0.5),
    )
    W, _ = problem.local()
    assert W.nnz == 9 * (3 * K - 2)
    save_global(tmp_path / "a.hdf5", problem)
    assert isinstance(load_problem(tmp_path / "a.hdf5").operator, SparseDelassus)


# --- Writing -----------------------------------------------------------------------------------


@pytest.mark.parametrize("storage", STORAGES[:3])
def test_round_trip_to_the_last_bit(storage, tmp_path):
    W, q, mu = random_local(5, seed=7, asymmetry=1e-4)
    problem = Problem(DenseDelassus(W), q, mu)
    r = np.random.default_rng(8).normal(size=(2, 5, 3))
    path = tmp_path / "a.hdf5"
    save_problem(
        path,
        problem,
        storage,
        title="a title",
        description="of Coulomb's",
        math_info="µ > 0",
        guesses=r,
        solution=r[0],
    )
    back = read_fclib(path)
    assert np.array_equal(back.problem.operator.dense(), W)
    assert np.array_equal(back.problem.offset, problem.offset)
    assert np.array_equal(back.problem.friction, mu)
    assert (back.title, back.description) == ("a title", "of Coulomb's")
    assert back.math_info == "µ > 0"
    assert np.array_equal(np.array(back.guesses), r)
    assert np.array_equal(back.solution, r[0])
    with h5py.File(path) as f:  # in the file: n first
        assert f["guesses/1/r"][0] == r[0, 0, 2]
        assert f["fclib_local/W/nz"][0] == {"csc": -1, "csr": -2, "triplet": 225}[storage]
        assert f["guesses/number_of_guesses"][0] == 2
    assert [p.name for p in tmp_path.iterdir()] == ["a.hdf5"]


@pytest.mark.parametrize("storage", STORAGES[:3])
def test_global_round_trip(storage, tmp_path):
    matrices, vectors = bodies((6, 4), 3, p=2)
    first = put(tmp_path / "a.hdf5", "fclib_global", matrices, vectors)
    source = read_fclib(first).source
    save_global(tmp_path / "b.hdf5", source, storage)
    back = read_fclib(tmp_path / "b.hdf5").source
    for name in ("mass", "directions", "constraints"):
        assert np.array_equal(getattr(back, name).toarray(), getattr(source, name).toarray())
    for name in ("force", "offset", "friction", "constraint_offset"):
        assert np.array_equal(getattr(back, name), getattr(source, name))
    assert np.array_equal(source.directions.toarray(), matrices["H"][:, ours(3)])


def test_an_unknown_storage_leaves_no_file(tmp_path):
    W, q, mu = random_local(1)
    with pytest.raises(ValueError, match="csc, csr, triplet"):
        save_problem(tmp_path / "a.hdf5", Problem(DenseDelassus(W), q, mu), "dense")
    assert list(tmp_path.iterdir()) == []


# --- What is refused ---------------------------------------------------------------------------


def change(name, value):
    """Replace a dataset, or with None remove it."""

    def edit(f):
        del f[f"fclib_local/{name}"]
        if value is not None:
            f[f"fclib_local/{name}"] = value

    return edit


def set_entry(name, index, value):
    def edit(f):
        f[f"fclib_local/{name}"][index] = value

    return edit


REFUSED = {
    "no W": (change("W", None), "'fclib_local/W' is missing"),
    "no values": (change("W/x", None), "'fclib_local/W/x' is missing"),
    "no pointers": (change("W/p", None), "'fclib_local/W/p' is missing"),
    "no q": (change("vectors/q", None), "'fclib_local/vectors/q' is missing"),
    "no mu": (change("vectors/mu", None), "vectors/mu' is missing"),
    "no spacedim": (change("spacedim", None), "spacedim' is missing"),
    "plane": (change("spacedim", [2]), "spacedim is 2"),
    "short q": (change("vectors/q", np.zeros(5)), "5 numbers and mu 2"),
    "long mu": (change("vectors/mu", np.zeros(3)), "6 numbers and mu 3"),
    "not square": (change("W/m", [5]), "5 x 6, expected 6 x 6"),
    "huge": (change("W/n", [2_000_000_000]), "expected 6 x 6"),
    "layout": (change("W/nz", [-3]), "-3"),
    "few values": (change("W/x", np.ones(4)), "4 values"),
    "few pointers": (change("W/p", np.arange(6)), "6 pointers, expected 7"),
    "falling pointers": (change("W/p", [0, 6, 3, 18, 24, 30, 36]), "never fall"),
    "words": (change("W/i", [b"a"] * 36), "integers"),
    "a column too far": (set_entry("W/i", 3, 6), "out of range"),
    "a negative column": (set_entry("W/i", 3, -1), "out of range"),
    "NaN in W": (set_entry("W/x", 3, np.nan), "W/x holds NaN"),
    "infinite q": (set_entry("vectors/q", 3, np.inf), "q holds NaN or infinity"),
    "NaN in mu": (set_entry("vectors/mu", 0, np.nan), "mu holds NaN"),
    "negative mu": (set_entry("vectors/mu", 0, -0.1), "-0.1"),
    "complex W": (change("W/x", np.full(36, 1 + 1j)), "W/x must hold real numbers, got complex"),
    "complex q": (change("vectors/q", np.full(6, 1j)), "got complex"),
    "text for W": (change("W/x", [b"a"] * 36), "W/x must hold real numbers, got text"),
    "records for W": (change("W/x", np.zeros(36, [("a", int)])), "got records"),
    "nothing in W": (change("W/x", h5py.Empty("f")), "W/x holds nothing"),
    "nothing in q": (change("vectors/q", h5py.Empty("f")), "vectors/q holds nothing"),
    "nothing in m": (change("W/m", h5py.Empty("i")), "W/m must be one number"),
    "a group for x": (lambda f: change("W/x", None)(f) or f.create_group("fclib_local/W/x"), "x'"),
    "a dataset for W": (change("W", 1.0), "'fclib_local/W' is not a group"),
    "tiny q": (change("vectors/q", np.full(6, 1e-120)), "|q| is 1.0e-120"),
    "huge q": (change("vectors/q", np.full(6, 1e200)), "|q| is 1.0e+200"),
    "huge W": (change("W/x", np.eye(6).ravel() * 1e160), "|W| is 1.0e+160"),
    "tiny W": (change("W/x", np.eye(6).ravel() * 1e-160), "|W| is 1.0e-160"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_broken_file_is_one_line_that_names_it(case, tmp_path):
    edit, mention = REFUSED[case]
    path = local(tmp_path / "a.hdf5", *random_local(2))
    with h5py.File(path, "a") as f:
        edit(f)
    with pytest.raises(SchemaError, match=r"a\.hdf5") as error:
        load_problem(path)
    assert mention in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("storage", ["csc", "triplet"])
def test_an_index_out_of_range_in_every_storage(storage, tmp_path):
    path = local(tmp_path / "a.hdf5", *random_local(2), storage)
    with h5py.File(path, "a") as f:
        f["fclib_local/W/i"][2] = 6
    with pytest.raises(SchemaError, match="out of range"):
        load_problem(path)
    with h5py.File(path, "a") as f:
        f["fclib_local/W/i"][2] = 0
        f["fclib_local/W/nz"][0] = 10**6
    with pytest.raises(SchemaError, match="expected 1000000"):
        load_problem(path)


def test_an_indefinite_w_is_refused_if_symmetric_and_reported_if_not(tmp_path):
    W, q, mu = random_local(2)
    W -= 3 * np.eye(6)
    with pytest.raises(SchemaError, match="positive semi-definite"):
        load_problem(local(tmp_path / "a.hdf5", W, q, mu))
    W[0, 1] += 0.01
    assert not read_fclib(local(tmp_path / "b.hdf5", W, q, mu)).semidefinite


def test_a_w_that_somebody_rounded_is_noted_and_tried(tmp_path):
    """Rank 3 of 6 and 1e-5 off the diagonal: the smallest eigenvalue is about -1e-5."""
    A = np.random.default_rng(13).normal(size=(6, 3))
    W, q = A @ A.T - 1e-5 * np.eye(6), -A @ np.ones(3)
    file = read_fclib(local(tmp_path / "a.hdf5", W, q, [0.5, 0.5]))
    assert not file.semidefinite
    assert "negative eigenvalues" in " ".join(describe_problem(file).warnings)
    with pytest.raises(SoleError, match="semi-definite"):
        Problem.dense(W, q, 0.5)


@pytest.mark.parametrize("size", [4, SMALL + 4], ids=["small block", "large block"])
@pytest.mark.parametrize("how", ["zero row", "rank", "nearly"])
def test_a_singular_mass_is_refused(size, how, tmp_path):
    matrices, vectors = bodies((3, size), 1)
    M = np.eye(size + 3)
    M[3:, 3:] += 0.5 / size  # one connected block
    if how == "zero row":
        M[5], M[:, 5] = 0.0, 0.0
    else:  # two unknowns with the same row and column: their difference has no mass
        M[4], M[:, 4] = M[3], M[:, 3]
        M[4, 4] = M[3, 3] * (1 + (1e-15 if how == "nearly" else 0))
        M[3, 4] = M[4, 3] = M[3, 3]
    matrices["M"] = M
    path = put(tmp_path / "a.hdf5", "fclib_global", matrices, vectors)
    with pytest.raises(SchemaError, match=r"a\.hdf5: M is singular"):
        load_problem(path)


def test_global_sizes_that_disagree(tmp_path):
    matrices, vectors = bodies((6,), 2)
    for name, value in (("f", np.zeros(5)), ("w", np.zeros(3)), ("H", np.ones((6, 9)))):
        m, v = dict(matrices), dict(vectors)
        (m if name in m else v)[name] = value
        path = put(tmp_path / f"{name}.hdf5", "fclib_global", m, v)
        with pytest.raises(SchemaError, match="expected"):
            load_problem(path)


@pytest.mark.parametrize(
    "kind", ["absent", "folder", "empty", "text", "npz", "other hdf5", "rolling"]
)
def test_what_is_no_problem_of_fclib(kind, tmp_path):
    path = tmp_path / "a.hdf5"
    if kind == "folder":
        path.mkdir()
    elif kind == "empty":
        path.write_bytes(b"")
    elif kind == "text":
        path.write_text("not HDF5")
    elif kind == "npz":
        with path.open("wb") as stream:
            np.savez(stream, W=np.eye(3))
    elif kind in ("other hdf5", "rolling"):
        with h5py.File(path, "w") as f:
            f.create_group("fclib_global_rolling" if kind == "rolling" else "results")
    with pytest.raises(SchemaError, match=r"a\.hdf5"):
        load_problem(path)


def test_a_truncated_file_is_refused_wherever_it_was_cut(tmp_path):
    whole = local(tmp_path / "a.hdf5", *random_local(4)).read_bytes()
    lengths = np.linspace(0, len(whole) - 1, 20).astype(int)
    said = refusals_apart(tmp_path / "cut.hdf5", [whole[:length] for length in lengths])
    assert [text for text in said if text is None or "cut.hdf5" not in text] == []


def test_bytes_that_flipped_are_an_error_of_ours_or_harmless(tmp_path):
    """Three bytes of 40 copies; whatever h5py then says comes out as one line."""
    whole = local(tmp_path / "a.hdf5", *random_local(3)).read_bytes()
    rng, copies = np.random.default_rng(9), []
    for _ in range(40):
        flipped = bytearray(whole)
        for place in rng.integers(len(whole), size=3):
            flipped[place] = rng.integers(256)
        copies.append(bytes(flipped))
    refused = [text for text in refusals_apart(tmp_path / "b.hdf5", copies) if text]
    assert 7 < len(refused) < 35
    assert [text for text in refused if "\n" in text] == []


@pytest.mark.parametrize("available", [2000, 50_000], ids=["the entries", "a full W"])
def test_more_contacts_than_memory_allows(available, tmp_path, monkeypatch):
    """30 contacts that do not touch each other: 90 entries, 8100 of a full W, 8 bytes each."""
    import psutil

    path = local(tmp_path / "a.hdf5", np.eye(90), np.ones(90), np.full(30, 0.5))
    memory = type("Memory", (), {"available": available})
    monkeypatch.setattr(psutil, "virtual_memory", memory)
    with pytest.raises(ResourceError, match=r"a\.hdf5.*GB") as error:
        load_problem(path)
    assert ("30 contacts" in str(error.value)) == (available == 50_000)
    assert "tread" not in str(error.value)


def test_guesses_that_do_not_fit_are_left_out(tmp_path):
    path = local(tmp_path / "a.hdf5", *random_local(2))
    with h5py.File(path, "a") as f:
        f["guesses/1/r"] = np.zeros(5)
        f["guesses/2/r"] = np.arange(6.0)
        f["guesses/3/r"] = np.full(6, np.nan)
        f["guesses/number_of_guesses"] = [3]
    file = read_fclib(path)
    assert [g.tolist() for g in file.guesses] == [[[1, 2, 0], [4, 5, 3]]]
    assert file.solution is None


ODD = {
    "guesses are a dataset": lambda f: f.create_dataset("guesses", data=1.0),
    "a guess is a dataset": lambda f: f.create_dataset("guesses/1", data=1.0),
    "r is a group": lambda f: f.create_group("guesses/1/r"),
    "a digit that is no number": lambda f: f.create_dataset("guesses/\u00b2/r", data=np.ones(6)),
    "text": lambda f: f.create_dataset("solution/r", data=[b"1"] * 6),
    "complex": lambda f: f.create_dataset("solution/r", data=np.full(6, 1j)),
    "nothing": lambda f: f.create_dataset("solution/r", data=h5py.Empty("f")),
    "solution is a dataset": lambda f: f.create_dataset("solution", data=1.0),
}


@pytest.mark.parametrize("case", ODD)
def test_odd_guesses_are_left_out(case, tmp_path):
    path = local(tmp_path / "a.hdf5", *random_local(2))
    with h5py.File(path, "a") as f:
        ODD[case](f)
    file = read_fclib(path)
    assert (file.guesses, file.solution) == ((), None)


@pytest.mark.parametrize("what", ["group", "nothing", "info is a dataset"])
def test_an_odd_title_is_no_title(what, tmp_path):
    path = local(tmp_path / "a.hdf5", *random_local(1))
    with h5py.File(path, "a") as f:
        info = f["fclib_local/info"]
        del info["title"]
        if what == "group":
            info.create_group("title")
        elif what == "nothing":
            info["title"] = h5py.Empty("S1")
        else:
            del f["fclib_local/info"]
            f["fclib_local/info"] = 1.0
    assert read_fclib(path).title == ""


def test_a_kind_that_is_a_dataset(tmp_path):
    with h5py.File(tmp_path / "a.hdf5", "w") as f:
        f["fclib_local"] = 1.0
    with pytest.raises(SchemaError, match=r"a\.hdf5: group 'fclib_local' is not a group"):
        load_problem(tmp_path / "a.hdf5")


# --- W, q and mu given in Python ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "mention"),
    [
        (lambda: Problem.dense(1j * np.eye(3), np.ones(3), 0.5), "W must hold real numbers"),
        (lambda: Problem.dense(np.eye(3), 1j * np.ones(3), 0.5), "q must hold real numbers"),
        (lambda: Problem.dense(np.eye(3), np.ones(3), [0.5j]), "friction must hold real"),
        (lambda: Problem.dense([["a"] * 3] * 3, np.ones(3), 0.5), "W must hold real numbers"),
        (lambda: Problem.dense([[1], [1, 2]], np.ones(3), 0.5), "W is not an array"),
        (lambda: Problem.dense(sparse.eye_array(3), np.ones(3), 0.5), "use Problem.sparse"),
        (lambda: Problem.sparse(np.eye(3), np.ones(3), 0.5), "use Problem.dense"),
        (lambda: Problem.sparse(1j * sparse.eye_array(3), np.ones(3), 0.5), "real numbers"),
        (lambda: Problem.dense(np.eye(3), np.full(3, 1e-160), 0.5), "q| is 1.0e-160"),
        (lambda: Problem.dense(np.eye(3), np.full(3, 1e160), 0.5), "q| is 1.0e+160"),
        (lambda: Problem.dense(1e160 * np.eye(3), np.ones(3), 0.5), "W| is 1.0e+160"),
        (lambda: Problem.dense(1e80 * np.eye(3), np.full(3, 1e-80), 0.5), "1.7e-160"),
    ],
)
def test_what_is_no_problem_in_python(make, mention):
    with pytest.raises(SoleError) as error:
        make()
    assert mention in str(error.value)


def test_a_q_that_fades_away_is_zero_in_the_end():
    """Of a time step, say: |q|^2 underflows, and so would the squares of all residuals."""
    for size, expected in ((1e-139, 5e-139), (1e-150, 0.0), (1e-170, 0.0), (1e-300, 0.0)):
        problem = Problem(DenseDelassus(np.eye(3)), size * np.array([3.0, 0, -4]), 0.5)
        assert problem.size == pytest.approx(expected, rel=1e-14, abs=0)
        assert solve(problem).solved


@pytest.mark.parametrize("size", [1e120, 1e170])
def test_a_q_without_squares_is_an_error(size):
    with pytest.raises(SoleError, match="q"):
        solve(Problem(DenseDelassus(np.eye(3)), np.full(3, size), 0.5))


@pytest.mark.parametrize("size", [1e-90, 1e-30, 1e30, 1e90])
def test_units_do_not_matter(size):
    """q and W in other units: the same directions of the forces."""
    W, q, mu = random_local(2)
    q[::3] -= 2.0
    for scaled in (Problem.dense(size * W, size * q, mu), Problem.dense(W, size * q, mu)):
        assert solve(scaled).solved


def test_a_random_graph_of_contacts_is_not_factored():
    """W = B'B, every row of B over two of 4000 contacts at random: a factor would fill up. Lanczos
    finds what is clearly negative."""
    rng, K = np.random.default_rng(14), 4000
    contact = rng.integers(K, size=(3 * K, 2, 1))  # two contacts in every row of B
    rows, columns = np.repeat(np.arange(3 * K), 6), (3 * contact + np.arange(3)).ravel()
    B = sparse.csr_array((rng.normal(size=18 * K), (rows, columns)), shape=(3 * K, 3 * K))
    W = sparse.csr_array(B.T @ B)
    operator = SparseDelassus(W)
    assert not factor_is_cheap(operator)
    assert positive_semidefinite(operator)
    shifted = SparseDelassus(sparse.csr_array(W - 0.2 * sparse.eye_array(3 * K)))
    assert not positive_semidefinite(shifted)


def test_lanczos_finds_the_smallest_eigenvalue():
    """200 steps on 90 unknowns: as exact as rounding allows; and it never falls below."""
    W, _, _ = random_local(30, seed=15)
    lowest = np.linalg.eigvalsh(W)[0]
    assert lowest_found(sparse.csr_array(W)) == pytest.approx(lowest, rel=1e-10)


# --- Files of others, where there are some -----------------------------------------------------


@pytest.mark.skipif("SOLE_FCLIB" not in os.environ, reason="SOLE_FCLIB names no folder")
def test_files_of_the_collection():
    files = sorted(Path(os.environ["SOLE_FCLIB"]).glob("*.hdf5"))
    assert files
    for path in files:
        file = read_fclib(path)
        assert file.contacts > 0
        assert certify(file.problem, np.zeros((file.contacts, 3))).finite


def test_a_disk_that_is_full_is_one_error(tmp_path):
    """HDF5 ends the process, maybe at its exit, if it learns of it: so in a process of its own."""
    resource = pytest.importorskip("resource")
    program = (
        "import resource, sys; from pathlib import Path; import numpy as np\n"
        "from contact.fclib import save_problem\n"
        "from contact.problem import Problem\n"
        "from sole.base.errors import SoleError\n"
        "problem = Problem.dense(np.eye(60), np.ones(60), 0.5)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))\n"
        "try: save_problem(Path('full.hdf5'), problem)\n"
        "except SoleError as error: print(error)\n"
    )
    assert resource
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "cannot write full.hdf5: File too large\n"
    assert not list(tmp_path.iterdir())
