"""Files as environments need them: conditions over them, changes of a tree, YAML with its lines."""
