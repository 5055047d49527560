"""The elastic foundation under a foot: contact regions, stiffness U, force law."""
