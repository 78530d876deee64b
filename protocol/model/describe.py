"""An action in one line for people; the DSL is the form that can be read back."""

from protocol.model import verbs as v

HIDDEN = "(hidden)"


def describe(action: v.Action, *, hide_text: bool = False) -> str:
    """One line for people: `click "Save"`, `fill "Amount" with "$248.90"`. A name off the screen cannot break it."""
    return "⏎".join(_said(action, hide_text).splitlines())


def _said(action: v.Action, hide_text: bool) -> str:  # noqa: C901 - one case a verb
    where = f'"{action.target.describe()}"' if action.target else ""
    enter = " and press Enter" if getattr(action, "submit", False) else ""

    def text(value: str) -> str:
        return HIDDEN if hide_text else _quoted(value)

    match action:
        case v.Click(button=button, count=count, hold=hold):
            verb = {2: "double-click", 3: "triple-click"}.get(count, "long-press" if hold else "click")
            held = "".join(f"{key}-" for key in action.modifiers)
            return f"{held}{'' if button == 'left' else button + '-'}{verb} {where}"
        case v.Fill(text=value):
            return f"fill {where} with {text(value)}{enter}"
        case v.Type(text=value):
            return f"type {text(value)}{f' into {where}' if where else ''}{enter}"
        case v.PressKey(keys=keys):
            return f"press {'+'.join(keys)}" + (f" in {where}" if where else "")
        case v.HoldKey(keys=keys, seconds=seconds):
            return f"hold {'+'.join(keys)} for {seconds:g} s"
        case v.KeyDown(key=key) | v.KeyUp(key=key):
            return f"{action.verb.replace('_', ' ')} {key}"
        case v.Scroll():
            x, y = action.delta.x, action.delta.y
            ways = [f"{'down' if y > 0 else 'up'} {abs(y):g}"] if y or not x else []
            ways += [f"{'right' if x > 0 else 'left'} {abs(x):g}"] if x else []
            return f"scroll {' and '.join(ways)} {action.unit}" + (f" in {where}" if where else "")
        case v.SelectOption(options=options):
            return f"select {', '.join(map(_quoted, options))} in {where}"
        case v.Drag(to=to):
            return f'drag {where} to "{to.describe()}"'
        case v.LaunchApp(app=app):
            return f"open {app}"
        case v.SwitchWindow(window=window):
            return f"switch to {window}"
        case v.Navigate(url=url):
            return f"navigate to {_quoted(url)}"
        case v.Tabs(op=op, index=index, url=url):
            said = {"select": "switch to tab", "list": "list tabs"}.get(op, f"{op} tab")
            return " ".join(part for part in (said, "" if index is None else str(index), url or "") if part)
        case v.Upload(files=files):
            return f"upload {', '.join(map(_quoted, files))} to {where}"
        case v.CallApi(app=app, function=function):
            return f"call {app}.{function}"
        case v.AskInAppAgent(app=app, request=request):
            return f"ask the agent of {app} {text(request)}"
        case v.RunScript(language=language, code=code):
            return f"run {language} {text(code)}"
        case v.Wait(seconds=seconds, text=shown, text_gone=gone):
            until = "".join((f" for {_quoted(shown)}" if shown else "", f" until {_quoted(gone)} is gone" if gone else ""))
            return f"wait {seconds:g} s{until}"
        case v.Memorize(name=name, value=value):
            return f"memorize {name} = {text(value)}"
        case v.Answer(text=value):
            return f"answer {text(value)}"
        case v.AskUser(question=question):
            return f"ask the user {_quoted(question)}"
        case v.Extension(arguments={"told": str(told)}):
            return f"{action.verb.rpartition('.')[2]} {text(told)}"
        case v.Extension():
            return " ".join(part for part in (action.verb, where) if part)
        case _:
            return " ".join(part for part in (action.verb.replace("_", " "), where) if part)


def _quoted(text: str, limit: int = 60) -> str:
    short = text if len(text) <= limit else text[: limit - 1] + "…"
    return f'"{short}"'
