"""Goals worked as orders: read, grounded in app cards, planned as steps, and worked over widgets."""
