"""What leaves the browser: nothing that can change something is received without a yes, and then exactly once."""

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing

import pytest
from browsing.hostile_pages import Recorder

from environments.browser import BrowserEnvironment
from environments.contract import STOPPED
from environments.effects import QUERY, SELF, Effect, HeldRequest, Network, NetworkRule, Permit, release
from protocol import Action, ActionResult, ActionTarget, Click, Fill, Navigate, PressKey, SelectOption, Tabs, Upload, Wait

E = Effect
FORM = """<form method=post action=/pay><label>Amount <input name=amount value=5.00></label>
  <input type=hidden name=csrf value=tok-123456789><button name=go value=1>Pay</button></form>"""
_POST = "const f = document.createElement('form'); f.method = 'post'; f.action = '/k'; f.innerHTML = '<input name=a value=1>';"
KINDS = {
    "fetch": "fetch('/k', {method: 'POST', body: 'a=1'})",
    "put": "const x = new XMLHttpRequest(); x.open('PUT', '/k'); x.send('b')",
    "delete": "fetch('/k', {method: 'DELETE'})",
    "standing still": "const x = new XMLHttpRequest(); x.open('POST', '/k', false); try { x.send('b') } catch {}",
    "beacon": "navigator.sendBeacon('/k', 'b=2')",
    "keepalive": "fetch('/k', {method: 'POST', body: 'k', keepalive: true})",
    "later": "fetchLater('/k', {method: 'POST', body: 'k'}); location = '/blank'",
    "on leaving": "addEventListener('pagehide', () => navigator.sendBeacon('/k', 'b')); location = '/blank'",
    "ping": "const a = document.createElement('a'); a.href = '/blank'; a.ping = '/k'; document.body.append(a); a.click()",
    "form": f"{_POST} document.body.append(f); f.submit()",
    "form in a frame": "const i = document.createElement('iframe'); i.srcdoc = '<p>x'; i.onload = () => { i.onload = null; "
    "const d = i.contentDocument, f = d.createElement('form'); f.method = 'post'; f.action = '/k'; "
    "f.innerHTML = '<input name=a value=1>'; d.body.append(f); f.submit() }; document.body.append(i)",
    "form in a new tab": f"{_POST} f.target = '_blank'; f.rel = 'noopener'; document.body.append(f); f.submit()",
    "plain text": f"{_POST} f.enctype = 'text/plain'; document.body.append(f); f.submit()",
    "file": "const d = new FormData(); d.append('f', new File(['inside'], 'a.txt')); fetch('/k', {method: 'POST', body: d})",
    "worker": "new Worker(URL.createObjectURL(new Blob([`fetch('${location.origin}/k', {method: 'POST', body: 'w'})`])))",
    "shared worker": "new SharedWorker('/shared.js?' + Math.random()).port.start()",
    "report": "document.body.innerHTML += '<iframe src=/reporting></iframe>'",
    "redirect": "fetch('/onward', {method: 'POST', body: 'a=1'})",
    "preflight": "fetch('/k', {method: 'PATCH', headers: {'content-type': 'application/json'}, body: '{\"a\": 1}'})",
    "picture": "new Image().src = '/k/pay?amount=500&to=eve'",
    "address": "location = '/k/account/delete?confirm=1'",
}  # fmt: skip


ELSEWHERE = {
    "/shared.js": "onconnect = () => fetch('/k', {method: 'POST', body: 's'})",
    "/reporting": "<img src=/x.png>",
    "/onward": "=> /k",
    "/away": "-> http://example.test/",
    "/see": "-> /blank",
}


class Site(Recorder):
    """Serves what it is told to, and keeps everything that it receives."""

    def __init__(self) -> None:
        super().__init__()
        self.origin = f"http://localhost:{self.server_port}"
        self.pages = dict(ELSEWHERE)
        self.policies = {"/reporting": "img-src 'none'; report-uri /k"}

    @property
    def got(self) -> list[tuple[str, str, str]]:
        """Method, path and body of all that came."""
        parts = (line.split(" ", 2) for line in list(self.received))
        return [(method, path, "".join(body)) for method, path, *body in parts]

    def bodies(self, path: str = "/k") -> list[tuple[str, str]]:
        return [(method, body) for method, at, body in self.got if at.startswith(path)]


class Hand:
    """Acts under permits, as the crew does."""

    def __init__(self, env: BrowserEnvironment, server: Site, test: str) -> None:
        self.env, self.server, self.test, self.count = env, server, test, 0

    def do(self, action: Action, *effects: Effect, approved: bool = False) -> ActionResult:
        self.count += 1
        key = f"{self.test}/{self.count}"
        if effects:
            control = self.env.control(action)
            self.env.admit(key, Permit(effects=effects, approved=approved, control=control.parts if control else None))
        return self.env.perform(action, key=key)

    def open(self, html: str, *, slow: bool = False) -> None:
        """A page of this; on a `slow` machine what it sends later may come while it is being opened."""
        self.server.pages["/page"] = f"<title>p</title><body>{html}</body>"
        result = self.do(Navigate(url=f"{self.server.origin}/page"), E.NAVIGATE)
        assert result.ok or slow, result.error
        self.server.received.clear()

    def script(self, source: str) -> None:
        """A page whose only button runs this."""
        self.open(f"<button id=b>Show</button><script>b.onclick = () => {{ {source} }}</script>")

    def press(self, name: str = "Show", *effects: Effect, approved: bool = False) -> ActionResult:
        return self.do(Click(target=ActionTarget(text=name)), *(effects or (E.NAVIGATE,)), approved=approved)

    def held(self, count: int = 1) -> tuple[HeldRequest, ...]:
        for _ in range(60):
            if len(found := self.env.held()) == count:
                return found
            time.sleep(0.05)
        raise AssertionError(self.env.held())

    def let_go(self, request: HeldRequest) -> ActionResult:
        return self.do(release(request))

    def until(self, holds: Callable[[], object]) -> None:
        for _ in range(100):
            if holds():
                return
            time.sleep(0.05)
        raise AssertionError(self.server.got)


@pytest.fixture(scope="module")
def server(chromium: str) -> Iterator[Site]:
    with closing(Site()) as running:
        yield running


@pytest.fixture(scope="module")
def gated(server: Site, tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrowserEnvironment]:
    folders = {name: tmp_path_factory.mktemp(name) for name in ("downloads", "uploads")}
    (folders["uploads"] / "plan.txt").write_text("inside")
    env = BrowserEnvironment(f"{server.origin}/blank", allowed_hosts=("localhost",), **folders)
    env.guard(Network())
    env.reset()
    yield env
    env.close()


@pytest.fixture
def hand(gated: BrowserEnvironment, server: Site, request: pytest.FixtureRequest) -> Hand:
    gated.guard(Network())
    gated.reset()
    return Hand(gated, server, request.node.nodeid)


@pytest.mark.parametrize("kind", KINDS)
def test_what_nothing_covers_waits_and_goes_once_after_a_yes(hand, server, kind):
    hand.script(KINDS[kind])
    result = hand.press()
    (request,) = hand.held()
    if not kind.startswith("on leaving"):  # that may come after the action is over
        assert result.error.startswith(STOPPED) or kind in ("later", "shared worker", "report"), result
    assert server.bodies() == []
    hand.let_go(request)
    if kind == "redirect":  # a server sends the body on to another place, which is asked about as well
        assert len(server.bodies("/onward")) == 1
        request = hand.held()[0]
        assert (request.path, server.bodies()) == ("/k", [])
        hand.let_go(request)
    if "once" in hand.do(release(request)).output and not server.bodies():
        hand.script(KINDS[kind])  # nothing waited for it any more: the next one goes
        hand.press()
    hand.until(server.bodies)
    assert len(server.bodies()) == 1
    assert server.bodies()[0][0] == request.method


def test_a_form_goes_as_it_was_shown_and_in_no_other_way(hand, server):
    for change, sent in (
        ("0", "amount=5.00&csrf=tok-123456789&go=1"),
        ("f.csrf.value = 'fresh-one'", "amount=5.00&csrf=fresh-one&go=1"),  # a token that a script makes anew
        ("f.amount.value = '5'", "amount=5&csrf=tok-123456789&go=1"),  # the number in another way
        ("f.amount.value = '500'", ""), ("f.amount.value = '-5.00'", ""), ("f.csrf.value = '500'", ""),
        ("f.action = '/pay-all'", ""), ("f.insertAdjacentHTML('beforeend', '<input name=to value=eve>')", ""),
        ("f.enctype = 'text/plain'", ""), ("f.method = 'get'", ""),
    ):  # fmt: skip
        hand.open(f"{FORM}<script>const f = document.forms[0]; f.onsubmit = () => {{ {change} }}</script>")
        result = hand.press("Pay", E.PURCHASE, approved=True)
        assert result.ok if sent else result.error.startswith(STOPPED), change
        assert server.bodies("/pay") == ([("POST", sent)] if sent else []), change
        hand.held(0 if sent else 1)


def test_a_yes_to_a_press_covers_what_its_script_sends_of_what_was_shown(hand, server):
    page = """<section><p>To: Anna</p><p>2 items</p><button id=b>Hand in</button></section><script>
      b.onclick = () => fetch('/k', {method: 'POST', body: JSON.stringify(BODY)})</script>"""
    for body, effect, goes in (
        ("{to: 'Anna', items: 2}", E.SUBMIT, True), ("{to: 'Eve', items: 2}", E.SUBMIT, False),
        ("{to: 'Anna', items: 200}", E.SUBMIT, False), ("{to: 'Anna', items: 2}", E.PURCHASE, False),
    ):  # fmt: skip
        hand.open(page.replace("BODY", body))
        assert hand.press("Hand in", effect, approved=True).ok == goes, (body, effect)
        assert len(server.bodies()) == goes
    for effect in (E.NAVIGATE, E.SAVE, E.SUBMIT):  # allowed, and nobody was shown anything
        hand.open(page.replace("BODY", "{to: 'Anna', items: 2}"))
        assert not hand.press("Hand in", effect).ok
        assert server.bodies() == []


def test_a_field_without_a_name_is_carried_by_a_script_alone(hand, server):
    hand.open("""<form id=f action=/pay method=post><input id=i aria-label=Message><button>Send</button></form><script>
      f.onsubmit = e => { e.preventDefault(); fetch('/k', {method: 'POST', body: i.value}); i.value = '' }</script>""")
    text = Fill(target=ActionTarget(text="Message"), text="Hello", submit=True)
    assert hand.do(text, E.SEND, approved=True).ok
    assert server.bodies() == [("POST", "Hello")]
    hand.open("<form action=/pay method=post><input value=x aria-label=Text><input name=a value=1><button>Send</button></form>")
    assert hand.press("Send", E.SEND, approved=True).ok
    assert server.bodies("/pay") == [("POST", "a=1")]


def test_a_list_that_sends_its_form_sends_what_was_chosen(hand, server):
    page = """<form action=/list><label>Size <select name=size onchange="SCRIPT; this.form.submit()"><option>All<option>Large
      </select></label></form>"""
    for script, goes in (("0", True), ("this.form.action = '/do/delete'", False), ("this.options[1].value = 'eve'", False)):
        hand.open(page.replace("SCRIPT", script))
        assert hand.do(SelectOption(target=ActionTarget(text="Size"), options=("Large",)), E.EDIT).ok == goes, script
        if goes:
            hand.until(lambda: any("?" in path for _, path, _ in server.got))
        assert [path for _, path, _ in server.got if "?" in path] == ["/list?size=Large"] * goes


def test_a_file_that_is_sent_at_once_is_the_one_that_was_given(hand, server):
    page = """<label>File <input type=file id=f></label><script>f.onchange = () => { const d = new FormData();
      d.append('f', FILE); fetch('/k', {method: 'POST', body: d}) }</script>"""
    for file, goes in (("f.files[0]", True), ("new File(['x'], 'other.txt')", False)):
        hand.open(page.replace("FILE", file))
        assert hand.do(Upload(target=ActionTarget(text="File"), files=("plan.txt",)), E.UPLOAD, approved=True).ok == goes
        assert len(server.bodies()) == goes


def test_a_rule_for_the_own_host_lets_nothing_private_no_command_and_no_other_host(hand, server, gated):
    ask = "fetch('/graphql', {method: 'POST', body: JSON.stringify({query: 'WHAT { x }'})})"
    with closing(Site()) as other:
        rules = (NetworkRule(method="P*", host=SELF, path="*/cart"), NetworkRule(method=QUERY, host=SELF, path="*/graphql"))
        for source, goes in (
            ("fetch('/cart', {method: 'POST', body: 'Lamp'})", True), (ask.replace("WHAT", "query Feed"), True),
            ("fetch('/cart', {method: 'POST', body: JSON.stringify({op: 'delete'})})", False),
            ("fetch('/cart', {method: 'POST', body: 'x ' + p.value})", False),
            ("fetch('/cart', {method: 'DELETE'})", False),
            (ask.replace("WHAT", "mutation Feed"), False), (ask.replace("WHAT", "query Feed { deleteAll }"), False),
            (f"fetch('{other.origin}/cart', {{method: 'POST', mode: 'no-cors', body: 'Lamp'}})", False),
            (f"const i = document.createElement('iframe'); i.src = '{other.origin}/sends'; document.body.append(i)", False),
        ):  # fmt: skip
            gated.guard(Network(allow=rules))
            other.pages["/sends"] = f"<script>fetch('{server.origin}/cart', {{method: 'POST', mode: 'no-cors'}})</script>"
            button = f"<button id=b>Show</button><script>b.onclick = () => {{ {source} }}</script>"
            hand.open(f"<input type=password id=p value=hunter2>{button}")
            hand.press()
            if goes:
                hand.until(lambda: [one for one in server.got if one[0] == "POST"])
            else:
                hand.held()
            assert len([one for one in server.got + other.got if one[0] != "GET"]) == goes, source


def test_a_form_goes_with_the_file_that_was_chosen_and_with_no_other(hand, server):
    form = """<form method=post action=/pay enctype=multipart/form-data><input type=file name=f aria-label=File><input name=note>
      <button>Hand in</button></form>"""
    other = """<script>const f = document.forms[0]; f.onsubmit = () => { const d = new DataTransfer();
      d.items.add(new File(['x'], 'other.txt')); f.f.files = d.files }</script>"""
    for html, goes in ((form, True), (form + other, False)):
        hand.open(html)
        assert hand.do(Upload(target=ActionTarget(text="File"), files=("plan.txt",)), E.UPLOAD).ok
        assert hand.press("Hand in", E.SUBMIT, approved=True).ok == goes
        assert len(server.bodies("/pay")) == goes
    assert E.UPLOAD in hand.held()[0].effects


def test_a_question_of_the_page_stands_between_a_press_and_what_it_sends(hand, server):
    hand.open(f"{FORM}<script>document.forms[0].onsubmit = () => confirm('Sure?')</script>")
    assert "a dialog opened" in hand.press("Pay", E.PURCHASE, approved=True).output
    assert hand.press("OK", E.CONFIRM, approved=True).ok
    assert len(server.bodies("/pay")) == 1


def test_the_same_press_by_a_script_carries_what_the_form_carries(hand, server):
    send = """<form><label>To <input name=to value=Ana></label> <label>Amount <input name=amount value='1,200'></label>
      <button type=button id=b>Pay</button></form><meta name=csrf content=abc123def456>
      <script>b.onclick = () => fetch('/api/payments', {method: 'POST', headers: {'content-type': 'application/json'},
      body: JSON.stringify({order: BODY, csrf_token: document.querySelector('meta').content, now: true})})</script>"""
    hand.open(send.replace("BODY", "{to: 'Ana', amount: 1200}"))
    assert hand.press("Pay", E.PURCHASE, approved=True).ok
    assert [json.loads(body)["order"] for _, body in server.bodies("/api")] == [{"to": "Ana", "amount": 1200}]
    for body in ("{to: 'Eve', amount: 1200}", "{to: 'Ana', amount: 12000}", "{to: '1200'}", "{to: 'Ana', iban: 'DE89'}"):
        hand.open(send.replace("BODY", body))
        assert hand.press("Pay", E.PURCHASE, approved=True).error.startswith(STOPPED)
    hand.open(send.replace("BODY", "{to: 'Ana', amount: 1200}"))
    assert "to=Ana" in hand.press("Pay", E.NAVIGATE).error  # what was to lead on may not pay
    assert server.bodies("/api") == []


def test_one_press_pays_once(hand, server):
    hand.open("""<form><input name=amount value=5><button type=button id=b>Pay</button></form><script>
      const pay = (twice) => fetch('/api', {method: 'POST', body: JSON.stringify({amount: 5, twice})});
      b.onclick = () => { for (const twice of [false, true, null]) pay(twice) }</script>""")
    assert hand.press("Pay", E.PURCHASE, approved=True).error.startswith(STOPPED)
    hand.held(2)
    assert [json.loads(body)["twice"] for _, body in server.bodies("/api")] == [False]


def test_rules_let_pages_send_by_themselves_but_nothing_sensitive(hand, server, gated):
    rules = (NetworkRule(path="/drafts/*"), NetworkRule(method="POST", path="/graphql", operation="Get*"))
    gated.guard(Network(allow=rules))
    query = "fetch('/graphql', {method: 'POST', body: JSON.stringify({operationName: 'NAME', query: 'WHAT NAME { x }'})})"
    hand.script("fetch('/drafts/7', {method: 'PUT', body: 'text'}); " + query.replace("NAME", "GetFeed").replace("WHAT", "query"))
    assert hand.press().ok
    assert len(server.bodies("/drafts")) == len(server.bodies("/graphql")) == 1
    for sent in (
        "fetch('/drafts/..%2fpay', {method: 'POST'})", "fetch('/drafts/delete-account', {method: 'POST'})",
        query.replace("NAME", "SendMail").replace("WHAT", "mutation"),
        "fetch('/graphql', {method: 'POST', body: JSON.stringify({operationName: 'GetFeed', query: 'mutation Pay { x }'})})",
    ):  # fmt: skip
        hand.script(sent)
        assert hand.press().error.startswith(STOPPED), sent
    assert server.bodies("/drafts") == server.bodies("/graphql") == []


def test_what_a_page_sends_between_actions_waits_and_the_next_action_drops_it(hand, server):
    send = "fetch('/k', {method: 'POST', body: 'a=1'}).catch(() => document.title = 'no')"
    hand.open(f"<script>setTimeout(() => {send}, 600)</script>", slow=True)
    (request,) = hand.held()
    assert (request.method, request.path, request.operation) == ("POST", "/k", "")
    assert "a request was dropped: POST a=1" in hand.do(Wait(seconds=0.1), E.OBSERVE).output
    assert hand.env.held() == ()
    hand.until(lambda: hand.env.observe().windows[0].title.startswith("no"))
    assert server.bodies() == []


def test_what_waits_is_bounded_and_told_without_what_is_private(hand, server):
    hand.open("""<input type=password value=hunter2hunter2><button id=b>Show</button><script>
      b.onclick = () => { for (let n = 0; n < 30; n++) fetch('/k', {method: 'POST',
      body: JSON.stringify({n, said: 'x hunter2hunter2', password: 'p', long: 'y'.repeat(5000)})}) }</script>""")
    error = hand.press().error
    assert len(hand.held(20)) == 20
    assert "hunter2" not in error + "".join(r.told for r in hand.env.held())
    assert "password=***" in error
    assert len(error) <= 2000
    assert "30 requests that waited were dropped" in hand.do(Wait(seconds=0.1), E.OBSERVE).output
    assert server.bodies() == []


def test_a_yes_that_came_too_late_holds_for_the_next_such_request_and_for_one(hand, server, gated):
    hand.script("fetch('/k', {method: 'POST', body: 'a=1'})")
    hand.press()
    (request,) = hand.held()
    gated.reset()
    assert "the next request that is exactly this goes, once" in hand.let_go(request).output
    hand.script("fetch('/k', {method: 'POST', body: 'a=2'})")
    assert hand.press().error.startswith(STOPPED)
    hand.script("fetch('/k', {method: 'POST', body: 'a=1'})")
    assert "as was let go before, it sent POST a=1" in hand.press().output
    assert hand.press().error.startswith(STOPPED)
    assert server.bodies() == [("POST", "a=1")]


def test_watch_tells_and_off_does_not_look(hand, server, gated):
    gated.guard(Network(mode="watch"))
    hand.script("fetch('/k', {method: 'POST', body: 'a=1'})")
    result = hand.press()
    assert result.ok
    assert "it sent POST a=1" in result.output
    gated.guard(Network(mode="off"))
    result = hand.press()
    assert result.ok
    assert "POST" not in result.output
    assert len(server.bodies()) == 2


@pytest.mark.parametrize(
    "way",
    [
        "location = 'http://example.test/x'",
        "location = '/away'",
        f"{_POST} f.action = 'http://example.test/'; document.body.append(f); f.submit()",
    ],
)
def test_a_page_that_sends_itself_to_a_forbidden_host_is_told(hand, way):
    hand.script(way)
    result = hand.press()
    assert "the page would have gone elsewhere and was blocked: the host 'example.test' is not allowed" in result.output
    assert "Show" in [e.name for e in hand.env.observe().elements]


def test_an_address_of_the_action_itself_and_what_a_server_makes_of_it_go(hand, server):
    for action in (Navigate(url=f"{server.origin}/account/delete?x=1"), Tabs(op="new", url=f"{server.origin}/see?buy=now")):
        assert hand.do(action, E.NAVIGATE).ok
    assert [path for _, path, _ in server.got if "?" in path] == ["/account/delete?x=1", "/see?buy=now"]
    assert hand.do(Tabs(op="close"), E.NAVIGATE).ok


def test_links_and_searches_go_and_what_leads_to_an_effect_waits(hand, server):
    hand.open("<a href='/next?page=2'>Next</a><form action=/search><input name=q aria-label=Query><button>Find</button></form>")
    assert hand.press("Next").ok
    hand.open("<form action=/search><input name=q aria-label=Query><button>Find</button></form>")
    assert hand.do(Fill(target=ActionTarget(text="Query"), text="tea"), E.EDIT).ok
    assert hand.press("Find").ok
    assert hand.server.bodies("/search") == [("GET", "")]


def test_a_file_is_kept_only_after_a_yes(hand, server, gated):
    hand.open("<a href=/download/file.json>Open</a>")
    hand.press("Open")
    (request,) = hand.held()
    assert request.effects == (E.DOWNLOAD,)
    assert "keep the file 'file.json'" in request.told
    assert "downloaded 'file.json'" in hand.let_go(request).output


def test_no_page_reaches_another_machine_beside_the_gate(hand, server):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp, socket.socket() as tcp:
        udp.bind(("127.0.0.1", 0))
        tcp.bind(("127.0.0.1", 0))
        tcp.listen()
        udp.settimeout(1.5)
        tcp.settimeout(0.2)
        hand.script(f"""const i = document.createElement('iframe'); document.body.append(i);
          for (const w of [window, i.contentWindow, window.open('')]) {{
          for (const u of ['stun:localhost:{udp.getsockname()[1]}', 'turn:localhost:{tcp.getsockname()[1]}?transport=tcp']) try {{
            const p = new w.RTCPeerConnection({{iceServers: [{{urls: u, username: 'a', credential: 'b'}}]}});
            p.createDataChannel('x'); p.createOffer().then(o => p.setLocalDescription(o)); }} catch {{}}
          try {{ new w.WebTransport('https://localhost:{udp.getsockname()[1]}/') }} catch {{}} }}
          new Worker(URL.createObjectURL(new Blob([`new WebSocket('ws://localhost:{tcp.getsockname()[1]}/')`])))""")
        hand.press()
        with pytest.raises(TimeoutError):
            udp.recv(10)
        with pytest.raises(TimeoutError):
            tcp.accept()
    hand.do(Tabs(op="close"), E.NAVIGATE)


def test_a_socket_and_each_of_its_messages_passes_the_gate(hand, gated):
    from websockets.sync.server import ServerConnection, serve

    heard: list[str] = []

    def listen(connection: ServerConnection) -> None:
        heard.append(f"open {connection.request.headers['Origin'] if connection.request else ''}")
        for message in connection:
            heard.append(str(message))
            connection.send(f"answer to {message!s}")

    with serve(listen, "127.0.0.1", 0) as sockets:
        threading.Thread(target=sockets.serve_forever, daemon=True).start()
        port = sockets.socket.getsockname()[1]
        page = f"""const w = new WebSocket('ws://localhost:{port}/live');
          w.onopen = () => {{ w.send('{{"a": 1}}'); w.send('two') }};
          w.onmessage = (m) => document.title = m.data"""
        hand.script(page)
        assert hand.press().error.startswith(STOPPED)
        assert heard == []
        hand.let_go(hand.held()[0])
        hand.let_go(hand.held()[0])
        hand.until(lambda: len(heard) == 2)
        assert heard == [f"open {hand.server.origin}", '{"a": 1}']
        assert "two" in hand.held()[0].told
        gated.guard(Network(allow=(NetworkRule(method="WEBSOCKET", path="/live"),)))
        hand.script(page)
        hand.press()
        hand.until(lambda: gated.observe().windows[0].title.startswith("answer to two"))
        assert heard[2:] == [f"open {hand.server.origin}", '{"a": 1}', "two"]
        sockets.shutdown()


def test_without_a_permit_a_key_sends_nothing_either(hand, server):
    hand.open(FORM)
    hand.do(Fill(target=ActionTarget(text="Amount"), text="7"), E.EDIT)
    assert hand.do(PressKey(keys=("Enter",))).error.startswith(STOPPED)
    assert server.bodies("/pay") == []
