"""Texts that are stored deflated: screens and cursors repeat themselves."""

from __future__ import annotations

import zlib

MOST = 64 * 2**20
"""Bytes that one stored text may come to: far more than any screen or cursor, and no more than a machine can hold."""


def deflated(body: bytes) -> bytes:
    return zlib.compress(body, 1)


def inflated(body: bytes, most: int = MOST) -> bytes:
    """The text again. Raises zlib.error for what is no such text, is cut off, or would come to more than `most` bytes."""
    engine = zlib.decompressobj()
    text = engine.decompress(body, most + 1)
    if len(text) > most:
        raise zlib.error(f"a stored text of {len(body)} bytes would come to more than {most}")
    if not engine.eof:
        raise zlib.error("a stored text is cut off")
    return text
