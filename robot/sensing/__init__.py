"""Sensors as a robot has them, and what a controller makes of their readings."""
