"""How far a pressed sole is from sliding and yawing: soft and stiff, on a stone and a plane.

Left: the fx, tz that friction carries under the present pressure. Right: the margin as yaw grows.
"""

from contextlib import suppress
from typing import NamedTuple

import numpy as np
from matplotlib.figure import Figure

from contact.ground import Bump, Plane
from contact.margins import press_margin, press_surface
from contact.press import Wrench, press
from contact.wrench_cone import rectangle_yaw_torque
from sole.base.errors import EquilibriumError
from sole.condense import condense
from sole.material import Material
from sole.mesh import mesh_shape
from sole.shape import box

X, Y, MU, FZ = 0.115, 0.065, 0.7, 570.0  # m, N
LOAD, STONE = Wrench.standing(FZ, shear=(60.0, 0.0), yaw=1.0), Bump(rise=0.004, radius=0.06)


class Study(NamedTuple):
    """Curves (fx, 0, tz) (n, 3) and verdicts by name; yaw tz, slip margin (k, 2) on the plane."""

    surfaces: dict[str, np.ndarray]
    verdicts: dict[str, str]
    course: np.ndarray


def main(young=(3e5, 1e6, 1e7), size: float = 0.02, n: int = 121, step: float = 0.5) -> Study:
    """Press soles of E = `young` [Pa]; n points per curve, yaw in steps of `step` [N m]."""
    rubber, turn = Material(young_modulus=1e6, poisson_ratio=0.4), np.linspace(0, 2 * np.pi, n)
    sole = condense(mesh_shape(box(2 * X, 2 * Y, 0.02), size, size), rubber)
    rays = np.stack([np.cos(turn), 0 * turn, Y * np.sin(turn)], axis=1)
    surfaces, verdicts, course = {}, {}, []
    cases = [(f"stone, {E / 1e6:g} MPa", sole.scaled(E / 1e6), STONE) for E in young]
    for name, pad, ground in [*cases, ("plane, any E", sole, Plane())]:
        done = press(pad, LOAD, ground, MU)
        surfaces[name], verdicts[name] = press_surface(done).boundary(rays), str(press_margin(done))
    fx = MU * FZ * np.array([1, 0, -1, -1, 0, 1, 1])
    high = rectangle_yaw_torque([[f, 0, FZ, 0, 0, 0] for f in fx], X, Y, MU).highest
    surfaces["rigid foot"] = np.column_stack([fx, 0 * fx, high * [1, 1, 1, -1, -1, -1, 1]])
    with suppress(EquilibriumError):  # ends where no equilibrium exists
        for tz in np.arange(0.0, MU * FZ * (X + Y), step):
            turned = press(sole, Wrench.standing(FZ, yaw=tz), None, MU)
            course.append((tz, press_margin(turned).slip))
    return Study(surfaces, verdicts, np.array(course))


if __name__ == "__main__":
    study, styles = main(), ("C3", "C1", "C2", "C0", "k--")
    left, right = (figure := Figure(figsize=(9.5, 4), layout="constrained")).subplots(1, 2)
    for style, (name, curve) in zip(styles, study.surfaces.items(), strict=True):
        left.plot(curve[:, 0], curve[:, 2], style, label=name)
        print(f"{name}: {study.verdicts.get(name, 'any pressure')}")
    left.plot(LOAD.fx, LOAD.tz, "k+", label="applied load")
    left.set(xlabel="fx [N]", ylabel="tz [N m]", ylim=(-80, 130))
    left.set_title(f"what friction µ = {MU:g} carries, fz = {FZ:g} N")
    right.plot(*study.course.T, "o-", ms=2.5, label="fx = 0; last dot: still at rest")
    right.set(xlabel="tz [N m]", ylabel="slip margin", title="plane: yaw grows", ylim=0)
    left.legend(fontsize=8, ncols=2), right.legend(fontsize=8)
    figure.savefig("sole_margin.png", dpi=150)
