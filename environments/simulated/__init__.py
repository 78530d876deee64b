"""A desktop of pure apps: the whole world is one immutable value, and an action is a function over it."""
