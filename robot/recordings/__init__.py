"""Time series of a run: recorded, laid out, kept in a file, described."""
