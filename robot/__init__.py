"""Humanoids that walk on compliant soles: models, gaits, control, simulation, runs."""
