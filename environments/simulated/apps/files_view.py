"""The pages of the file manager: a folder, and the editor of a text."""

from __future__ import annotations

from environments.simulated.apps.files_state import ROOT, FilesState, base, branches, folders, inside, parent
from environments.simulated.values import page_of
from environments.simulated.widgets import (
    Widget,
    bar,
    button,
    cell,
    form,
    heading,
    menu,
    menuitem,
    pager,
    row,
    table,
    text,
    textbox,
    tree,
    treeitem,
)

PAGE_SIZE = 12
ACTIONS = {"move": "Move", "copy": "Copy"}
"""What is done with a folder as its goal, and how the button is called that does it."""


def editor(state: FilesState) -> tuple[Widget, ...]:
    buttons = bar(button("Save", "save"), button("Close file", "close"))
    content = textbox("Content", "text", state.text, multiline=True)
    return (
        heading(base(state.open), f"file:{state.open}"),
        text(f"In {parent(state.open)}", "where"),
        form("editor", content, buttons, submit="save"),
    )


def folder(state: FilesState) -> tuple[Widget, ...]:
    items, page, pages = page_of(inside(state, state.cwd), state.page, PAGE_SIZE)
    some, one = bool(state.selected), len(state.selected) == 1
    tools = bar(
        button("Up", "up", enabled=state.cwd != ROOT), button("New folder", "new-folder"), button("New file", "new-file"),
        button("Open", "open", enabled=one), button("Rename", "rename", enabled=one), button("Move to…", "move", enabled=some),
        button("Copy to…", "copy", enabled=some), button("Delete", "delete", enabled=some),
        button("Undo", "undo", enabled=bool(state.undo)), key="tools",
    )  # fmt: skip
    rows: list[Widget] = []
    for path in items:
        rows.append(_row(state, path))
        if path == state.menu:
            rows.append(_menu(one))
    body = table("entries", ("Name", "Type", "Size"), rows) if rows else text("This folder is empty", "none")
    return (heading(f"Folder {state.cwd}", f"folder:{state.cwd}.title"), tools, _tree(state), body, pager(page, pages))


def _tree(state: FilesState) -> Widget:
    parents = {parent(path) for path in folders(state) if path != ROOT}
    return tree("tree", (_branch(state, path, path in parents) for path in branches(state)))


def _branch(state: FilesState, path: str, holds: bool) -> Widget:
    level = 1 if path == ROOT else path.count("/") + 1
    expanded = path not in state.folded if holds else None
    return treeitem(path, f"folder:{path}", level, expanded=expanded, selected=path == state.cwd, drop=True)


def _menu(one: bool) -> Widget:
    return menu(
        "entry.menu", menuitem("Open", "menu.open", enabled=one), menuitem("Rename…", "menu.rename", enabled=one),
        menuitem("Move…", "menu.move"), menuitem("Copy…", "menu.copy"), menuitem("Delete…", "menu.delete"),
    )  # fmt: skip


def _row(state: FilesState, path: str) -> Widget:
    entry, key = state.entries[path], f"entry:{path}"
    is_folder = entry.kind == "folder"
    cells = (base(path), "Folder" if is_folder else "Text file", "" if is_folder else f"{len(entry.text.encode())} bytes")
    return row(
        key,
        *(cell(value, f"{key}.{n}") for n, value in zip(("name", "type", "size"), cells, strict=True)),
        opens=True,
        selected=path in state.selected,
        drag=True,
        drop=is_folder,
        context=True,
    )
