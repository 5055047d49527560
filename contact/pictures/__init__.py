"""Pictures of pressed soles, of grounds of identified materials and of shape designs."""

from typing import TYPE_CHECKING

from sole.base.lazy_door import load_later

if TYPE_CHECKING:
    from contact.pictures.identify_plot import draw_identification
    from contact.pictures.press_view import press_scene
    from contact.pictures.shape_plot import draw_shape_design
else:
    __getattr__ = load_later(globals())

__all__ = [
    "draw_identification",
    "draw_shape_design",
    "press_scene",
]
