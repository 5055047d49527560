"""A hyperelastic sole pressed on a ground at finite strain, with exact friction."""

from typing import TYPE_CHECKING

from sole.base.lazy_door import load_later

if TYPE_CHECKING:
    from contact.finite_press.finite_press import press_finite
    from contact.finite_press.result import FinitePressCertificate, FinitePressResult
else:
    # Later: types of results need nothing of the solver.
    __getattr__ = load_later(globals())

__all__ = ["FinitePressCertificate", "FinitePressResult", "press_finite"]
