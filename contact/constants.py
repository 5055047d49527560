"""Defaults and limits that several packages share."""

from __future__ import annotations

import math

from sole.base.errors import ConfigError

__all__ = ["FRICTION", "SHORTEST", "check_time_step"]


SHORTEST = 1e-7  # s: velocities of 1 um/s move a sole by less than round-off in shorter steps
FRICTION = 0.7  # Coulomb's mu of a sole on its ground, unless told otherwise


def check_time_step(dt: float, longest: float = math.inf) -> None:
    """Raise ConfigError unless `SHORTEST` <= dt <= `longest` [s]."""
    if not (math.isfinite(dt) and dt > 0):
        raise ConfigError(f"dt must be positive, got {dt:g} s")
    if dt < SHORTEST:
        raise ConfigError(f"dt must be at least {SHORTEST:g} s, got {dt:g} s: a walk needs 1e-3 s")
    if dt > longest:
        raise ConfigError(f"dt must be at most {longest:g} s, got {dt:g} s: a walk needs 1e-3 s")
