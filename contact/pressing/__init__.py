"""What a press test is made of: loads, increments, limits, results."""
