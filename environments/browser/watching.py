"""What the press of an element sets off, as digests."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

from environments.browser.reading import clean

_UNSEEN = 5


def beneath(said: Mapping[str, Any] | None) -> dict[str, str]:
    """What the page's script says of an element, as digests; the names of unseen fields stay names."""
    if not said:
        return {}
    parts = {name: _digest(said.get(name)) for name in ("address", "handlers", "marks", "hidden")}
    unseen = [name for name in said.get("unseen") or [] if not TOKEN.search(str(name))]
    more = ", ..." if len(unseen) > _UNSEEN else ""
    return parts | ({"unseen": ", ".join(clean(name, 40) for name in unseen[:_UNSEEN]) + more} if unseen else {})


TOKEN = re.compile(r"token|csrf|xsrf|nonce|verification|viewstate|^__|^utf8$|^_method$", re.IGNORECASE)
"""Fields that nearly every form has and nobody reads."""


def _digest(what: Any) -> str:
    text = json.dumps(what, ensure_ascii=True, default=str)
    return blake2b(text.encode(), digest_size=8).hexdigest()
