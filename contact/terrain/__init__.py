"""What a ground is made of: pieces, fields, files, and the compiled query."""
