"""Episodes for verifiers: `vf-eval deskcrew-episodes`. It finds a taskset as a module that stands in no package."""

try:
    import verifiers.v1  # noqa: F401
except ImportError as missing:
    raise ImportError("verifiers is not installed: pip install 'deskcrew[verifiers]'") from missing

from orchestrator.lab.episodes.verifiers_env import DeskEnv, DeskHarness, DeskTaskset, load_environment

__all__ = ["DeskEnv", "DeskHarness", "DeskTaskset", "load_environment"]
