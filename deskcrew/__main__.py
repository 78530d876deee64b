"""The command `deskcrew`, also as `python -m deskcrew`: it starts only where the packages it imports are its own."""

from __future__ import annotations

import sys

from deskcrew.shadowing import shadowed


def main() -> None:
    """Entry point of the command."""
    if found := shadowed():
        sys.exit("\n".join(f"deskcrew: {sentence}" for sentence in found))
    from orchestrator.cli import main as command

    command()


if __name__ == "__main__":
    main()
