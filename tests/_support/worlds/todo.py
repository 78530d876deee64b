"""An app whose field for a new record stands beside the list, outside of a form, and empties itself."""

from __future__ import annotations

from functools import partial

from worlds.having import having

from environments.simulated.app import App, Content, Edited, Event, Pressed, Setting, Update
from environments.simulated.screen import widgets as ui
from environments.simulated.screen.widgets import Widget
from environments.simulated.world.values import Model

WORLD = "name: mine\napps: {todo: {todos: [Call Ann, Buy milk]}, notes: {}}\nopen: [notes]\n"


class Todo(Model):
    title: str
    done: bool = False


class TodoContent(Content):
    todos: tuple[str, ...] = ()


class TodoState(Model):
    todos: dict[str, Todo]
    item: str = ""


class TodoList(App[TodoContent, TodoState]):
    """Things to do."""

    name = "todo"
    title = "To-do"
    words = ("todo", "task", "to-do list")
    content = TodoContent
    state = TodoState

    def start(self, content: TodoContent, setting: Setting) -> TodoState:
        return TodoState(todos={f"t{n}": Todo(title=title) for n, title in enumerate(content.todos)})

    def view(self, state: TodoState) -> tuple[Widget, ...]:
        rows = (
            ui.row(f"todo-{key}", ui.cell(one.title), ui.cell("done" if one.done else "open"),
                   ui.button("Tick", f"tick-{key}", enabled=not one.done), press=False)
            for key, one in state.todos.items()
        )  # fmt: skip
        return (
            ui.heading("To-do", "page"), ui.textbox("Item", "item", state.item), ui.button("Add", "add"),
            ui.table("todos", ("Title", "State", ""), rows),
        )  # fmt: skip

    def update(self, state: TodoState, event: Event) -> Update[TodoState]:
        match event:
            case Edited(key="item", value=value):
                return Update(state.replace(item=value))
            case Pressed(key="add") if state.item:
                more = {f"t{len(state.todos)}": Todo(title=state.item)}
                return Update(state.replace(todos={**state.todos, **more}, item=""))
            case Pressed(key=key) if key.startswith("tick-"):
                one = key.removeprefix("tick-")
                return Update(state.replace(todos={**state.todos, one: state.todos[one].replace(done=True)}))
        return Update(state)


registered = partial(having, TodoList())
