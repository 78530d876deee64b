"""What is measured and taught: attacks, logs of others, learning from what was done, and the parts of tests."""
