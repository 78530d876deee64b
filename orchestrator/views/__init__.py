"""What people see of a run: lines in a terminal, listings, and the page with its screens."""
