"""Rigid bodies in contact: rank-deficient problems W = H' M^-1 H, q = H' v, everything seeded.

Bodies hold at most six rows of W each, contacts bring three: with many contacts per body W is
singular and forces are not unique. All packings have a solution (a velocity exists that opens
every contact: what rests can be lifted), but those of `squeezed` and `jammed`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy import sparse

from contact.problem import Problem

GRAVITY = 9.81
STEP = 1e-3


@dataclass
class Packing:
    """Bodies and contacts; `touch` adds one, `problem` builds W, q and mu."""

    centre: np.ndarray  # (B, 3)
    mass: np.ndarray  # (B,)
    inertia: np.ndarray  # (B, 3, 3) in world axes
    twist: np.ndarray  # (B, 6) free velocity, linear then angular
    contacts: list = field(default_factory=list)

    def touch(self, a, b, point, normal, wall=(0.0, 0.0, 0.0)):
        """Body a on body b (-1: a wall with velocity `wall`), normal from b into a."""
        self.contacts.append((a, b, np.asarray(point, float), np.asarray(normal, float), wall))

    def problem(self, mu, rng) -> Problem:
        rows, cols, values, q = [], [], [], []
        for k, (a, b, point, normal, wall) in enumerate(self.contacts):
            P = frame(normal, rng.uniform(0, 2 * np.pi))
            u = -P @ np.asarray(wall)
            for body, sign in ((a, 1.0), (b, -1.0)):
                if body < 0:
                    continue
                J = sign * P @ np.hstack([np.eye(3), -skew(point - self.centre[body])])
                u = u + J @ self.twist[body]
                rows.append(np.repeat(3 * k + np.arange(3), 6))
                cols.append(np.tile(6 * body + np.arange(6), 3))
                values.append(J.ravel())
            q.append(u)
        K, B = len(self.contacts), len(self.mass)
        entries = (np.concatenate(values), (np.concatenate(rows), np.concatenate(cols)))
        J = sparse.coo_array(entries, shape=(3 * K, 6 * B)).tocsr()
        # W = L L' with L = J M^-1/2: symmetric to the last bit
        root = np.zeros((B, 6, 6))
        root[:, :3, :3] = np.eye(3) / np.sqrt(self.mass)[:, None, None]
        root[:, 3:, 3:] = np.linalg.cholesky(np.linalg.inv(self.inertia))
        blocks = sparse.bsr_array((root, np.arange(B), np.arange(B + 1)))
        L = sparse.csr_array(J @ blocks)
        W = sparse.csr_array(L @ L.T)
        mu = np.broadcast_to(np.asarray(mu, float), (K,))
        return Problem.sparse((W + W.T) / 2, np.array(q), mu)


def skew(p):
    x, y, z = p
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def frame(normal, turn=0.0):
    """Rows t1, t2, n; t1 turned about n."""
    n = np.asarray(normal, float) / np.linalg.norm(normal)
    t = np.cross(n, np.eye(3)[np.argmin(np.abs(n))])
    t /= np.linalg.norm(t)
    s = np.cross(n, t)
    return np.array([np.cos(turn) * t + np.sin(turn) * s, np.cos(turn) * s - np.sin(turn) * t, n])


def bodies(centre, mass, size, rng, kick=1.0, turn=None, velocity=None):
    """Boxes of `size` (B, 3) that fall for one step and are hit by impacts of `kick` steps."""
    centre, mass = np.atleast_2d(np.asarray(centre, float)), np.asarray(mass, float)
    B = len(centre)
    mass = np.broadcast_to(mass, (B,)).copy()
    size = np.broadcast_to(np.asarray(size, float), (B, 3))
    square = size**2
    moments = mass[:, None] / 12 * (square.sum(1)[:, None] - square)
    inertia = np.einsum("ka,ab->kab", moments, np.eye(3))
    if turn is not None:
        inertia = turn @ inertia @ np.swapaxes(turn, 1, 2)
    twist = np.zeros((B, 6))
    twist[:, 2] = -GRAVITY * STEP
    scale = kick * GRAVITY * STEP
    twist[:, :3] += scale * rng.normal(size=(B, 3))
    twist[:, 3:] += scale * rng.normal(size=(B, 3)) / size.max()
    if velocity is not None:
        twist[:, :3] += velocity
    return Packing(centre, mass, inertia, twist)


def corners(low, high):
    """Four corners of a rectangle in the plane."""
    return [np.array([x, y]) for x in (low[0], high[0]) for y in (low[1], high[1])]


def box_on_plane(contacts=4, seed=0, mu=0.5, mass=1.0, length=1.0, kick=1.0) -> Problem:
    """One box on a plane with any number of contacts: rank 6."""
    rng = np.random.default_rng(seed)
    size = length * np.array([1.0, 0.7, 0.4])
    packing = bodies([[0, 0, size[2] / 2]], mass, size, rng, kick)
    points = corners(-size[:2] / 2, size[:2] / 2)
    points += [(rng.random(2) - 0.5) * size[:2] for _ in range(max(0, contacts - 4))]
    for p in points[:contacts]:
        packing.touch(0, -1, [*p, 0.0], [0, 0, 1])
    return packing.problem(mu, rng)


def stack(packing, size, tolerance=1e-9):
    """Contacts at the corners of every overlap of axis-aligned boxes, and with the plane z = 0."""
    low, high = packing.centre - size / 2, packing.centre + size / 2
    B = len(low)
    for a in range(B):
        if abs(low[a, 2]) < tolerance:
            for p in corners(low[a], high[a]):
                packing.touch(a, -1, [*p, 0.0], [0, 0, 1])
        for b in range(B):
            if abs(low[a, 2] - high[b, 2]) < tolerance:
                under, over = np.maximum(low[a], low[b])[:2], np.minimum(high[a], high[b])[:2]
                if (over - under > tolerance).all():
                    for p in corners(under, over):
                        packing.touch(a, b, [*p, low[a, 2]], [0, 0, 1])


def tower(levels=4, seed=0, mu=0.5, mass=1.0, length=1.0, kick=0.3) -> Problem:
    """Planks in threes, every level across the one below: nine joints of four contacts each."""
    rng = np.random.default_rng(seed)
    long, wide, high = length * np.array([1.2, 0.24, 0.08])
    centre, size = [], []
    for i in range(levels):
        for j in (-1, 0, 1):
            offset, z = j * 0.45 * length, (i + 0.5) * high
            centre.append([0, offset, z] if i % 2 else [offset, 0, z])
            size.append([long, wide, high] if i % 2 else [wide, long, high])
    size = np.array(size)
    packing = bodies(centre, mass * rng.uniform(0.8, 1.2, len(size)), size, rng, kick)
    stack(packing, size)
    return packing.problem(mu, rng)


def wall(rows=4, columns=4, seed=0, mu=0.6, mass=1.0, length=1.0, kick=0.3) -> Problem:
    """Bricks in a running bond."""
    rng = np.random.default_rng(seed)
    size = length * np.array([1.0, 0.4, 0.3])
    centre = [
        [(j + 0.5 * (i % 2)) * 1.001 * size[0], 0, (i + 0.5) * size[2]]
        for i in range(rows)
        for j in range(columns)
    ]
    packing = bodies(centre, mass, size, rng, kick)
    stack(packing, np.broadcast_to(size, (len(centre), 3)))
    return packing.problem(mu, rng)


def heap(count=30, seed=0, mu=0.4, mass=1.0, length=1.0, kick=1.0, spread=0.0) -> Problem:
    """Spheres of a perturbed close arrangement in a box; masses may spread over decades."""
    rng = np.random.default_rng(seed)
    side = max(2, round(count ** (1 / 3)))
    grid = np.array([[i, j, k] for k in range(count) for i in range(side) for j in range(side)])
    grid = grid[:count].astype(float)
    grid[:, :2] += 0.5 * (grid[:, 2:] % 2)
    centre = length * (grid * [1, 1, np.sqrt(0.5)] + 0.02 * rng.normal(size=(count, 3)))
    masses = mass * 10 ** (spread * rng.uniform(-1, 1, count))
    packing = bodies(centre, masses, np.full(3, 0.9 * length), rng, kick)
    centre = packing.centre
    low, high = centre.min(0), centre.max(0)
    for a in range(count):
        d = centre[a] - centre
        distance = np.linalg.norm(d, axis=1)
        for b in np.flatnonzero((distance < 1.05 * length) & (np.arange(count) > a)):
            packing.touch(a, b, (centre[a] + centre[b]) / 2, d[b])
        for axis in range(3):
            for sign, border in ((1, low), (-1, high)):
                if axis == 2 and sign < 0:
                    continue
                if abs(centre[a, axis] - border[axis]) < 0.1 * length:
                    n = sign * np.eye(3)[axis]
                    packing.touch(a, -1, centre[a] - n * length / 2, n)
    return packing.problem(mu, rng)


def chain(count=10, seed=0, mu=0.7, mass=1.0, length=1.0, kick=1.0) -> Problem:
    """Capsules end to end on the ground, two contacts with the ground and three per joint."""
    rng = np.random.default_rng(seed)
    centre = [[i * length, 0, 0.1 * length] for i in range(count)]
    packing = bodies(centre, mass, length * np.array([1.0, 0.2, 0.2]), rng, kick)
    for i in range(count):
        x = i * length
        packing.touch(i, -1, [x - 0.3 * length, 0, 0], [0, 0, 1])
        packing.touch(i, -1, [x + 0.3 * length, 0, 0], [0, 0, 1])
        for y in (-0.05, 0.0, 0.05) if i else ():
            packing.touch(i, i - 1, [x - 0.5 * length, y * length, 0.1 * length], [1, y, 0.1])
    return packing.problem(mu, rng)


def arch(blocks=11, seed=0, mu=0.7, mass=1.0, length=1.0, kick=0.2) -> Problem:
    """Voussoirs of half a ring on the ground, four contacts per joint."""
    rng = np.random.default_rng(seed)
    angle = np.pi * (np.arange(blocks) + 0.5) / blocks
    centre = length * np.stack([np.cos(angle), 0 * angle, np.sin(angle)], 1)
    turn = np.stack([np.stack([centre[:, 0], 0 * angle, -centre[:, 2]], 1) / length,
                     np.tile([0.0, 1.0, 0.0], (blocks, 1)),
                     np.stack([centre[:, 2], 0 * angle, centre[:, 0]], 1) / length], 1)  # fmt: skip
    size = length * np.array([0.3, 0.4, np.pi / blocks])
    packing = bodies(centre, mass, size, rng, kick, turn)
    for j in range(blocks + 1):
        t = np.pi * j / blocks
        radial, normal = np.array([np.cos(t), 0, np.sin(t)]), np.array([-np.sin(t), 0, np.cos(t)])
        for radius in (0.85, 1.15):
            for y in (-0.2, 0.2):
                point = length * (radius * radial + [0, y, 0])
                if j < blocks:
                    packing.touch(j, j - 1, point, normal)
                else:
                    packing.touch(j - 1, -1, point, -normal)
    return packing.problem(mu, rng)


def confetti(sheets=8, seed=0, mu=0.3, mass=1.0, length=1.0, kick=1.0) -> Problem:
    """Thin sheets in a loose pile: three to nine contacts each, inertia over four decades."""
    rng = np.random.default_rng(seed)
    thin = 0.002 * length
    centre = [[*(0.2 * length * rng.normal(size=2)), (i + 0.5) * thin] for i in range(sheets)]
    packing = bodies(centre, mass, [length, length, thin], rng, kick)
    for a in range(sheets):
        for _ in range(rng.integers(3, 10)):
            below = a - 1 if rng.random() < 0.9 else -1
            p = packing.centre[a] + [*(length * (rng.random(2) - 0.5)), -thin / 2]
            packing.touch(a, below, p, [*(0.1 * rng.normal(size=2)), 1.0])
    return packing.problem(mu, rng)


def cloud(count=5, contacts=50, seed=0, mu=1.0, mass=1.0, length=1.0, spread=2.0) -> Problem:
    """Bodies at random, contacts between any two or with the ground, masses over decades."""
    rng = np.random.default_rng(seed)
    centre = length * rng.uniform(-1, 1, (count, 3)) * count ** (1 / 3)
    masses = mass * 10 ** (spread * rng.uniform(-1, 1, count))
    packing = bodies(centre, masses, length * np.array([1.0, 0.8, 0.6]), rng)
    for _ in range(contacts):
        a, b = rng.integers(count), rng.integers(-1, count)
        a, b = (a, -1) if a == b else (a, b)
        if b >= 0 and centre[a, 2] < centre[b, 2]:
            a, b = b, a
        up = np.array([0, 0, 1.0]) + 0.2 * rng.normal(size=3)
        normal = centre[a] - centre[b] if b >= 0 else up
        packing.touch(a, b, centre[a] + 0.3 * length * rng.normal(size=3), normal)
    return packing.problem(mu, rng)


def squeezed(contacts=4, seed=0, mu=0.5, mass=1.0, length=1.0, speed=1.0) -> Problem:
    """A box between two parallel walls that close: no velocity opens all contacts."""
    rng = np.random.default_rng(seed)
    size = length * np.array([1.0, 0.7, 0.4])
    packing = bodies([[0, 0, 0]], mass, size, rng)
    for p in (rng.random((contacts, 2)) - 0.5) * size[:2]:
        packing.touch(0, -1, [*p, -size[2] / 2], [0, 0, 1], (0, 0, speed))
        packing.touch(0, -1, [*p, size[2] / 2], [0, 0, -1], (0, 0, -speed))
    return packing.problem(mu, rng)


def jammed(angle=0.2, seed=0, mu=0.5, mass=1.0, length=1.0, speed=1.0, others=0) -> Problem:
    """A wedge between walls that close; tan(angle) < mu locks it. `others` lie beside it."""
    rng = np.random.default_rng(seed)
    packing = bodies(
        [[0, 0, 0], *[[3 * (i + 1), 0, 0] for i in range(others)]],
        mass, length * np.array([1.0, 0.7, 0.4]), rng,
    )  # fmt: skip
    s, c = np.sin(angle), np.cos(angle)
    for y in (-0.3, 0.3):
        for sign in (1.0, -1.0):
            normal = np.array([s, 0.0, sign * c])
            point = length * np.array([0.0, y, -0.2 * sign])
            packing.touch(0, -1, point, normal, (0, 0, sign * speed))
    for i in range(others):
        for p in corners(-length * np.array([0.5, 0.35]), length * np.array([0.5, 0.35])):
            point = packing.centre[i + 1] + [*p, -0.2 * length]
            packing.touch(i + 1, -1, point, [0, 0, 1])
    return packing.problem(mu, rng)


FEASIBLE = {
    "box": lambda seed, mu, **k: box_on_plane(int(4 + 12 * (seed % 5)), seed, mu, **k),
    "tower": lambda seed, mu, **k: tower(2 + seed % 5, seed, mu, **k),
    "wall": lambda seed, mu, **k: wall(2 + seed % 4, 2 + seed % 3, seed, mu, **k),
    "heap": lambda seed, mu, **k: heap(10 + 7 * (seed % 6), seed, mu, **k),
    "chain": lambda seed, mu, **k: chain(2 + 3 * (seed % 5), seed, mu, **k),
    "arch": lambda seed, mu, **k: arch(5 + 2 * (seed % 5), seed, mu, **k),
    "confetti": lambda seed, mu, **k: confetti(3 + 2 * (seed % 5), seed, mu, **k),
}
