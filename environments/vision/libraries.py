"""What pictures are read with, or one sentence that says how to get it.

Raises EnvironmentFault on import where the extra `vision` is not installed.
"""

from environments.contract import EnvironmentFault

try:
    import cv2
    import numpy as np
    from rapidocr import RapidOCR
except ModuleNotFoundError:
    raise EnvironmentFault("reading pictures needs OCR, which is not installed; type: pip install 'deskcrew[vision]'") from None


__all__ = ["RapidOCR", "cv2", "np"]
