"""Twenty shape parameters of a two-layer pad by gradients and by differential evolution.

The pad: 0.23 x 0.13 x 0.02 m, 0.5 MPa at the tread and 8 MPa above, nu = 0.4, p2. Tread and bond
stay flat; the interface moves by a field of 5 x 4 heights within +-6 mm of the middle. The aim is a
sole that is soft under load and stiff in tilt:

    f = log K_z - (log K_rx + log K_ry)/2,

K6 about the centre of the tread. L-BFGS-B gets the gradient of `sole.condense.differentiate_shape`,
differential evolution values alone. "flat" is the best flat interface. An evaluation is one shape.

python benchmarks/shape_gradients.py [--budget 240] [--quick]
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from box_mesh import box_mesh

from sole.base.numba_settings import set_up_numba
from sole.condense import Condenser, differentiate_shape
from sole.material import Material

SIZE, GRID, RANGE = (0.23, 0.13, 0.02), (5, 4), 6e-3  # m, heights, m
MATERIALS = [  # tread first
    Material(young_modulus=0.5e6, poisson_ratio=0.4),
    Material(young_modulus=8e6, poisson_ratio=0.4),
]


@dataclass
class Pad:
    """The pad with its heights u in the cube [-1, 1]^20; counts evaluations and their time."""

    cells: tuple[int, int, int]
    evaluations: int = 0
    cpu: float = 0.0
    best: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.mesh = box_mesh(*SIZE, self.cells, layers=(1, 1))
        x, y, z = self.mesh.points.T
        across = _hats(x, SIZE[0], GRID[0])[:, :, None] * _hats(y, SIZE[1], GRID[1])[:, None, :]
        depth = np.abs(z) / SIZE[2]
        tent = 1.0 - np.abs(2.0 * depth - 1.0)  # 1 at the interface, 0 at tread and bond
        self.motions = RANGE * tent[:, None] * across.reshape(len(z), -1)  # (n, 20) of z

    def condenser(self, u: np.ndarray) -> Condenser:
        """Return the condenser of one shape."""
        points = self.mesh.points.copy()
        points[:, 2] += self.motions @ u
        return Condenser(replace(self.mesh, points=points), "p2")

    def value(self, u: np.ndarray) -> float:
        """Return f."""
        began = time.process_time()
        K6 = self.condenser(u).condense(MATERIALS).foot_stiffness
        return self._count(_aim(np.diag(K6)), began)

    def value_and_gradient(self, u: np.ndarray) -> tuple[float, np.ndarray]:
        """Return f and df/du (20,)."""
        began = time.process_time()
        made = differentiate_shape(self.condenser(u), MATERIALS)
        K6 = np.diag(made.sole.foot_stiffness)
        dK = made.of_foot_stiffness[range(6), range(6), :, 2] @ self.motions  # (6, 20)
        dlog = dK / K6[:, None]
        return self._count(_aim(K6), began), dlog[2] - (dlog[3] + dlog[4]) / 2

    def _count(self, value: float, began: float) -> float:
        self.evaluations, self.cpu = self.evaluations + 1, self.cpu + time.process_time() - began
        self.best.append(min([value, *self.best[-1:]]))
        return value


def _aim(K6: np.ndarray) -> float:
    return float(np.log(K6[2]) - np.log(K6[3] * K6[4]) / 2)


def _hats(x: np.ndarray, length: float, count: int) -> np.ndarray:
    """Return the hat functions (n, count) of equally spaced nodes from -length/2 to length/2."""
    place = (x / length + 0.5) * (count - 1)
    return np.clip(1.0 - np.abs(place[:, None] - np.arange(count)), 0.0, None)


def main(words: Sequence[str] | None = None) -> None:
    """Print the comparison."""
    from scipy.optimize import differential_evolution, minimize, minimize_scalar

    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--budget", type=int, default=240, help="evaluations of evolution")
    parser.add_argument("--quick", action="store_true", help="a coarse pad and few evaluations")
    chosen = parser.parse_args(words)
    cells = (4, 3, 2) if chosen.quick else (6, 4, 2)
    count, most = GRID[0] * GRID[1], 2 if chosen.quick else 60
    budget = 40 if chosen.quick else chosen.budget
    flat, steep, evolved = Pad(cells), Pad(cells), Pad(cells)
    one = np.ones(count)
    best = minimize_scalar(
        lambda h: flat.value(h * one), bounds=(-1, 1), method="bounded",
        options={"maxiter": 3 if chosen.quick else 30},
    )  # fmt: skip
    start = float(flat.value(0 * one))
    u, h = np.random.default_rng(1).uniform(-0.5, 0.5, count), 1e-4
    step = np.random.default_rng(2).standard_normal(count)
    difference = (steep.value(u + h * step) - steep.value(u - h * step)) / (2 * h)
    error = abs(difference / (steep.value_and_gradient(u)[1] @ step) - 1)
    steep.evaluations, steep.cpu, steep.best = 0, 0.0, []
    minimize(
        steep.value_and_gradient, 0 * one, jac=True, method="L-BFGS-B",
        bounds=[(-1, 1)] * count, options={"maxiter": most},
    )  # fmt: skip
    differential_evolution(
        evolved.value, [(-1, 1)] * count, popsize=2, maxiter=budget // (2 * count) - 1,
        tol=0.0, polish=False, rng=1, init="sobol" if chosen.quick else "latinhypercube",
    )  # fmt: skip
    reached = next((k + 1 for k, f in enumerate(steep.best) if f <= evolved.best[-1]), None)
    print("| search | evaluations | CPU [s] | f | tilt stiffness over K_z, to the middle |")
    print("|---|---|---|---|---|")
    print(f"| interface in the middle | 1 | | {start:.4f} | 1 |")
    for name, pad in (("best flat", flat), ("gradients", steep), ("evolution", evolved)):
        f = best.fun if pad is flat else pad.best[-1]
        row = [name, str(pad.evaluations), f"{pad.cpu:.1f}", f"{f:.4f}", f"{np.exp(start - f):.3f}"]
        print("| " + " | ".join(row) + " |")
    print(f"\ngradient against differences: {error:.1e}")
    print(f"gradients had evolution's value after {reached} of {steep.evaluations} evaluations")


if __name__ == "__main__":
    set_up_numba()
    with threadpool_limits(1):
        main()
