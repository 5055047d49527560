"""A condensed sole as six springs, six dampers and a hard tread, for engines without our code."""

from contact.bushing.bushing import Bushing, fit_bushing
from contact.bushing.bushing_files import EXPORTS, write_bushing
from contact.bushing.mujoco_file import MujocoContact

__all__ = ["EXPORTS", "Bushing", "MujocoContact", "fit_bushing", "write_bushing"]
