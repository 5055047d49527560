"""Joint PD control, implicit in time, with torque limits.

    tau = tau_ff + kp (q_ref - q+) + kd (v_ref - v+),       q+ = q + dt v+,

so the step sees the constant part tau_0 = tau_ff + kp (q_ref - q) + kd v_ref and, on the diagonal
of M, dt kd + dt^2 kp: stable for any gains, and exact at rest. References hold at the end of the
step. A joint that would exceed its torque limit exerts exactly its limit.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from sole.base.arrays import FloatArray, frozen, trusted
from sole.base.errors import ConfigError, SoleError
from sole.base.made_later import MadeLater

LONGEST = 0.02  # s: a step beyond which servos are not accurate


@dataclass(frozen=True, eq=False, kw_only=True)
class Command:
    """The command of a controller to the joints for the end of the step.

    Parameters
    ----------
    positions, velocities : q_ref (n,) [rad], v_ref (n,) [rad/s].
    torques : tau_ff (n,) [N m]; default: zero.
    """

    positions: FloatArray
    velocities: FloatArray
    torques: FloatArray | None = None

    @staticmethod
    def of_rows(rows: FloatArray) -> Command:
        """Return the command whose parts are the rows of one new array (3, n).

        It keeps the array, which is checked and passed on as a whole: `rows`.

        Raises
        ------
        SoleError
            It is no array of three rows.
        """
        if not isinstance(rows, np.ndarray) or rows.ndim != 2 or len(rows) != 3:
            raise SoleError(f"rows of a command have shape {np.shape(rows)}, expected (3, n)")
        return trusted(RowCommand, given=rows)

    @property
    def rows(self) -> FloatArray | None:
        """The array (3, n) of `of_rows`; None: the parts are arrays of their own."""
        return None

    def before(self, seconds: float) -> Command:
        """Return the command `seconds` earlier, with positions extrapolated by the velocities.

        Held positions would jump, and lead by a part of the period that depends on dt.
        """
        if seconds == 0.0:
            return self
        return replace(self, positions=self.positions - seconds * self.velocities)


class RowCommand(MadeLater, Command):
    """A command of `Command.of_rows`; its parts are views, made when asked for."""

    ordinary = Command
    given: FloatArray

    @property
    def rows(self) -> FloatArray:  # noqa: D102
        return self.given

    @cached_property
    def positions(self) -> FloatArray:  # noqa: D102
        return np.asarray(self.given[0])

    @cached_property
    def velocities(self) -> FloatArray:  # noqa: D102
        return np.asarray(self.given[1])

    @cached_property
    def torques(self) -> FloatArray:  # noqa: D102
        return np.asarray(self.given[2])


@dataclass(frozen=True, eq=False, kw_only=True)
class Servo:
    """Gains and limits of all joints.

    Parameters
    ----------
    kp : (n,) [N m/rad] and kd : (n,) [N m s/rad], not negative.
    limits : (n,) largest |tau| [N m]; infinite where there is none.
    """

    kp: FloatArray
    kd: FloatArray
    limits: FloatArray

    def __post_init__(self) -> None:
        n = np.shape(self.kp)
        for name in ("kp", "kd", "limits"):
            array = frozen(getattr(self, name))
            if array.shape != n or array.ndim != 1:
                raise SoleError(f"{name} has shape {array.shape}, expected {n}, one per joint")
            if np.isnan(array).any() or (array < 0).any():
                raise ConfigError(f"{name} must not be negative or NaN")
            object.__setattr__(self, name, array)

    def asked(self, command: Command) -> FloatArray:
        """Return a command as one array (3, n): q_ref, v_ref, tau_ff.

        Raises
        ------
        SoleError
            It has a wrong shape. `check` tests whether it is finite.
        """
        if (rows := command.rows) is not None and rows.shape == (3, len(self.kp)):
            return rows
        torques = np.zeros(len(self.kp)) if command.torques is None else command.torques
        try:
            asked = np.array((command.positions, command.velocities, torques), dtype=float)
        except ValueError:
            asked = np.empty(0)
        if asked.shape != (3, len(self.kp)):
            self.check(command)
        return asked

    def check(self, command: Command) -> None:
        """Refuse a command that is not finite or has a wrong shape.

        Raises
        ------
        SoleError
            The message names the wrong part.
        """
        n = len(self.kp)
        given = {"positions": command.positions, "velocities": command.velocities}
        if command.torques is not None:
            given["torques"] = command.torques
        for name, array in given.items():
            if np.shape(array) != (n,):
                raise SoleError(f"command: {name} have shape {np.shape(array)}, expected ({n},)")
            if not np.isfinite(array).all():
                j = int(np.flatnonzero(~np.isfinite(array))[0])
                raise SoleError(f"command: {name} of joint {j} is {array[j]:g}")
