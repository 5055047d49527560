"""Measurements for the examples: tables and studies used only by examples and tests."""
