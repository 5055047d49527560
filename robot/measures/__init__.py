"""What is measured in a run: pure functions of its arrays."""
