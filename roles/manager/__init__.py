"""The Manager: plans as graphs of subtasks, new plans, and what is looked up for them."""
