"""The choice of a sole from a study: feasible rows, front, knee, sensitivities, materials."""
