"""Whose settings a run goes on with: what somebody else's `run.json` names is not started before its reader says so.

A run goes on with the settings of its folder. Some of them reach beyond it: programs that are started, addresses to which prompts
and a key of the user's are sent, a real browser under the run's own safety policy. Where there are any, `run.json` is signed
(HMAC-SHA256 over its settings, but for the limits) with a key that only this user has. A folder that came from elsewhere, or
whose settings were changed, has no signature that fits, and `deskcrew trust` makes one after saying what it is about.
"""

import hashlib
import hmac
import json
import os
import secrets
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from orchestrator.errors import UsageProblem
from orchestrator.runs.folders import find_run, read_run
from orchestrator.store.printable import write_json
from protocol import JsonObject

SIGNATURE = "signature"
_KEY_BYTES = 32


def reaching(settings: Mapping[str, Any]) -> list[str]:
    """What in a run's settings reaches beyond it, in words, each with its key."""
    found = ["a browser on this machine (environment: browser)"] if settings.get("environment") == "browser" else []
    skills = settings.get("skills")
    skills = skills if isinstance(skills, Mapping) else {}
    found += _servers(settings.get("tools"), "tools") + _servers(skills.get("mcp"), "skills.mcp")
    found += [f"the installed tools {str(name)[:120]!r} (skills.installed)" for name in _listed(skills.get("installed"))]
    return found + [f"{str(value)[:120]!r} ({key})" for key, value in _models(settings.get("crew"), "crew")]


def _servers(given: Any, key: str) -> list[str]:
    """MCP servers: programs that are started, and addresses that are asked."""
    found = []
    for number, server in enumerate(_listed(given)):
        named = server if isinstance(server, Mapping) else {}
        what = " ".join(map(str, named.get("command") or ())) or str(named.get("url", ""))
        found.append(f"{what[:120]!r} ({key}.{number})")
    return found


def _listed(given: Any) -> list[Any]:
    return list(given) if isinstance(given, list | tuple) else []


def _models(value: Any, key: str) -> Iterator[tuple[str, Any]]:
    """Addresses of models, and options that may hold one."""
    for name, inner in value.items() if isinstance(value, Mapping) else ():
        if name in {"base_url", "options"} and inner:
            yield f"{key}.{name}", inner
        else:
            yield from _models(inner, f"{key}.{name}")


def signed(record: Mapping[str, Any]) -> JsonObject:
    """The record of a run that this user begins or trusts; signed where its settings reach beyond it."""
    bare = {name: value for name, value in record.items() if name != SIGNATURE}
    key = _key(make=True) if reaching(record["settings"]) else None
    return bare if key is None else bare | {SIGNATURE: _signature(record, key)}


def refuse_strange(record: Mapping[str, Any]) -> None:
    """Raises UsageProblem for a run whose settings reach beyond it and were not signed by this user as they are."""
    found = reaching(record["settings"])
    key = _key(make=False) if found else None
    if not found or (key is not None and hmac.compare_digest(str(record.get(SIGNATURE, "")), _signature(record, key))):
        return
    run = record["run_id"]
    raise UsageProblem(
        f"Run {run}, as its run.json stands now, was not begun by you on this machine, and its settings name "
        f"{'; '.join(found)}. Read them, and if that is what you want: deskcrew trust {run}"
    )


def trust(run_id: str, *, runs_dir: Path) -> list[str]:
    """Sign a run that came from elsewhere, as it is; returns what its settings reach. Raises UsageProblem."""
    folder = find_run(run_id, runs_dir)
    record = read_run(folder)
    found = reaching(record["settings"])
    mine = signed(record)
    if found and SIGNATURE not in mine:
        raise UsageProblem(f"Your key cannot be kept in {_place()}; name a folder that can be written as XDG_STATE_HOME.")
    if found:
        write_json(folder / "run.json", mine)
    return found


def _signature(record: Mapping[str, Any], key: bytes) -> str:
    settings = {name: value for name, value in record["settings"].items() if name != "limits"}  # they may be raised
    text = json.dumps([record["run_id"], settings], sort_keys=True, ensure_ascii=True)
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


def _place() -> Path:
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "deskcrew" / "run.key"


def _key(*, make: bool) -> bytes | None:
    """This user's key; None where there is none and it cannot be made."""
    path = _place()
    try:
        if make and not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            # Whole or not at all, and the first process wins
            part = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
            with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(secrets.token_bytes(_KEY_BYTES))
            try:
                os.link(part, path)
            except FileExistsError:
                pass
            finally:
                part.unlink()
        found = path.read_bytes()
    except OSError:
        return None
    return found if len(found) == _KEY_BYTES else None
