"""What the crew can do, as one space of actions: the surface, the functions and agents of apps, and tools from outside."""
