"""What is remembered: the blackboard of a run, and the answers of its user from one run to the next."""
