"""Physical constants that several packages share."""

from __future__ import annotations

__all__ = ["GRAVITY"]


GRAVITY = 9.81
"""Acceleration of gravity [m/s^2], downwards."""
