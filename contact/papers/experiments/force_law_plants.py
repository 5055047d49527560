"""The first-order force law of LOLA's paper on plants of known stiffness.

A foot on four pads changes its wrench; delta = 0.02 s, sampled every millisecond. The error decays
on springs kappa times stiffer than assumed, at large angles, and on finite elements.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from contact.papers.foundation import ForceLaw, WinklerFoundation, sole_U, tread_region
from contact.press import RigidMotion, press
from sole.base.arrays import FloatArray
from sole.claims import Effort, Findings
from sole.condense import condense
from sole.material import Material
from sole.mesh import mesh_shape
from sole.shape import preset

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["follow_force_law", "reproduce_force_law"]

DELTA, T, BASE = 0.02, 1e-3, np.array([0.0, 0.0, 400.0])  # s, s; T_x, T_y [N m], F_z [N]
ERROR = np.array([4.0, -10.0, 100.0])  # of the wrench at the start


def _decay(
    law: ForceLaw, plant: Callable[[FloatArray], FloatArray], x: FloatArray, steps: int
) -> FloatArray:
    """Return ±|e[k]|/|e[0]| (steps + 1,), torques over 0.1 m; negative where e changes its sign."""
    errors = []
    for _ in range(steps + 1):
        wrench = plant(x)
        errors.append((BASE - wrench) / [0.1, 0.1, 1.0])
        x = x + law.increment(wrench, BASE, T)
    size = np.linalg.norm(errors, axis=1) * np.sign(np.dot(errors, errors[0]))
    return np.asarray(size / size[0])


def follow_force_law(
    size: float = 0.015, steps: int = 100, presses: int = 40
) -> dict[str, FloatArray]:
    """Return the decay of every plant by name."""
    rubber = Material(young_modulus=2e6, poisson_ratio=0.45)
    sole = condense(mesh_shape(preset("lola"), size, size), rubber, "ccr")
    springs = WinklerFoundation.of_layer(tread_region(sole.mesh), 2e6, sole.thickness)
    U, K = springs.U, sole_U(sole)
    own, fem = ForceLaw.of(U, DELTA), ForceLaw.of(K, DELTA)
    x, x_fem = np.linalg.solve(U, BASE + ERROR), np.linalg.solve(K, BASE + ERROR)

    def pressed(x: FloatArray) -> FloatArray:
        return press(sole, RigidMotion(roll=x[0], pitch=x[1], sink=-x[2])).wrench[[3, 4, 2]]

    laws = {f"κ = {k:g}": ForceLaw.of(U / k, DELTA) for k in (0.25, 1, 5, 20, 39, 41)}
    found = {name: _decay(law, springs.wrench, x, steps) for name, law in laws.items()}
    tilted = np.array([0.3, -0.3, x[2]])
    found["cosines, 17° off"] = _decay(own, lambda x: springs.U_with_cosines(x) @ x, tilted, steps)
    found["FEM, law knows K"] = _decay(fem, lambda x: K @ x, x_fem, steps)
    found["FEM, law with E/d"] = _decay(own, lambda x: K @ x, x_fem, steps)
    return found | {"pressed, law knows K": _decay(fem, pressed, x_fem, presses)}


def reproduce_force_law(effort: Effort) -> Findings:
    """Measure the decay of the error in the first step, and where the law becomes unstable."""
    found = follow_force_law(0.03, 60, 4) if effort.quick else follow_force_law()
    k, pressed = np.arange(len(found["κ = 1"])), found["pressed, law knows K"]
    return Findings(
        numbers={
            "ratio": float(found["κ = 1"][1]),
            "error": float(np.abs(found["κ = 1"] - (1 - T / DELTA) ** k).max()),
            "fem_error": float(np.abs(found["FEM, law knows K"] - (1 - T / DELTA) ** k).max()),
            "pressed_ratio": float(pressed[1]),
            "pressed_error": float(np.abs(pressed - (1 - T / DELTA) ** k[: len(pressed)]).max()),
            "stiff_39": float(np.abs(found["κ = 39"][-1])),
            "stiff_41": float(np.abs(found["κ = 41"][-1])),
        },
        pictures={"force_law": lambda: _figure(found)},
    )


def _figure(found: dict[str, FloatArray]) -> Figure:
    from matplotlib.figure import Figure

    left, right = (figure := Figure(figsize=(10, 4), layout="constrained")).subplots(1, 2)
    for i, (name, e) in enumerate(found.items()):
        axes, shown, every = (left, e[:21], 1) if "κ" in name else (right, e, (2 * i, 16))
        axes.set_xlabel("time [ms]")
        axes.plot(shown, "ov^<>sDPX*"[i], ls="-", ms=4, markevery=every, label=name)
    right.semilogy(np.exp(-0.05 * np.arange(101)), "k:", label="exp(-t/δ)")
    left.set(title="error / error at 0: springs κ times stiffer than assumed", ylim=(-3, 3))
    left.set_xticks(range(0, 21, 5))
    right.set(title="error / error at 0: other plants", ylim=(1e-4, 1.5))
    left.legend(fontsize=8, ncols=3, loc="upper left")
    right.legend(fontsize=8)
    return figure
