"""What is seen and what may be done: elements, targets, actions, results. Sources: seeds 003 and 004."""
