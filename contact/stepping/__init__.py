"""What a time step is made of: bodies, frames, sub-steps, energy, state."""
