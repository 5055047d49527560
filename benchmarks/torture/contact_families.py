"""Random contact problems by family, seeded; each says what may be claimed of it.

Known of a problem, from how it is made, is one of

    nothing      random W and q: every answer must prove itself;
    solvable     Coulomb's law has a solution: a normal direction is a false proof;
    open         some velocity of W's range opens all contacts (a definite W, q = W w + v with v
                 in K_mu*): every direction is a false proof;
    impossible   a normal z with W z = 0 and q'z < 0: a solution is a false success.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Floats = NDArray[np.float64]
Random = np.random.Generator


@dataclass(frozen=True, eq=False)
class TorturedProblem:
    """W (3K, 3K), full or sparse, q (K, 3), mu (K,), and what is known of it."""

    W: Floats | sparse.csr_array
    q: Floats
    mu: Floats
    known: str


def draw_size(rng: Random) -> int:
    """1 to 60 contacts, small ones more often: they are as hard, and quicker."""
    return round(60 ** rng.random())


def draw_friction(rng: Random, K: int) -> Floats:
    """One value for all or one for each, 0 to 10, now and then zero."""
    kind = rng.integers(5)
    if kind == 0:
        return np.zeros(K)
    if kind == 1:
        return np.full(K, 10.0)
    if kind == 2:
        return np.full(K, rng.uniform(0, 1.5))
    mu = rng.uniform(0, 10, K) if kind == 3 else 10 ** rng.uniform(-3, 1, K)
    return np.where(rng.random(K) < 0.1, 0.0, mu)


def spectrum(rng: Random, n: int, values: Floats) -> Floats:
    """Return a symmetric matrix with these eigenvalues and random axes."""
    Q = np.linalg.qr(rng.normal(size=(n, n)))[0]
    W = (Q * values) @ Q.T
    return np.asarray((W + W.T) / 2)


def gram(L: Floats) -> Floats:
    """L L', symmetric to the last bit."""
    W = L @ L.T
    return np.asarray((W + W.T) / 2)


def opening(rng: Random, K: int, mu: Floats) -> Floats:
    """(K, 3) velocities in the dual cones, half of them zero, the others on the border."""
    v = rng.normal(size=(K, 3)) * (rng.random((K, 1)) < 0.5)
    v[:, 2] = mu * np.hypot(v[:, 0], v[:, 1])
    return v


def law(rng: Random, K: int, mu: Floats) -> tuple[Floats, Floats]:
    """Draw forces and velocities (K, 3) that obey Coulomb's law: open, stick and slip at random."""
    state, a = rng.integers(0, 3, K), rng.uniform(0, 2 * np.pi, K)
    d, force = np.stack([np.cos(a), np.sin(a)], axis=1), rng.exponential(size=K)
    part = np.where(state == 2, 1.0, rng.random(K))
    r = np.column_stack([(mu * force * part)[:, None] * d, force]) * (state > 0)[:, None]
    u = np.zeros((K, 3))
    u[state == 0] = rng.normal(size=(int((state == 0).sum()), 3))
    u[state == 0, 2] = np.abs(u[state == 0, 2])
    u[state == 2, :2] = -rng.exponential(size=(int((state == 2).sum()), 1)) * d[state == 2]
    return r, u


# ---------------------------------------------------------------- families


def definite(rng: Random) -> TorturedProblem:
    """Full W, eigenvalues over up to twelve decades."""
    K = draw_size(rng)
    W = spectrum(rng, 3 * K, 10 ** -np.linspace(0, rng.uniform(0, 12), 3 * K))
    return TorturedProblem(W, rng.normal(size=(K, 3)), draw_friction(rng, K), "open")


def badly_scaled(rng: Random) -> TorturedProblem:
    """Make a tame W with rows, or contacts, in units over up to sixteen decades."""
    K = draw_size(rng)
    n, decades = 3 * K, rng.uniform(0, 8)
    W = spectrum(rng, n, 10 ** -np.linspace(0, rng.uniform(0, 2), n))
    each = rng.uniform(-1, 1, n) if rng.random() < 0.5 else np.repeat(rng.uniform(-1, 1, K), 3)
    D = 10 ** (decades * each)
    W = D[:, None] * W * D
    return TorturedProblem((W + W.T) / 2, rng.normal(size=(K, 3)), draw_friction(rng, K), "open")


def singular(rng: Random) -> TorturedProblem:
    """W of any rank; a velocity of its range opens all contacts."""
    K = draw_size(rng)
    mu, L = draw_friction(rng, K), rng.normal(size=(3 * K, int(rng.integers(1, 3 * K + 1))))
    q = (L @ rng.normal(size=L.shape[1])).reshape(-1, 3) + opening(rng, K, mu)
    return TorturedProblem(gram(L), q, mu, "open")


def planted(rng: Random) -> TorturedProblem:
    """W of any rank and the q of a solution that is known."""
    K = draw_size(rng)
    mu, L = draw_friction(rng, K), rng.normal(size=(3 * K, int(rng.integers(1, 3 * K + 1))))
    r, u = law(rng, K, mu)
    W = gram(L / np.sqrt(L.shape[1]))
    return TorturedProblem(W, u - (W @ r.ravel()).reshape(-1, 3), mu, "solvable")


def lawless(rng: Random) -> TorturedProblem:
    """W of low rank and any q."""
    K = draw_size(rng)
    L = rng.normal(size=(3 * K, int(rng.integers(1, 2 * K + 1))))
    return TorturedProblem(gram(L), rng.normal(size=(K, 3)), draw_friction(rng, K), "nothing")


def redundant(rng: Random) -> TorturedProblem:
    """Contacts that are there several times, some turned about their normals."""
    K = draw_size(rng)
    some = int(rng.integers(1, K + 1))
    L = rng.normal(size=(3 * some, 3 * some)).reshape(some, 3, -1)
    which, angle = rng.integers(0, some, K), rng.uniform(0, 2 * np.pi, K) * (rng.random(K) < 0.5)
    R = np.zeros((K, 3, 3))
    R[:, 0, 0] = R[:, 1, 1] = np.cos(angle)
    R[:, 0, 1], R[:, 1, 0], R[:, 2, 2] = np.sin(angle), -np.sin(angle), 1.0
    L = np.einsum("kab,kbj->kaj", R, L[which]).reshape(3 * K, -1)
    q = (L @ rng.normal(size=L.shape[1])).reshape(-1, 3)
    return TorturedProblem(gram(L), q, draw_friction(rng, K), "open")


def rigid(rng: Random) -> TorturedProblem:
    """One rigid body on many points of a bumpy plane, masses over twelve decades."""
    K = draw_size(rng)
    x = np.column_stack([rng.uniform(-1, 1, (K, 2)), np.full(K, -0.3)])
    J = np.zeros((K, 3, 6))
    J[:, :, :3] = np.eye(3)
    for a, b, c in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        J[:, a, 3 + b], J[:, b, 3 + a] = x[:, c], -x[:, c]
    J = J.reshape(3 * K, 6)
    twist = np.array([*(0.3 * rng.normal(size=2)), -1.0, *(0.3 * rng.normal(size=3))])
    W = gram(J * np.sqrt([1, 1, 1, 3, 3, 2.0])) / 10 ** rng.uniform(-6, 6)
    return TorturedProblem(W, (J @ twist).reshape(-1, 3), draw_friction(rng, K), "open")


def chain(rng: Random) -> TorturedProblem:
    """Couple every contact with its neighbours: a sparse W."""
    K = draw_size(rng)
    A = np.zeros((3 * K, 3 * K))
    for k in range(K):
        below = slice(3 * k, min(3 * k + 6, 3 * K))
        A[below, 3 * k : 3 * k + 3] = rng.normal(size=(below.stop - below.start, 3))
    W = gram(A) + 10 ** rng.uniform(-6, 0) * np.eye(3 * K)
    q = rng.normal(size=(K, 3))
    return TorturedProblem(sparse.csr_array(W), q, draw_friction(rng, K), "open")


def units(rng: Random) -> TorturedProblem:
    """Make a tame problem in units far from one."""
    K = min(draw_size(rng), 20)
    W = gram(rng.normal(size=(3 * K, 3 * K))) / (3 * K) + 0.1 * np.eye(3 * K)
    a, b = 10.0 ** rng.integers(-40, 41, 2)
    return TorturedProblem(a * W, b * rng.normal(size=(K, 3)), draw_friction(rng, K), "open")


def soft(rng: Random) -> TorturedProblem:
    """Contacts without any compliance among others: those that close cannot be solved."""
    K = draw_size(rng)
    held = rng.random(K) < 0.2
    W = gram(rng.normal(size=(3 * K, 3 * K))) / (3 * K) + 0.1 * np.eye(3 * K)
    rows = np.repeat(held, 3)
    W[rows], W[:, rows] = 0.0, 0.0
    q = rng.normal(size=(K, 3))
    stuck = bool((q[held, 2] < 0).any())
    return TorturedProblem(W, q, draw_friction(rng, K), "impossible" if stuck else "nothing")


def squeezed(rng: Random) -> TorturedProblem:
    """Let contacts close against normal forces that balance each other."""
    K = max(2, draw_size(rng))
    z = np.zeros((K, 3))
    z[:, 2] = rng.exponential(size=K) * (rng.random(K) < 0.7)
    z[:2, 2] += 1.0
    return _against(rng, z.ravel(), draw_friction(rng, K), "impossible")


def jammed(rng: Random) -> TorturedProblem:
    """Do the same with oblique forces: only solutions that slip are possible."""
    K = max(2, draw_size(rng))
    mu = draw_friction(rng, K) + 0.1
    a, force = rng.uniform(0, 2 * np.pi, K), rng.exponential(size=K)
    along = 0.9 * mu * force * rng.random(K)
    z = np.column_stack([along * np.cos(a), along * np.sin(a), force])
    return _against(rng, z.ravel(), mu, "nothing")


def _against(rng: Random, z: Floats, mu: Floats, known: str) -> TorturedProblem:
    """W z = 0 and q'z < 0, in units over decades for half of them."""
    n = len(z)
    z = z / np.linalg.norm(z)
    L = rng.normal(size=(n, int(rng.integers(1, n))))
    L -= np.outer(z, z @ L)
    q = rng.normal(size=n)
    q -= (q @ z + rng.uniform(0.1, 1.0)) * z
    D = 10 ** (rng.uniform(0, 3) * np.repeat(rng.uniform(-1, 1, n // 3), 3))
    if rng.random() < 0.5:
        D[:] = 1.0
    return TorturedProblem(gram(D[:, None] * L), (D * q).reshape(-1, 3), mu, known)


FAMILIES: dict[str, Callable[[Random], TorturedProblem]] = {
    "definite": definite,
    "badly scaled": badly_scaled,
    "singular": singular,
    "planted": planted,
    "lawless": lawless,
    "redundant": redundant,
    "rigid": rigid,
    "chain": chain,
    "units": units,
    "soft": soft,
    "squeezed": squeezed,
    "jammed": jammed,
}
