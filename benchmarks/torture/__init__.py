"""Random cases in large numbers, judged from the outside by the laws that the docs state."""
