"""Condensed soles inside other simulators: MuJoCo, Drake, and loops of one's own."""
