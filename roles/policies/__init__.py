"""Who decides for a role, beside rules and models: a script, a person, a chain of policies, a vote, a choice by subtask."""
