"""The Delassus operators W, as matrices and of soles on feet."""
