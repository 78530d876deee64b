"""Pillow, or one sentence that says how to get it: whatever draws imports it from here.

Raises EnvironmentFault on import where Pillow is not installed.
"""

from environments.contract import EnvironmentFault

try:
    from PIL import Image, ImageChops, ImageDraw, ImageFilter, ImageFont, features
except ModuleNotFoundError:
    raise EnvironmentFault("pictures need Pillow, which is not installed; type: pip install 'deskcrew[pictures]'") from None

__all__ = ["Image", "ImageChops", "ImageDraw", "ImageFilter", "ImageFont", "features"]
