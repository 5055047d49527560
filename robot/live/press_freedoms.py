"""The six freedoms of a foot on a page, and what a frame of a press has of its own."""

FARTHEST, STEEPEST = 0.2, 20.0  # m and deg from first touch
NAMES = ("x", "y", "z", "roll_deg", "pitch_deg", "yaw_deg")
MORE = 13  # motion (6,), wrench about the projected origin (6,), friction; then a status per node
