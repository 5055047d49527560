"""Quality of the sensors: noise, bias, resolution and delay, all seeded.

The defaults are typical of a humanoid: magnetic encoders behind a gear, an industrial MEMS
inertial unit, strain-gauge force sensors in the ankles.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from math import inf

from sole.base.angles import Angle
from sole.base.config import STRICT
from sole.base.errors import ConfigError
from sole.base.units import NewtonMetres, Newtons, Seconds

LONGEST_DELAY = 1.0  # s: readings of that long are kept


@dataclass(frozen=True, kw_only=True)
class Noise:
    """Standard deviations unless stated otherwise; 0 is a perfect sensor.

    Parameters
    ----------
    encoder : resolution of joint angles [rad].
    gyro : noise of a reading [rad/s]; gyro_bias : standard deviation of its constant bias.
    accelerometer : noise of a reading [m/s^2]; accelerometer_bias : the same of its bias.
    force : noise of a force [N]; moment : of a moment [N m].
    force_bias, moment_bias : standard deviations of their constant biases [N, N m].
    delay : delay of the force sensors [s]; interpolated between two readings.
    switch : load on a pad above which its contact switch closes [N]; also used with true states.
    """

    __pydantic_config__ = STRICT
    encoder: Angle = 2e-5
    gyro: float = 2e-3
    gyro_bias: float = 1e-3
    accelerometer: float = 0.02
    accelerometer_bias: float = 0.02
    force: Newtons = 1.0
    moment: NewtonMetres = 0.05
    force_bias: Newtons = 1.0
    moment_bias: NewtonMetres = 0.05
    delay: Seconds = 1e-3
    switch: Newtons = 10.0

    def __post_init__(self) -> None:
        for f in fields(self):
            if not 0 <= (value := getattr(self, f.name)) < inf:
                raise ConfigError(f"{f.name} must be finite and not negative, got {value:g}")
        if self.delay > LONGEST_DELAY:
            raise ConfigError(f"delay must be at most {LONGEST_DELAY:g} s, got {self.delay:g} s")
