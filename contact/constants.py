"""Defaults that several packages share."""

from __future__ import annotations

__all__ = ["FRICTION"]


FRICTION = 0.7  # Coulomb's mu of a sole on its ground, unless told otherwise
