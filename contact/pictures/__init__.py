"""Pictures of pressed soles and of grounds."""

from contact.pictures.press_view import press_scene

__all__ = [
    "press_scene",
]
