"""Where runs are kept: folders with SQLite files."""
