"""What a request carries: compared by what it means, known again by what it is, told without what is private."""

import json

import pytest

from environments.browser.network.requests import OutgoingRequest, alike, beyond, carried, made_up, same, stands_in
from environments.effects import Effect

FORM = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data; boundary=----x"


def part(name: str, value: str, head: str = "") -> bytes:
    return f'------x\r\nContent-Disposition: form-data; name="{name}"{head}\r\n\r\n{value}\r\n'.encode()


def post(body: bytes | str, kind: str = "application/json", url: str = "https://bank.example/api") -> OutgoingRequest:
    return OutgoingRequest("POST", url, body if isinstance(body, bytes) else body.encode(), kind)


@pytest.mark.parametrize(
    ("one", "other", "is_one"),
    [
        *((*pair, True) for pair in (("5.00", "5"), ("1,200", "1200"), ("1,200.50", "1200.5"), ("a\r\nb", "a\nb"), ("x", "x"))),
        *((*pair, False) for pair in (("5.00", "500"), ("-10", "10"), ("1,20", "120"), ("007", "7"), ("1e3", "1000"))),
        ("1 Main St, Bonn", "Bonn, 1 Main St", False),
        ("Ana", "ana", False),
    ],
)
def test_one_value_may_be_written_in_two_ways_and_another_is_another(one, other, is_one):
    assert same(one, other) is same(other, one) is is_one


def test_a_form_is_alike_with_nothing_added_and_nothing_left_out_but_what_is_empty():
    form = (("to", "Ana"), ("amount", "5.00"), ("note", ""))
    assert alike(form, (("amount", "5"), ("to", "Ana")))
    assert not alike(form, (("to", "Ana"), ("amount", "5"), ("cc", "Eve")))
    assert not alike(form, (("to", "Ana"),))
    assert not alike(form, (("to", "Ana"), ("to", "Ana"), ("amount", "5")))


def test_a_value_is_shown_as_whole_words_or_as_a_number_of_its_size():
    texts = ("To: Anna Lee,", "2 items", "total €1,200.50")
    assert all(stands_in(value, texts) for value in ("Anna Lee", "anna", "2", "2.0", "1200.5", "2 items"))
    assert not any(stands_in(value, texts) for value in ("Ann", "An", "Lee 2", "20", "-2", "12", "", " "))


@pytest.mark.parametrize(
    ("query", "asks"),
    [
        ("query Home { me { name } }", True),
        ("{ me }", True),
        ('query A { find(text: "mutation") { id } } # mutation', True),
        ("query A { x } mutation B { y }", False),
        ("subscription S { x }", False),
        ("query A { deleteUser(id: 3) }", False),
        ("query", False),
        ("A { x }", False),
    ],
)
def test_a_query_asks_where_it_defines_nothing_else_and_names_no_command(query, asks):
    assert post(json.dumps({"query": query})).asks is asks
    assert post(json.dumps([{"query": query}, {"query": "{ a }"}])).asks is asks
    assert not post(json.dumps([{"query": query}, {"hash": "x"}])).asks


def test_a_token_is_neither_a_number_nor_a_command():
    assert all(map(made_up, ("fresh", "a81", "Zx-9_=")))
    assert not any(map(made_up, ("", "500", "1,000", "delete", "DELETE", "pay", "x" * 5000)))


def test_values_count_under_their_own_names():
    fields = [("amount", "5", True), ("number", "500", True)]
    assert carried((("order.amount", "5.0"), ("order.number", "500"), ("gift", "false"), ("note", "")), fields, ())
    assert not carried((("amount", "500"), ("number", "5")), fields, ())
    assert carried((("csrfToken", "abc12345"),), fields, ("abc12345",))
    assert not carried((("to", "abc12345"),), fields, ("abc12345",))


def test_bodies_that_servers_read_in_two_ways_are_taken_as_a_whole():
    assert post(part("a", "1") + part("f", "inside", '; filename="a.txt"') + b"------x--\r\n", MULTIPART).form == (
        ("a", "1"),
        ("f", "a.txt"),
    )
    for body in (
        b"before\r\n" + part("a", "1") + b"------x--\r\n",
        part("a", "1") + b"------x--\r\nafter",
        part("a", "MQ==", "\r\nContent-Transfer-Encoding: base64") + b"------x--\r\n",
        part("a", "1"),
    ):
        assert [name for name, _ in post(body, MULTIPART).form] == ["body"], body
    assert post('{"amount": 5, "amount": 500}').form == (("", '{"amount": 5, "amount": 500}'),)


def test_an_operation_is_one_that_is_defined():
    assert post(json.dumps({"operationName": "Feed", "query": "query Feed { x }"})).operation == "Feed"
    assert post(json.dumps({"operationName": "Feed", "query": "mutation Pay { x }"})).operation == ""
    assert post(json.dumps({"query": "mutation Pay { x }"})).operation == "Pay"
    assert post(json.dumps([{"method": "poll"}, {"method": "send"}])).operation == ""
    assert post(json.dumps({"method": "poll", "id": 1})).operation == "poll"
    assert post("action=heartbeat&x=1", FORM).operation == "heartbeat"


def test_effects_are_those_of_path_operation_names_and_method():
    assert Effect.DELETE in post("", url="https://bank.example/items/deleteAll").effects()
    assert Effect.PURCHASE in post(json.dumps({"method": "payBill"})).effects()
    assert Effect.DELETE in OutgoingRequest("DELETE", "https://bank.example/x").effects()
    assert Effect.DELETE in OutgoingRequest("GET", "https://bank.example/go?do=delete").effects()
    assert OutgoingRequest("GET", "https://bank.example/login?next=home").effects() == frozenset()
    assert Effect.PERMISSION in post("all", "text/plain", "https://a.example/consent").effects()
    assert Effect.PERMISSION not in post("none", "text/plain", "https://a.example/consent").effects(), "it permits nothing"
    assert beyond({Effect.SUBMIT}, {Effect.PURCHASE}) == frozenset()
    assert beyond({Effect.SEND}, {Effect.SUBMIT}) == {Effect.SEND}


def test_what_only_asks_for_something_is_looked_at_where_its_address_says_more():
    for path in ("/pay?amount=5", "/account/delete?confirm=1", "/x?delete=3"):
        assert OutgoingRequest("GET", f"https://bank.example{path}").commands, path
    for path in ("/pay", "/suggest?q=delete+my+account", "/icons/delete.svg?v=3", "/share/count?of=1", "/login?next=/"):
        assert not OutgoingRequest("GET", f"https://bank.example{path}").commands, path


def test_a_request_is_known_again_whatever_its_boundaries_and_order():
    one = post(part("a", "1") + part("b", "2") + b"------x--\r\n", MULTIPART)
    other = post(one.body.replace(b"----x", b"----y"), MULTIPART.replace("----x", "----y"))
    assert one.request_id() == other.request_id()
    assert (
        post('{"a": 5, "b": 1}').request_id() == post('{"b": 1, "a": 5}').request_id() != post('{"a": 5.0, "b": 1}').request_id()
    )
    assert (
        len({OutgoingRequest("POST", f"https://{host}/x").request_id() for host in ("a.example", "b.example", "a.example:8443")})
        == 3
    )


def test_it_is_told_in_words_and_what_is_private_is_masked():
    sent = post("amount=500&to=Ana&pin=1234&note=my+hunter2x", FORM, "https://bank.example/transfer")
    assert sent.told({"hunter2x"}) == "POST amount=500, to=Ana, pin=***, note=*** to bank.example/transfer"
    assert len(post(json.dumps({f"n{n}": "y" * 5000 for n in range(100)})).told()) < 1500
