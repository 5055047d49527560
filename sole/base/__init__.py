"""Tools that every package uses and that know no physics: errors, arrays, files, reports."""
