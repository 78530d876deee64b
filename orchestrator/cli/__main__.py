"""`python -m orchestrator.cli`: the command `deskcrew`."""

from orchestrator.cli import main

if __name__ == "__main__":
    main()
