"""The log: one step a line, its versions, checks, differences and schemas. Sources: seeds 003 and 004."""
