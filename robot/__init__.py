"""Humanoids that walk on compliant soles: models, gaits, control, simulation, runs."""

import sole as _sole  # it refuses files of the user's in the way  # noqa: F401
