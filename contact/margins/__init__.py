"""How close a compliant sole is to slipping, yawing or tilting: limit surfaces and margins."""

from typing import TYPE_CHECKING

from sole.base.lazy_door import load_later

if TYPE_CHECKING:
    from contact.margins.limit_surface import LimitSurface
    from contact.margins.pressure_cone import PressureCone
    from contact.margins.sole_margin import (
        SoleMargin,
        press_margin,
        press_surface,
        step_margins,
    )
else:
    __getattr__ = load_later(globals())

__all__ = [
    "LimitSurface",
    "PressureCone",
    "SoleMargin",
    "press_margin",
    "press_surface",
    "step_margins",
]
