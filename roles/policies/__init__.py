"""Who decides for a role, beside rules and models: a script, a chain of policies, another one for the end."""
