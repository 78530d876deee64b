"""The grammar of the DSL: LALR(1), so that a line is read in linear time."""

from __future__ import annotations

from protocol.dsl.words import KEYWORDS, PATTERNS, SIGNS

_RULES = r"""
    ?start: click | long_press | hover | drag | mouse_down | mouse_up | type | fill | press_key | hold_key | key_down | key_up
          | scroll | select_option | launch_app | switch_window | navigate | go_back | go_forward | tab_new | tab_close
          | tab_select | tab_list | wait | screenshot | upload | call_api | ask_in_app_agent | run_script | memorize | answer
          | ask_user | finish_goal | fail_goal | extension | called

    click: modifiers? side? times? _CLICK target (hold | holding | delay)*
    long_press: modifiers? side? _LONG_PRESS target hold (holding | delay)*
    hover: modifiers? _HOVER _OVER? target (holding | delay)*
    drag: modifiers? side? _DRAG _FROM? target to (path | holding | delay)*
    mouse_down: _MOUSE _DOWN button? _tail
    mouse_up: _MOUSE _UP button? _tail

    type: _TYPE text _around{_typing}
    fill: _FILL target _WITH text _typing*
    press_key: _PRESS keys _tail
    hold_key: _HOLD keys _FOR seconds _tail
    key_down: _KEY _DOWN key _tail
    key_up: _KEY _UP key _tail
    scroll: modifiers? _SCROLL delta unit? _around{_scrolling}
    select_option: _SELECT options place delay*

    launch_app: _OPEN app _tail
    switch_window: _SWITCH _TO _WINDOW? window _tail
    navigate: (_NAVIGATE | _GO) _TO url _tail
    go_back: _GO _BACK _tail
    go_forward: _GO _FORWARD _tail
    tab_new: _NEW _TAB url? _tail
    tab_close: _CLOSE _TAB index? _tail
    tab_select: (_SWITCH _TO | _SELECT) _TAB index _tail
    tab_list: _LIST _TABS _tail

    wait: _WAIT (seconds (_FOR text | _UNTIL text _SHOWS | _UNTIL text_gone _IS _GONE)*)? _tail
    screenshot: _SCREENSHOT _around{_looking}
    upload: _UPLOAD files (_destination | place) delay*
    call_api: _CALL app _DOT function arguments? _tail
    ask_in_app_agent: _ASK _THE? _AGENT _OF app _COLON? request _tail
    run_script: _RUN language code _tail
    extension: action_type (arguments | whole)? _tail

    memorize: _MEMORIZE name _EQUAL value delay? (_source delay?)?
    answer: _ANSWER text _tail
    ask_user: _ASK _THE? _USER _COLON? question _around{_asking}
    finish_goal: _FINISH summary? _tail
    fail_goal: _FAIL reason? _tail

    _tail: _around{delay}
    _around{clause}: clause* (place clause*)?
    _typing: submit | delay
    _scrolling: holding | delay
    _looking: _MARKS marks | _REGION region | delay
    _asking: _AS name | delay
    _source: _FROM target | place
    ?place: _INTO target | at_target
    modifiers: MODIFIER+
    side: SIDE
    times: TIMES
    button: BUTTON
    hold: (_HOLD | _FOR) seconds
    holding: _HOLDING keys
    delay: _DELAY seconds
    to: _destination
    _destination: _TO (target | bare_target)
    path: _VIA coordinate (_COMMA coordinate)*
    submit: _AND _PRESS ENTER
    delta: way (_AND way)*
    way: DIRECTION NUMBER?
    unit: UNIT
    keys: _key (_PLUS _key)*
    key: _key
    _key: KEY | STRING
    options: STRING (_COMMA STRING)*
    files: STRING (_COMMA STRING)*
    marks: ID (_COMMA ID)*
    region: box
    text: STRING
    text_gone: STRING
    url: STRING
    request: STRING
    code: STRING
    value: STRING
    question: STRING
    summary: STRING
    reason: STRING
    app: _name
    window: _name
    function: _name
    name: _name
    _name: NAME | STRING
    language: LANGUAGE
    index: NUMBER
    seconds: NUMBER (_SECONDS | MILLISECONDS)?
    action_type: EXTENSION

    target: _THE? (_more* text _more* | _more+)
    at_target: _AT coordinate _more* (text _more*)? -> target
    bare_target: coordinate _more* (text _more*)? -> target
    _more: role | element_id | track_id | _AT coordinate | _BOX box | selector | description | state_id
    role: ROLE | _ROLE STRING
    element_id: ID
    track_id: TRACK
    selector: _SELECTOR STRING
    description: _DESCRIBED STRING
    state_id: _STATE STRING
    coordinate: _LPAR NUMBER _COMMA NUMBER _RPAR SPACE? (_OF size)?
    box: LSQB NUMBER _COMMA NUMBER _COMMA NUMBER _COMMA NUMBER _RSQB SPACE? (_OF size)?
    size: SIZE | _LPAR NUMBER _COMMA NUMBER _RPAR

    arguments: _LPAR [pair (_COMMA pair)* _COMMA?] _RPAR
    whole: object
    pair: (NAME | STRING) (_EQUAL | _COLON) json
    ?json: string | numeral | true | false | null | list | object
    string: STRING
    numeral: NUMBER
    true: TRUE
    false: FALSE
    null: NULL
    list: LSQB [json (_COMMA json)* _COMMA?] _RSQB
    object: LBRACE [pair (_COMMA pair)* _COMMA?] _RBRACE

    called: CALLED _LPAR [_given (_COMMA _given)* _COMMA?] _RPAR
    _given: named | positional
    named: NAME _EQUAL json
    positional: json

    %ignore /[^\S\n]+/
    %ignore /#(?!\S)[^\n]*/
"""


def _terminal(name: str, pattern: str) -> str:
    return f"{name}: /{pattern.replace('/', chr(92) + '/')}/"


def _terminals() -> str:
    words = [_terminal(f"{name}.2", rf"(?ai:{spelling})(?!\w)") for name, spelling in KEYWORDS.items()]
    patterns = [_terminal(name, pattern) for name, pattern in PATTERNS.items()]
    signs = [_terminal(f"{name}.1", "\\" + sign) for name, sign in SIGNS.items()]
    return "\n    ".join((*words, *patterns, *signs))


GRAMMAR = f"{_RULES}\n    {_terminals()}\n"
