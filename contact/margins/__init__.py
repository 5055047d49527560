"""How close a compliant sole is to slipping, yawing or tilting: limit surfaces and margins."""

from contact.margins.limit_surface import LimitSurface
from contact.margins.pressure_cone import PressureCone
from contact.margins.sole_margin import (
    SoleMargin,
    press_margin,
    press_surface,
    step_margins,
)

__all__ = [
    "LimitSurface",
    "PressureCone",
    "SoleMargin",
    "press_margin",
    "press_surface",
    "step_margins",
]
