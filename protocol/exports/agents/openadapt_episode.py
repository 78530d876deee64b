"""OpenAdapt's `Episode`: written as openadapt-types has it (schema 0.1.0), read in that and in openadapt-ml's schema 1.0.0.

What an episode has no field for stands under `deskcrew` in the raw part of each observation, and in its metadata.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from protocol import ActionTarget, AgentAction, GUIElement, InteractionStep, JsonObject, VisualState
from protocol.dialects import Context, DialectError, build
from protocol.dialects.desktop.openadapt import DIALECT
from protocol.exports.common import kept
from protocol.exports.common.base import ExportResult, Format, FormatError, ImportResult, Pictures, Run
from protocol.exports.common.lines import checked, json_document, json_line, listed, mapping, placed, step_of, told
from protocol.log.log import LogLine, whole_file
from protocol.log.versions import BadStep, refuse

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


def nodes_of(state: VisualState) -> list[JsonObject]:
    """The elements as nodes; what a node has no field for stands among its attributes. A private value is left out."""
    children: dict[str, list[str]] = {}
    for element in state.elements:
        if element.parent is not None:
            children.setdefault(element.parent, []).append(element.element_id)
    return [_node(element, children.get(element.element_id, [])) for element in state.elements]


def _node(element: GUIElement, children: list[str]) -> JsonObject:
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


def state_of(seen: JsonObject, where: str) -> tuple[VisualState, JsonObject]:
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
    known = {name: value for name, value in fields.items() if value is not None}
    return checked(VisualState, {"elements": elements, **known}, where, _THEIR_NAMES), rest


_SEEN = ("schema_version", "screenshot_path", "viewport", "screen_size", "nodes", "timestamp")
_THEIR_NAMES = {"screen_resolution": "viewport", "app": "active_window.app_name"}


def _element(node: Any, parents: JsonObject, where: str) -> tuple[GUIElement, JsonObject]:
    if not isinstance(node, dict):
        refuse(where, "a node is an object")
    attributes = mapping(node.get("attributes"))
    fields: JsonObject = {ours: node[theirs] for theirs, ours in (_FLAGS | _PLAIN).items() if node.get(theirs) is not None}
    fields |= {name: attributes[name] for name in (*_OWN, "role") if name in attributes}
    fields.setdefault("role", role_of(node.get("role")))
    fields.setdefault("parent", parents.get(str(node.get("node_id"))))
    name = node.get("name") if node.get("name") is not None else node.get("text")
    data = {"element_id": node.get("node_id"), "text": name, "bbox": node.get("bbox"), **fields}
    element = checked(GUIElement, data, where)
    other = {key: value for key, value in node.items() if key not in _NODE and value not in (None, False, "")}
    if node.get("text") is not None and node["text"] != name:
        other["text"] = node["text"]
    odd = {key: value for key, value in attributes.items() if key not in (*_OWN, "role")}
    return element, {**other, **({"attributes": odd} if odd else {})}


SCHEMA = "0.1.0"
_VERSION = re.compile(r"[01](\.\d{1,3}){0,2}\Z", re.ASCII)
_NAME = "openadapt"


def write(run: Run, path: Path) -> ExportResult:
    """One document, written as a stream; an action that takes several of theirs is several steps."""
    exported = ExportResult(files=[path])
    facts = run.info
    head = {
        "schema_version": SCHEMA,
        "episode_id": facts.run_id,
        "instruction": facts.goal,
        "success": {"fulfilled": True, "rejected": False}.get(facts.outcome),
        "agent_model": facts.agent or None,
        "created_at": None,
        "metadata": {kept.KEY: kept.run_facts(facts)},
    }
    number = 0
    with whole_file(path) as file:
        file.write(json_line(head)[:-1] + ', "steps": [')
        for frame in kept.frames(run.steps, Pictures(run.folder, path), exported.losses):
            exported.steps += 1
            try:
                payload, losses = DIALECT.write(frame.step.action, kept.context_of(frame.step))
            except DialectError as no:
                exported.unsaid(no)
                continue
            exported.losses.update(losses)
            for action in payload if isinstance(payload, list) else [payload]:
                file.write((",\n" if number else "\n") + json_line(_step(number, frame, action)))
                number += 1
        file.write("\n]}\n")
    return exported


def _step(number: int, frame: kept.Frame, action: JsonObject) -> JsonObject:
    step, state, result = frame.step, frame.step.visual_state, frame.step.result
    seen = state.model_dump(
        mode="json", exclude_defaults=True, include={"screen_resolution", "app", "windows", "modal", "loading"}
    )
    ours = {**kept.fields_of(step, frame.before, frame.after), "state": seen}
    came: JsonObject | None = None
    if result is not None:
        kind = {"timeout": "timeout", "error": "execution_error"}.get(result.exec_status.value)
        point = result.resolved.point if result.resolved else None
        came = {"success": result.ok, "error": result.error or None, "error_type": kind}
        came["resolved_coordinates"] = list(point) if point else None
    return {
        "step_index": number,
        "observation": {
            "screenshot_path": frame.before.path if frame.before else None,
            "viewport": list(state.screen_resolution),
            "nodes": nodes_of(state),
            "active_window": {"app_name": state.app, "is_foreground": True} if state.app is not None else None,
            "timestamp": state.timestamp,
            "source": kept.KEY,
            "raw": {kept.KEY: ours},
        },
        "action": action,
        "result": came,
        "reasoning": step.reasoning or None,
        "done": step.action.verb in ("finish_goal", "fail_goal"),
        "timestamp": step.timestamp,
    }


def read(path: Path) -> ImportResult:
    """The steps of an episode, in order; the whole document is held in memory. Raises FormatError."""
    episode = json_document(path, "steps", "an episode")
    version = episode.get("schema_version", SCHEMA)
    if not isinstance(version, str) or not _VERSION.match(version):
        raise FormatError(f"{path.name}: $.schema_version: 0.1.0 and 1.0.0 are read, not {str(version)[:40]!r}")
    done = episode.get("success")
    info = kept.info_of(
        mapping(episode.get("metadata")).get(kept.KEY),
        run_id=episode.get("episode_id"),
        goal=episode.get("instruction"),
        agent=episode.get("agent_model"),
        outcome={True: "fulfilled", False: "rejected"}.get(done, "") if isinstance(done, bool) else "",
    )
    about = {name: value for name, value in episode.items() if name not in _SAID and value is not None}
    if mapping(about.get("metadata")).keys() == {kept.KEY}:
        del about["metadata"]

    def lines(steps: list[Any]) -> Iterator[LogLine]:
        for n, step in enumerate(steps):
            after = mapping(mapping(steps[n + 1]).get("observation")).get("screenshot_path") if n + 1 < len(steps) else None
            yield from told(n + 1, _read(step, f"$.steps[{n}]", episode, after, about if n == 0 else {}))

    return ImportResult(info, lines(episode["steps"]))


_SAID = ("schema_version", "episode_id", "instruction", "steps", "success", "agent_model", "created_at")
_STEP = ("step_index", "observation", "action", "result", "reasoning", "timestamp")


def _read(step: Any, where: str, episode: JsonObject, after: Any, about: JsonObject) -> Iterator[InteractionStep]:
    if not isinstance(step, dict) or not isinstance(step.get("observation"), dict) or not isinstance(step.get("action"), dict):
        refuse(where, "a step has an observation and an action")
    seen, done = step["observation"], step["action"]
    ours = mapping(mapping(seen.get("raw")).get(kept.KEY))
    state, rest = state_of({**seen, "raw": None} if ours else seen, f"{where}.observation")
    action, losses = _action(done, state, f"{where}.action")
    theirs = (*kept.picture_named(seen.get("screenshot_path"), "before"), *(kept.picture_named(after, "after") if after else ()))
    pictures = kept.pictures_of(ours, where) if ours else theirs
    before = next((picture.path for picture in pictures if picture.moment == "before"), "")
    fields = {"timestamp": 0.0, **{name: value for name, value in ours.items() if name not in ("screen", "pictures", "state")}}
    if not ours:
        # The fields of another agent's step, and under `raw` what no field holds
        raw = {name: value for name, value in step.items() if name not in _STEP and value is not None}
        raw |= {name: value for name, value in (("observation", rest), ("losses", losses), ("episode", about)) if value}
        result, other = _read_result(step.get("result"))
        raw |= {"result": other} if other else {}
        if action_raw := step["action"].get("raw"):
            raw["action"] = action_raw
        index, run_id = step.get("step_index"), episode.get("episode_id")
        timestamp = step.get("timestamp")
        fields = {
            "timestamp": state.timestamp if timestamp is None else timestamp,
            "step": index if isinstance(index, int) else 0,
            "run_id": run_id if isinstance(run_id, str) else "",
            "result": result,
            "state_id": state.state_id if state.elements else "",
            "raw": raw,
        }
    if not ours and seen.get("screenshot_path") and not before:
        fields["raw"] = {**fields["raw"], "screenshot_path": seen["screenshot_path"]}
    seen_before = {name: getattr(state, name) for name in VisualState.model_fields}
    update = {**mapping(ours.get("state")), "screenshot_path": before}
    state = checked(VisualState, {**seen_before, **update}, f"{where}.observation")
    reasoning = step.get("reasoning") or done.get("reasoning")
    said = reasoning if isinstance(reasoning, str) and action.verb != "fail_goal" else step.get("reasoning") or ""
    yield step_of(where, visual_state=state, action=action, reasoning=said, pictures=pictures, **fields)


def _read_result(result: Any) -> tuple[JsonObject | None, JsonObject]:
    if not isinstance(result, dict) or not isinstance(result.get("success"), bool):
        return None, mapping(result)
    status = "executed" if result["success"] else "timeout" if result.get("error_type") == "timeout" else "error"
    point, error = result.get("resolved_coordinates"), result.get("error")
    other = {name: value for name, value in result.items() if name not in _RESULT and value not in (None, [], {})}
    read: JsonObject = {"exec_status": status, "error": error if isinstance(error, str) else ""}
    if isinstance(point, list) and len(point) == 2:
        read["resolved"] = {"tier": "point", "point": point}
    return read, other


_RESULT = ("success", "error", "resolved_coordinates")


def _action(done: JsonObject, state: VisualState, where: str) -> tuple[AgentAction, list[str]]:
    """The action, in either schema, and what was lost in reading it."""
    target = _older_target(done, where)
    # openadapt-ml's in the words of openadapt-types
    said = {name: value for name, value in done.items() if name not in _OLDER_PLACES and value is not None}
    for older, newer in _RENAMED.items():
        if older in said and newer not in said:
            said[newer] = said.pop(older)
    if end := _point(done, "end_coordinates", "normalized_end"):
        said["drag_end"] = end
    kind = said.get("type")
    try:
        if kind in _OLDER_TYPES:
            arguments = {name: value for name, value in said.items() if name not in ("type", "raw", "reasoning", "target")}
            return build(_NAME, "$", action_type=f"x-{_NAME}.{kind}", arguments=arguments, target=target), []
        if target is not None:
            said["target"] = {"node_id": "-"}
        read = DIALECT.read({**said, "type": _RENAMED_TYPES.get(str(kind), kind)}, Context(state=state))
    except DialectError as bad:
        raise BadStep((placed(bad, where),)) from None
    action = read.actions[0] if target is None else read.actions[0].model_copy(update={"target": target})
    return action, [f"{loss.what}: {loss.why}" for loss in read.losses if loss.what != "raw"]


_OLDER_TYPES = ("select_monitor", "window_resize", "window_move")
_RENAMED_TYPES = {"click_and_type": "type"}
_RENAMED = {"duration": "duration_seconds", "window_title": "app_name"}
_OLDER_PLACES = (
    "coordinates", "normalized_coordinates", "start_coordinates", "normalized_start", "end_coordinates", "normalized_end",
    "element",
)  # fmt: skip


def _point(done: JsonObject, pixels: str, fractions: str) -> JsonObject | None:
    if isinstance(given := done.get(pixels), dict):
        return {"x": given.get("x"), "y": given.get("y"), "is_normalized": False}
    if isinstance(given := done.get(fractions), list) and len(given) == 2:
        return {"x": given[0], "y": given[1], "is_normalized": True}
    return None


def _older_target(done: JsonObject, where: str) -> ActionTarget | None:
    """Where an action of openadapt-ml's schema acts: a place, and all that is said of the element."""
    point = _point(done, "start_coordinates", "normalized_start") or _point(done, "coordinates", "normalized_coordinates")
    element = mapping(done.get("element"))
    named = {"element_id": element.get("element_id"), "text": element.get("name"), "role": role_of(element.get("role"))}
    named |= {"bbox": element.get("bounds"), "selector": element.get("selector") or element.get("xpath")}
    given = {name: value for name, value in named.items() if value is not None}
    if point:
        space = "norm1" if point["is_normalized"] else "px"
        given["point"] = {"x": point["x"], "y": point["y"], "space": space}
    if not given.keys() - {"role"}:
        return None
    return checked(ActionTarget, given, where, {**dict.fromkeys(given, "element"), "point": "coordinates"})


FORMAT = Format(name="openadapt_episode", title="OpenAdapt Episode", suffix=".json", write=write, read=read)
