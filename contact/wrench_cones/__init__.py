"""How the wrench cones of `contact.wrench_cone` are made and judged."""
