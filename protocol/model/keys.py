"""Key names: one canonical set, the W3C's `KeyboardEvent.key`, and how each of the others spells it.

Two names are not the W3C's own: `Space`, which it writes as a blank, and `ControlOrMeta` (Playwright), which stays symbolic
until somebody knows the platform. A single character is itself; its case is kept, although within a chord it means nothing.
"""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field

Keyboard = Literal["xdotool", "openai", "pyautogui", "playwright", "uitars", "pynput", "android"]
"""Who spells: Anthropic writes xdotool's names, OSWorld and AgentNet pyautogui's, BrowserGym and MCP Playwright's."""

_F = [f"F{n}" for n in range(1, 25)]

# canonical: xdotool; openai; pyautogui; playwright; uitars; pynput; android. The first name of a cell is written, all are read.
_ROWS: dict[str, tuple[str, str, str, str, str, str, str]] = {
    "Enter": ("Return KP_Enter", "ENTER RETURN", "enter return", "Enter", "enter return", "enter", "KEYCODE_ENTER"),
    "Escape": ("Escape", "ESC ESCAPE", "esc escape", "Escape", "esc escape", "esc", "KEYCODE_ESCAPE"),
    "Backspace": ("BackSpace", "BACKSPACE", "backspace", "Backspace", "backspace", "backspace", "KEYCODE_DEL"),
    "Delete": ("Delete KP_Delete", "DELETE DEL", "delete del", "Delete", "delete del", "delete", "KEYCODE_FORWARD_DEL"),
    "Tab": ("Tab", "TAB", "tab", "Tab", "tab", "tab", "KEYCODE_TAB"),
    "Space": ("space", "SPACE", "space", "Space", "space", "space", "KEYCODE_SPACE"),
    "ArrowLeft": ("Left KP_Left", "ARROWLEFT LEFT", "left", "ArrowLeft", "arrowleft left", "left", "KEYCODE_DPAD_LEFT"),
    "ArrowRight": ("Right KP_Right", "ARROWRIGHT RIGHT", "right", "ArrowRight", "arrowright right", "right",
                   "KEYCODE_DPAD_RIGHT"),
    "ArrowUp": ("Up KP_Up", "ARROWUP UP", "up", "ArrowUp", "arrowup up", "up", "KEYCODE_DPAD_UP"),
    "ArrowDown": ("Down KP_Down", "ARROWDOWN DOWN", "down", "ArrowDown", "arrowdown down", "down", "KEYCODE_DPAD_DOWN"),
    "PageUp": ("Page_Up Prior", "PAGEUP", "pageup pgup", "PageUp", "pageup", "page_up", "KEYCODE_PAGE_UP"),
    "PageDown": ("Page_Down Next", "PAGEDOWN", "pagedown pgdn", "PageDown", "pagedown", "page_down", "KEYCODE_PAGE_DOWN"),
    "Home": ("Home KP_Home", "HOME", "home", "Home", "home", "home", "KEYCODE_MOVE_HOME"),
    "End": ("End KP_End", "END", "end", "End", "end", "end", "KEYCODE_MOVE_END"),
    "Insert": ("Insert", "INSERT INS", "insert", "Insert", "insert", "insert", "KEYCODE_INSERT"),
    "Control": ("ctrl Control_L Control_R control", "CTRL CONTROL", "ctrl ctrlleft ctrlright control", "Control", "ctrl control",
                "ctrl ctrl_l ctrl_r", "KEYCODE_CTRL_LEFT"),
    "Alt": ("alt Alt_L Alt_R", "ALT OPTION", "alt altleft altright option optionleft optionright", "Alt", "alt option",
            "alt alt_l alt_r option", "KEYCODE_ALT_LEFT"),
    "Shift": ("shift Shift_L Shift_R", "SHIFT", "shift shiftleft shiftright", "Shift", "shift", "shift shift_l shift_r",
              "KEYCODE_SHIFT_LEFT"),
    "Meta": ("super Super_L Super_R meta Meta_L Meta_R cmd command win", "CMD META SUPER WIN COMMAND",
             "win winleft winright command super meta", "Meta", "win cmd meta super command", "cmd win super",
             "KEYCODE_META_LEFT"),
    "ControlOrMeta": ("", "", "", "ControlOrMeta", "", "", ""),
    "AltGraph": ("ISO_Level3_Shift", "ALTGR", "", "AltGraph", "altgr", "alt_gr", ""),
    "CapsLock": ("Caps_Lock", "CAPSLOCK", "capslock", "CapsLock", "capslock", "caps_lock", "KEYCODE_CAPS_LOCK"),
    "NumLock": ("Num_Lock", "NUMLOCK", "numlock", "NumLock", "numlock", "num_lock", "KEYCODE_NUM_LOCK"),
    "ScrollLock": ("Scroll_Lock", "SCROLLLOCK", "scrolllock", "ScrollLock", "scrolllock", "scroll_lock", "KEYCODE_SCROLL_LOCK"),
    "PrintScreen": ("Print", "PRINTSCREEN", "printscreen prtsc prtscr prntscrn print", "PrintScreen", "printscreen",
                    "print_screen", "KEYCODE_SYSRQ"),
    "Pause": ("Pause", "PAUSE", "pause", "Pause", "pause", "pause", "KEYCODE_BREAK"),
    "ContextMenu": ("Menu", "CONTEXTMENU MENU", "apps", "ContextMenu", "contextmenu menu", "menu", "KEYCODE_MENU"),
    **{f: (f, f, f.lower(), f, f.lower(), f.lower(), f"KEYCODE_{f}") for f in _F},
    "AudioVolumeUp": ("XF86AudioRaiseVolume", "", "volumeup", "AudioVolumeUp", "", "media_volume_up", "KEYCODE_VOLUME_UP"),
    "AudioVolumeDown": ("XF86AudioLowerVolume", "", "volumedown", "AudioVolumeDown", "", "media_volume_down",
                        "KEYCODE_VOLUME_DOWN"),
    "AudioVolumeMute": ("XF86AudioMute", "", "volumemute", "AudioVolumeMute", "", "media_volume_mute", "KEYCODE_VOLUME_MUTE"),
    "MediaPlayPause": ("XF86AudioPlay", "", "playpause", "MediaPlayPause", "", "media_play_pause", "KEYCODE_MEDIA_PLAY_PAUSE"),
    "MediaTrackNext": ("XF86AudioNext", "", "nexttrack", "MediaTrackNext", "", "media_next", "KEYCODE_MEDIA_NEXT"),
    "MediaTrackPrevious": ("XF86AudioPrev", "", "prevtrack", "MediaTrackPrevious", "", "media_previous",
                           "KEYCODE_MEDIA_PREVIOUS"),
    "MediaStop": ("XF86AudioStop", "", "stop", "MediaStop", "", "", "KEYCODE_MEDIA_STOP"),
    "Standby": ("XF86Sleep", "", "sleep", "Standby", "", "", "KEYCODE_SLEEP"),
    "Help": ("Help", "", "help", "Help", "", "", "KEYCODE_HELP"),
    "Select": ("Select", "", "select", "Select", "", "", ""),
    "Execute": ("Execute", "", "execute", "Execute", "", "", ""),
    "BrowserBack": ("XF86Back", "", "browserback", "BrowserBack", "", "", "KEYCODE_BACK"),
    "BrowserForward": ("XF86Forward", "", "browserforward", "BrowserForward", "", "", "KEYCODE_FORWARD"),
    "BrowserRefresh": ("XF86Reload", "", "browserrefresh", "BrowserRefresh", "", "", ""),
    "GoBack": ("", "", "", "GoBack", "", "", ""),
    "GoHome": ("", "", "", "GoHome", "", "", "KEYCODE_HOME"),
    "AppSwitch": ("", "", "", "AppSwitch", "", "", "KEYCODE_APP_SWITCH"),
    "BrowserHome": ("XF86HomePage", "", "browserhome", "BrowserHome", "", "", ""),
}  # fmt: skip
_KEYBOARDS: tuple[Keyboard, ...] = ("xdotool", "openai", "pyautogui", "playwright", "uitars", "pynput", "android")

_SYMBOLS: dict[Keyboard, dict[str, str]] = {
    "xdotool": {
        "+": "plus", "-": "minus", "/": "slash", "*": "asterisk", "=": "equal", ",": "comma", ".": "period", ";": "semicolon",
        ":": "colon", "'": "apostrophe", '"': "quotedbl", "`": "grave", "\\": "backslash", "[": "bracketleft",
        "]": "bracketright", "!": "exclam", "?": "question", "@": "at", "#": "numbersign", "$": "dollar", "%": "percent",
        "&": "ampersand", "(": "parenleft", ")": "parenright", "_": "underscore", "<": "less", ">": "greater", "|": "bar",
        "~": "asciitilde", "^": "asciicircum", "{": "braceleft", "}": "braceright",
    },
    "openai": {}, "pyautogui": {}, "playwright": {}, "uitars": {}, "pynput": {},
    "android": {"+": "KEYCODE_PLUS", "-": "KEYCODE_MINUS", "/": "KEYCODE_SLASH", "*": "KEYCODE_STAR", "=": "KEYCODE_EQUALS",
                ",": "KEYCODE_COMMA", ".": "KEYCODE_PERIOD", "@": "KEYCODE_AT", "#": "KEYCODE_POUND"},
}  # fmt: skip
"""Characters that have a name of their own where one character is not enough."""

MODIFIERS = frozenset({"Control", "Alt", "Shift", "Meta", "ControlOrMeta", "AltGraph"})

_WRITTEN: dict[Keyboard, dict[str, str]] = {
    keyboard: {**{key: cells[n].split()[0] for key, cells in _ROWS.items() if cells[n]}, **_SYMBOLS[keyboard]}
    for n, keyboard in enumerate(_KEYBOARDS)
}
_READ: dict[Keyboard, dict[str, str]] = {
    keyboard: {
        **{name.casefold(): key for key, cells in _ROWS.items() for name in cells[n].split()},
        **{name.casefold(): sign for sign, name in _SYMBOLS[keyboard].items()},
    }
    for n, keyboard in enumerate(_KEYBOARDS)
}
_READ["xdotool"] |= {f"kp_{digit}": digit for digit in "0123456789"} | {"kp_add": "+", "kp_subtract": "-", "kp_divide": "/"}
_READ["pyautogui"] |= {f"num{digit}": digit for digit in "0123456789"}
_READ["pyautogui"] |= {"add": "+", "subtract": "-", "divide": "/", "multiply": "*"}
_READ["playwright"] |= {f"numpad{digit}": digit for digit in "0123456789"} | {f"digit{digit}": digit for digit in "0123456789"}
_READ["playwright"] |= {f"key{letter}": letter for letter in "abcdefghijklmnopqrstuvwxyz"}
_READ["android"] |= {f"keycode_{sign}": sign for sign in "0123456789abcdefghijklmnopqrstuvwxyz"}

_ANY: dict[str, str] = {}
for _keyboard in reversed(_KEYBOARDS):
    if _keyboard != "android":  # its DEL is everybody else's Backspace
        _ANY |= {name: key for name, key in _READ[_keyboard].items() if len(name) > 1}
_ANY |= {key.casefold(): key for key in _ROWS}
_ANY |= {"pgup": "PageUp", "pgdn": "PageDown", "page down": "PageDown", "page up": "PageUp", "windows": "Meta", "⌘": "Meta"}


class KeyNameError(ValueError):
    """No keyboard has a key of that name."""


def canonical(name: str) -> str:
    """The canonical name of a key, whoever spelt it. Raises KeyNameError, with the nearest names."""
    return read_key(name, None)


def read_key(name: str, keyboard: Keyboard | None) -> str:
    """The canonical name of a key as `keyboard` spells it, or as any does. Raises KeyNameError."""
    if name in (" ", "\u00a0"):
        return "Space"
    if len(name) == 1 and name not in "⌘" and name.isprintable():
        return name
    folded = name.casefold()
    known = _READ[keyboard].get(folded) if keyboard else None
    known = known or _ANY.get(folded)
    if known is None:
        near = get_close_matches(folded[:40], list(_READ[keyboard] if keyboard else _ANY), n=3)
        hint = (
            f"; did you mean {', '.join(near)}?" if near else "; keys are named as in KeyboardEvent.key, such as Enter, ArrowDown"
        )
        raise KeyNameError(f"there is no key {name[:40]!r}{hint}")
    return known


def write_key(key: str, keyboard: Keyboard) -> str | None:
    """How `keyboard` spells a canonical key; None where it has no such key."""
    known = _WRITTEN[keyboard].get(key)
    if known is None and len(key) == 1 and keyboard != "android":
        return key
    if known is None and keyboard == "android" and len(key) == 1 and key.isascii() and key.isalnum():
        return f"KEYCODE_{key.upper()}"
    return known


def split_chord(text: str, separator: str = "+") -> tuple[str, ...]:
    """The parts of `Ctrl+Shift+t`, not yet canonical. The separator itself may be the last key: `ctrl++` or `+`."""
    if separator == " ":
        return tuple(text.split())
    if text == separator:
        return (separator,)
    last = (separator,) if text.endswith(2 * separator) else ()
    parts = [part if part == " " else part.strip() for part in (text[: -2 * len(separator)] if last else text).split(separator)]
    if not all(parts):
        raise KeyNameError(f"the chord {text[:60]!r} has an empty key")
    return (*parts, *last)


def chord(keys: Any) -> Any:
    """What a caller wrote as keys, canonical: `"ctrl+s"`, `["ctrl", "s"]` and `("Control+s",)` are one chord."""
    if isinstance(keys, str):
        keys = (keys,)
    if not isinstance(keys, Iterable) or isinstance(keys, dict):
        return keys
    parts: list[Any] = []
    for key in keys:
        if isinstance(key, str):
            parts += [canonical(part) for part in (split_chord(key) if len(key) > 1 else (key,))]
        else:
            parts.append(key)
    return tuple(parts)


def _only_modifiers(keys: tuple[str, ...]) -> tuple[str, ...]:
    for key in keys:
        if key not in MODIFIERS:
            raise ValueError(f"{key!r} is not a modifier; modifiers are {', '.join(sorted(MODIFIERS))}")
    return keys


Keys = Annotated[tuple[str, ...], BeforeValidator(chord), Field(min_length=1, max_length=8)]
"""One chord in canonical names, modifiers first; read from any spelling."""

Key = Annotated[str, BeforeValidator(lambda name: canonical(name) if isinstance(name, str) else name)]
"""One key in its canonical name."""

Modifiers = Annotated[tuple[str, ...], BeforeValidator(chord), Field(max_length=4), AfterValidator(_only_modifiers)]
"""Keys held while something else is done: only modifiers."""
