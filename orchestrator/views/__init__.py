"""What people see of a run: lines in a terminal, listings, the page with its screens, and a film."""
