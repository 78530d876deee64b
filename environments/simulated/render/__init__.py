"""Pictures of the simulated desktop: a world becomes a list of shapes, and the list becomes a PNG.

Raises EnvironmentFault on import where Pillow is not installed.
"""

from environments.simulated.render.raster import png
from environments.simulated.render.scene import picture
from environments.simulated.render.shapes import CONTRAST, DARK, LIGHT, THEMES, Picture, Theme

__all__ = ["CONTRAST", "DARK", "LIGHT", "THEMES", "Picture", "Theme", "picture", "png"]
