"""A corpus of attacks by text, a victim that falls for all of them, and the measurement of who does what they say."""
