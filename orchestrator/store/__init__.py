"""Where runs are kept: folders with SQLite files, or one PostgreSQL server for several machines."""
