"""Pictures of pressed soles, of grounds of identified materials and of shape designs."""

from contact.pictures.identify_plot import draw_identification
from contact.pictures.press_view import press_scene
from contact.pictures.shape_plot import draw_shape_design

__all__ = [
    "draw_identification",
    "draw_shape_design",
    "press_scene",
]
