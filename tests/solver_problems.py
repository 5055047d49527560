"""Small contact problems of every kind of W, seeded."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from contact.problem import Compliances, DenseDelassus, Problem, SoleDelassus, SparseDelassus


def definite(seed: int, contacts: int, mu: float) -> Problem:
    """Full, well-conditioned W."""
    rng = np.random.default_rng(seed)
    n = 3 * contacts
    A = rng.normal(size=(n, n))
    return Problem.dense(A @ A.T / n + 0.2 * np.eye(n), rng.normal(size=(contacts, 3)), mu)


def banded(seed: int, contacts: int, mu: float) -> Problem:
    """A chain: every contact coupled with its neighbours."""
    rng = np.random.default_rng(seed)
    A = np.zeros((3 * contacts, 3 * contacts))
    for k in range(contacts):
        below = slice(3 * k, min(3 * k + 6, len(A)))
        A[below, 3 * k : 3 * k + 3] = rng.normal(size=(below.stop - below.start, 3))
    W = sparse.csr_array(A @ A.T / 3 + 0.3 * np.eye(len(A)))
    return Problem.sparse(W, rng.normal(size=(contacts, 3)), mu)


def soles(seed: int, contacts: int, mu: float, bodies: int = 2, rigid: bool = False) -> Problem:
    """Soles on feet that are coupled; with `rigid` the last one has no compliance."""
    rng = np.random.default_rng(seed)
    nodes = contacts // bodies + 1
    parts: list[np.ndarray | int] = []
    for _ in range(bodies):
        A = rng.normal(size=(3 * nodes, 3 * nodes))
        parts.append(A @ A.T / (3 * nodes) + 0.3 * np.eye(3 * nodes))
    if rigid:
        parts[-1] = nodes
    node = rng.permutation(bodies * nodes)[:contacts]
    frames = np.linalg.qr(rng.normal(size=(contacts, 3, 3)))[0]
    x = rng.uniform(-1, 1, size=(bodies * nodes, 3))
    G = np.zeros((bodies * nodes, 3, 6))
    G[:, :, :3] = np.eye(3)
    for a, b, c in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        G[:, a, 3 + b], G[:, b, 3 + a] = x[:, c], -x[:, c]
    J = rng.normal(size=(6 * bodies, 6 * bodies))
    operator = SoleDelassus(
        compliances=Compliances.of(parts),
        scale=rng.uniform(0.5, 2.0, bodies),
        node=node,
        frames=frames,
        geometry=G.reshape(-1, 6),
        support=J @ J.T / (6 * bodies),
    )
    return Problem(operator, rng.normal(size=(contacts, 3)), mu)


def rigid_body(seed: int, contacts: int, mu: float) -> Problem:
    """One rigid body under gravity on many points of a plane: rank 6 whatever `contacts`."""
    rng = np.random.default_rng(seed)
    J = np.zeros((contacts, 3, 6))
    x = np.column_stack([rng.uniform(-1, 1, (contacts, 2)), np.full(contacts, -0.3)])
    J[:, :, :3] = np.eye(3)
    for a, b, c in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        J[:, a, 3 + b], J[:, b, 3 + a] = x[:, c], -x[:, c]
    J = J.reshape(-1, 6)
    twist = np.array([0.3, 0.1, -1.0, *(0.3 * rng.normal(size=3))])
    W = J @ np.diag([1, 1, 1, 3, 3, 2.0]) @ J.T
    return Problem.dense((W + W.T) / 2, (J @ twist).reshape(-1, 3), mu)


def skewed(seed: int, contacts: int, mu: float, asymmetry: float = 1e-3) -> Problem:
    """A definite W with an antisymmetric part; `Problem` takes it as stored."""
    problem = definite(seed, contacts, mu)
    W = problem.operator.dense()
    A = np.random.default_rng(seed + 1).uniform(-1, 1, W.shape)
    W = W + asymmetry / 2 * np.abs(W).max() * (A - A.T) / 2
    return Problem(DenseDelassus(W), problem.offset, problem.friction)


def turned(problem: Problem, seed: int) -> tuple[Problem, np.ndarray]:
    """The same problem with every contact's t1, t2 turned; and the turns (K, 3, 3)."""
    K = problem.contacts
    angle = np.random.default_rng(seed).uniform(0, 2 * np.pi, K)
    R = np.zeros((K, 3, 3))
    R[:, 0, 0] = R[:, 1, 1] = np.cos(angle)
    R[:, 0, 1], R[:, 1, 0] = np.sin(angle), -np.sin(angle)
    R[:, 2, 2] = 1.0
    W = problem.operator.dense().reshape(K, 3, K, 3)
    W = np.einsum("kab,kblc,ldc->kald", R, W, R).reshape(3 * K, 3 * K)
    q = np.einsum("kab,kb->ka", R, problem.offset)
    return Problem(DenseDelassus(W), q, problem.friction), R


def permuted(problem: Problem, order: np.ndarray) -> Problem:
    """The same problem with its contacts in another order, the same kind of W."""
    W = problem.operator
    rows = (3 * order[:, None] + np.arange(3)).ravel()
    q, mu = problem.offset[order], problem.friction[order]
    if isinstance(W, SparseDelassus):
        return Problem(SparseDelassus(sparse.csr_array(W.matrix[rows][:, rows])), q, mu)
    return Problem(DenseDelassus(W.dense()[np.ix_(rows, rows)]), q, mu)
