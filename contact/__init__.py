"""Coulomb contact of a condensed sole with the ground: press test, solvers, pictures."""
