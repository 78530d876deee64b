"""A place where a script can do no harm: what it is given goes in as data, and what it made comes out as data."""
