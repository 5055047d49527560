"""Tables of numbers in `docs/`: found by their markers, made again, compared; and their scripts."""
