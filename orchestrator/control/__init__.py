"""Control of a run that is worked: who holds it, what others ask of it, and a person's hands in it."""
