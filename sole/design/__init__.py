"""Design studies: an optimiser searches the ranges of a study for its best sole."""
