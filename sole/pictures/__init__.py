"""PyVista and matplotlib scenes, and how they become files."""
