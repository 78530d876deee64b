"""Screens from pictures alone: text by OCR, controls by what they look like. Needs the extra `vision`."""
