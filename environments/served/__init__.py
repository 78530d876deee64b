"""A simulated world as web pages: the same state, shown as real controls, for people and for real browsers."""
