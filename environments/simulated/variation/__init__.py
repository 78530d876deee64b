"""The same world in another guise: what differs between two desktops that hold the same things."""
