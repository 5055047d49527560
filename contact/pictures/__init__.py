"""Pictures of pressed soles, of grounds and of identified materials."""

from contact.pictures.identify_plot import draw_identification
from contact.pictures.press_view import press_scene

__all__ = [
    "draw_identification",
    "press_scene",
]
