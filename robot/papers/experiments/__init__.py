"""The experiments behind the claims of the papers that need a robot."""
