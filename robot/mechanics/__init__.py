"""M, h and J, forces in joints, stops, bushes, and the velocities at the end of a step."""
