"""What was seen, as OpenAdapt has it: the `ComputerState` of openadapt-types, and the older `Observation`; and as we have it."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from protocol.elements import GUIElement, VisualState
from protocol.exports.lines import listed, mapping, refuse

PICTURES = ("screenshot_png", "screenshot_base64")
"""Pictures within the file: a log names pictures and never holds them."""

_ROLES = {
    "text_input": "textbox", "text_static": "text", "list_item": "listitem", "menu_item": "menuitem", "tree_item": "treeitem",
    "table_cell": "cell", "table_row": "row", "unknown": None,
}  # fmt: skip
"""Their role: ours."""
_SAID_ROLES = {ours: theirs for theirs, ours in _ROLES.items()}
_FLAGS = {"is_enabled": "enabled", "is_focused": "focused", "is_visible": "visible", "is_selected": "selected"}
_PLAIN = {"value": "value", "confidence": "confidence", "parent_id": "parent"}
_NODE = {"node_id", "role", "name", "text", "bbox", "children_ids", "attributes", *_FLAGS, *_PLAIN}
_OWN = ("tag", "track_id", "name_source", "required", "invalid", "private", "app", "window", "placeholder", "options")
"""Fields of an element that stand among the attributes of a node."""


def role_of(name: object) -> str | None:
    """Our role for one of theirs."""
    return _ROLES.get(name, name) if isinstance(name, str) else None


def nodes_of(state: VisualState) -> list[dict[str, Any]]:
    """The elements as nodes; what a node has no field for stands among its attributes. A private value is left out."""
    children: dict[str, list[str]] = {}
    for element in state.elements:
        if element.parent is not None:
            children.setdefault(element.parent, []).append(element.element_id)
    return [_node(element, children.get(element.element_id, [])) for element in state.elements]


def _node(element: GUIElement, children: list[str]) -> dict[str, Any]:
    dumped = element.model_dump(mode="json", exclude_defaults=True)
    attributes = {name: dumped[name] for name in _OWN if name in dumped}
    role = _SAID_ROLES.get(element.role, element.role) or ""
    if role_of(role) != element.role:
        attributes["role"] = element.role
    box = element.bbox
    return {
        "node_id": element.element_id,
        "role": role,
        "name": element.text,
        "value": None if element.private else element.value,
        "bbox": box and {"x": box.x1, "y": box.y1, "width": box.x2 - box.x1, "height": box.y2 - box.y1},
        "confidence": element.confidence,
        "parent_id": element.parent,
        "children_ids": children,
        **{theirs: getattr(element, ours) for theirs, ours in _FLAGS.items()},
        "attributes": attributes,
    }


def state_of(seen: dict[str, Any], where: str) -> tuple[VisualState, dict[str, Any]]:
    """The state that an observation means, and what of it no field of ours holds. Raises BadStep."""
    rest = {name: value for name, value in seen.items() if name not in (*_SEEN, *PICTURES) and value not in (None, [], {})}
    left = [name for name in PICTURES if seen.get(name)]
    if left:
        rest["left_out"] = left
    parents = {
        child: node.get("node_id")
        for node in map(mapping, listed(seen.get("nodes")))
        for child in listed(node.get("children_ids"))
        if isinstance(child, str)
    }
    elements, more = [], {}
    for n, node in enumerate(listed(seen.get("nodes"))):
        element, other = _element(node, parents, f"{where}.nodes[{n}]")
        elements.append(element)
        if other:
            more[element.element_id] = other
    if more:
        rest["nodes"] = more
    size = seen.get("viewport") or seen.get("screen_size")
    window = mapping(seen.get("active_window"))
    fields = {"screen_resolution": size, "timestamp": seen.get("timestamp"), "app": window.get("app_name")}
    try:
        known = {name: value for name, value in fields.items() if value is not None}
        return VisualState(elements=tuple(elements), **known), rest
    except ValidationError as bad:
        first = bad.errors(include_url=False)[0]
        refuse(f"{where}.{_SAID.get(str(first['loc'][0]), first['loc'][0])}", str(first["msg"]))


_SEEN = ("schema_version", "screenshot_path", "viewport", "screen_size", "nodes", "timestamp")
_SAID = {"screen_resolution": "viewport", "app": "active_window.app_name"}


def _element(node: Any, parents: dict[str, Any], where: str) -> tuple[GUIElement, dict[str, Any]]:
    if not isinstance(node, dict):
        refuse(where, "a node is an object")
    attributes = mapping(node.get("attributes"))
    fields: dict[str, Any] = {ours: node[theirs] for theirs, ours in (_FLAGS | _PLAIN).items() if node.get(theirs) is not None}
    fields |= {name: attributes[name] for name in (*_OWN, "role") if name in attributes}
    fields.setdefault("role", role_of(node.get("role")))
    fields.setdefault("parent", parents.get(str(node.get("node_id"))))
    name = node.get("name") if node.get("name") is not None else node.get("text")
    try:
        element = GUIElement.model_validate({"element_id": node.get("node_id"), "text": name, "bbox": node.get("bbox"), **fields})
    except ValidationError as bad:
        first = bad.errors(include_url=False)[0]
        refuse(f"{where}.{first['loc'][0]}", str(first["msg"]).removeprefix("Value error, "))
    other = {key: value for key, value in node.items() if key not in _NODE and value not in (None, False, "")}
    if node.get("text") is not None and node["text"] != name:
        other["text"] = node["text"]
    odd = {key: value for key, value in attributes.items() if key not in (*_OWN, "role")}
    return element, {**other, **({"attributes": odd} if odd else {})}
