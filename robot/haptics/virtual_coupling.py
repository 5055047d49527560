"""The sampled spring between a device and what it touches, when it is passive and when stable.

    f_k = K (x_p,k-d - x_k-d) + B (v_p,k-d - v_k-d)     held for T, d steps late.

The device is a mass m with damping b that the spring, sampled and held, moves. Such a spring is
passive, so it stays stable in any passive hand, if [ColgateSchenkel1997]_

    b > K T (1/2 + d) + |B|,

for d = 0 the printed condition, for d > 0 with the delay d T beside the half period of the hold.
For one given m and b the largest stable K is larger: the eigenvalues of the sampled system tell
it (`stable_stiffness`); they approach the bound for b T << m.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, expm1

import numpy as np

from sole.base.arrays import FloatArray
from sole.base.checks import check_positive
from sole.base.errors import ConfigError

STEPS = 200  # of a bisection


def passive_stiffness(b: float, T: float, *, B: float = 0.0, delay: int = 0) -> float:
    """Return the largest passive K = (b - |B|)/(T (1/2 + d)) [N/m]; 0: none.

    Parameters
    ----------
    b : damping of the device [N s/m]. T : period [s]. B : of the coupling. delay : d in periods.
    """
    return max(b - abs(B), 0.0) / (T * (0.5 + delay))


def stable_stiffness(m: float, b: float, T: float, *, B: float = 0.0, delay: int = 0) -> float:
    """Return the largest K [N/m] for which device and spring come to rest, by eigenvalues."""
    check_positive("device", {"m": m, "b": b, "T": T})
    low, high = 0.0, 1.0
    while SampledSpring(m, b, T, high, B, delay).stable:
        low, high = high, 2 * high
        if high > 1e12:
            raise ConfigError("no finite stiffness is unstable")
    for _ in range(STEPS):
        K = (low + high) / 2
        low, high = (K, high) if SampledSpring(m, b, T, K, B, delay).stable else (low, K)
    return low


@dataclass(frozen=True)
class SampledSpring:
    """A mass m [kg] with damping b on a sampled spring K, B to a fixed point, d steps late.

    m v' = -b v + f, exactly over a period of constant f:

        E = exp(-b T/m),    v+ = E v + (1 - E) f/b,
        x+ = x + m (1 - E) v/b + (T - m (1 - E)/b) f/b.
    """

    m: float
    b: float
    T: float
    K: float
    B: float = 0.0
    delay: int = 0

    @property
    def matrix(self) -> FloatArray:
        """The map of the state (x, v, f_1 .. f_d) over a period."""
        m, b, T, d = self.m, self.b, self.T, self.delay
        E, one = exp(-b * T / m), -expm1(-b * T / m)
        move = np.array([[1.0, m * one / b], [0.0, E]])
        push = np.array([(T - m * one / b) / b, one / b])
        spring = np.array([-self.K, -self.B])
        A = np.zeros((2 + d, 2 + d))
        A[:2, :2] = move
        if d == 0:
            A[:2, :2] += np.outer(push, spring)
            return A
        A[:2, 1 + d] = push  # the oldest force acts
        A[2, :2] = spring
        for k in range(1, d):
            A[2 + k, 1 + k] = 1.0
        return A

    @property
    def stable(self) -> bool:
        """Whether every motion dies out."""
        return bool(np.abs(np.linalg.eigvals(self.matrix)).max() < 1.0)


@dataclass
class VirtualCoupling:
    """A spring and damper from the touched point to the device, with a limit.

    Parameters
    ----------
    K : [N/m]. B : [N s/m]. limit : of the force [N].
    """

    K: float
    B: float = 0.0
    limit: float = 150.0

    def __post_init__(self) -> None:
        check_positive("coupling", {"K": self.K, "limit": self.limit})
        if not self.B >= 0:
            raise ConfigError(f"coupling: B must not be negative, got {self.B:g}")

    def force(self, device: FloatArray, touched: FloatArray, velocity: FloatArray) -> FloatArray:
        """Return the force (3,) on what is touched [N]; the device feels its opposite.

        `velocity` : of the device relative to what is touched [m/s].
        """
        f = self.K * (np.asarray(device) - touched) + self.B * np.asarray(velocity)
        size = float(np.linalg.norm(f))
        return np.asarray(f if size <= self.limit else f * (self.limit / size))


class EnergyWatch:
    """The energy that a user put into what is touched, E = sum of -f_k . (x_k+1 - x_k).

    f_k is what the device feels from reading k to the next: it is held, so a sampled spring gives
    more than it took, K dx^2/2 a period. What is touched is passive if E never falls below minus
    what was stored at the beginning.
    """

    def __init__(self) -> None:
        self.energy = self.least = 0.0
        self.place: FloatArray | None = None
        self.felt = np.zeros(3)

    def note(self, place: FloatArray, felt: FloatArray) -> float:
        """Note a reading and the force that is felt from now to the next; return E so far [J]."""
        if self.place is not None:
            self.energy -= float(np.dot(self.felt, place - self.place))
            self.least = min(self.least, self.energy)
        self.place, self.felt = np.array(place), np.array(felt)
        return self.energy
