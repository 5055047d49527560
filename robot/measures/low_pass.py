"""The filter behind every "low-passed" peak: no phase, -3 dB at the stated frequency.

A Butterworth filter of order 2 run forwards and backwards, fourth order together. Two passes
would be -6 dB at the corner f' of one, so f' is moved up until both together are -3 dB at f_c:

    tan(pi f' dt) = tan(pi f_c dt) / (sqrt 2 - 1)^(1/4),
    gain(f) = 1 / (1 + (sqrt 2 - 1) (tan(pi f dt)/tan(pi f_c dt))^4),

exactly (the bilinear transform bends frequencies by the tangent). A step is overshot by 3.4 %, as
much ahead of it as behind.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from sole.arrays import FloatArray
from sole.errors import ConfigError, SoleError

CUTOFF = 100.0  # Hz, of the peaks in `robot.metrics`


def low_pass(signal: ArrayLike, dt: float, cutoff: float = CUTOFF) -> FloatArray:
    """Return `signal` (T, ...) low-passed along its first axis; steps of `dt` [s].

    Raises
    ------
    ConfigError
        The cutoff [Hz] is not between 0 and half the sampling rate.
    SoleError
        The signal is not finite or empty.
    """
    from scipy.signal import butter, sosfiltfilt

    x = np.asarray(signal, dtype=float)
    if not 0 < cutoff * dt < 0.5:
        raise ConfigError(
            f"a cutoff of {cutoff:g} Hz needs steps shorter than {500 / max(cutoff, 1e-300):.4g} "
            f"ms, got {1e3 * dt:g} ms"
        )
    if x.ndim == 0 or not len(x) or not np.isfinite(x).all():
        raise SoleError("a signal to filter must be finite and not empty")
    corner = math.atan(math.tan(math.pi * cutoff * dt) / (math.sqrt(2) - 1) ** 0.25) / math.pi
    sos = butter(2, 2 * corner, output="sos")
    # The odd extension at the ends must outlast the filter's memory, some 1/cutoff.
    pad = min(len(x) - 1, math.ceil(3 / (cutoff * dt)) + 9)
    return np.asarray(sosfiltfilt(sos, x, axis=0, padlen=pad))


def gain(frequency: ArrayLike, dt: float, cutoff: float = CUTOFF) -> FloatArray:
    """Return the factor on a sine of `frequency` [Hz]."""
    f = np.asarray(frequency, dtype=float)
    ratio = np.tan(np.pi * f * dt) / math.tan(math.pi * cutoff * dt)
    return np.asarray(1 / (1 + (math.sqrt(2) - 1) * ratio**4))
