"""The experiments behind the claims of the papers that need no robot."""
