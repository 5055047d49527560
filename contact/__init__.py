"""Coulomb contact of a condensed sole with the ground: press test, solvers, pictures."""

import sole as _sole  # it refuses files of the user's in the way  # noqa: F401
