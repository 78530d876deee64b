"""World files: what is shipped loads, and a mistake is said in one sentence with file and key."""

from __future__ import annotations

import pytest

from environments.contract import WorldError
from environments.simulated.desktop import SimulatedDesktop
from environments.simulated.world.worldfile import load_world, parse_world


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("apps: {billing: {}\nopen: [billing]", r"bad\.yaml, line \d: expected .*correct the YAML"),
        ("apps: {billing: }\nname: a\nname: b", r"bad\.yaml, line 3: the key 'name' is given twice"),
        ("- apps", r"bad\.yaml: a world file is a mapping with the keys name"),
        ("name: x", r"bad\.yaml: apps: this key is missing"),
        ("apps: {}", r"bad\.yaml, line 1: apps: "),
        ("apps: {biling: }", r"there is no app 'biling'; known apps are: .*; did you mean billing\?"),
        ("apps: {billing: }\nopn: [billing]", r"bad\.yaml, line 2: opn: this key is not known; .*did you mean open\?"),
        ("apps: {billing: {invoces: []}}", r"apps\.billing\.invoces: this key is not known; .*did you mean invoices\?"),
        (
            "apps: {billing: {invoices: [{number: 1, vendor: x, date: d, total: a lot}]}}",
            r"apps\.billing\.invoices\.0\.total: 'a lot' is not an amount",
        ),
        ("apps: {billing: {invoices: [{number: 1, vendor: x, date: d}]}}", r"apps\.billing\.invoices\.0: an invoice needs lines"),
        ("apps: {billing: {invoices: [], open: A-9}}", r"open: there is no invoice A-9"),
        ("apps: {billing: }\nopen: [mail]", r"open: 'mail' is not one of this world's apps, which are: billing"),
        ("apps: {billing: }\nopen: [billing, billing]", r"open: an app is named twice"),
        ("apps: {billing: }\nseed: soon", r"seed: Input should be a valid integer.*'soon'"),
        ("apps: {billing: }\nscreen: [10, 10]", r"screen: \[10, 10\] is too small"),
        ("apps: {billing: }\nevents: [{when: {at: 1}}]", r"events\.0: exactly one effect is needed"),
        ("apps: {billing: }\nevents: [{when: {at: 1, clicked: x}, crash: {}}]", r"events\.0\.when: one trigger is allowed"),
        ("apps: {billing: }\nevents: [{when: {at: 1, once: false}, crash: {}}]", r"events\.0\.when: once: false needs"),
        ("apps: {billing: }\nevents: [{popup: {title: x, kind: evil}}]", r"events\.0\.popup\.kind: Input should be 'info'"),
        (
            "apps: {billing: }\nevents: [{popup: {title: x, default: Pay}}]",
            r"events\.0\.popup: default 'Pay' is not one of the buttons OK",
        ),
        ("apps: {billing: }\nevents: [{mail: {from: a, subject: b}}]", r"events\.0: 'mail' is not one of this world's apps"),
        (
            "apps: {notes: {notes: []}}\nevents: [{edit: {app: notes, path: notes.7.body, value: x}}]",
            r"events\.0\.edit\.path: there is no '7'",
        ),
        (
            "apps: {notes: }\nevents: [{edit: {app: notes, path: page, value: x}}]",
            r"events\.0\.edit\.value: Input should be a valid integer",
        ),
        ("apps: {billing: {open: A-9}}", r"invoices given are: none, so write open: any"),
        ("apps: {notes: {open: Plan}}", r"there is no note 'Plan'; notes given are: none"),
        ("apps: {mail: {messages: [{frm: a}]}}", r"messages\.0\.frm: this key is not known; .*did you mean from\?"),
        (
            "apps: {mail: }\nevents: [{popup: {titel: a}}]",
            r"events\.0\.popup\.titel: .* did you mean title\?",
        ),
        ("apps: {files: {files: {plan.txt: x}}}", r"apps\.files: 'plan\.txt' is no absolute path"),
        ("apps: {files: {files: {/a: x, /a/b: y}}}", r"'/a' is a file, so nothing can be in it"),
        ("apps: {reimbursement: {required: [amnt]}}", r"apps\.reimbursement\.required\.0: Input should be 'employee'"),
        ("apps: {reimbursement: {draft: {category: Rent}}}", r"draft\.category: 'Rent' is not one of Travel"),
        ("apps: {settings: {language: Klingon}}", r"language: 'Klingon' is not one of English"),
    ],
)
def test_a_mistake_is_named(text, said):
    with pytest.raises(WorldError, match=said) as caught:
        parse_world(text, "bad.yaml")
    sentence = str(caught.value)
    assert sentence.startswith("bad.yaml")
    assert sentence.endswith((".", "?"))
    assert "\n" not in sentence


def test_a_missing_file_names_the_shipped_worlds(tmp_path):
    with pytest.raises(WorldError, match=r"There is no world file ofice; shipped worlds are: .*office.*did you mean office\?"):
        load_world("ofice")
    with pytest.raises(WorldError, match="cannot be read"):
        load_world(tmp_path)
    (tmp_path / "latin.yaml").write_bytes("name: é".encode("latin-1"))
    with pytest.raises(WorldError, match="not UTF-8"):
        load_world(tmp_path / "latin.yaml")


def test_a_file_is_loaded_by_path_and_named_after_it(tmp_path):
    (tmp_path / "mine.yaml").write_text("apps: {notes: }\n", encoding="utf-8")
    spec = load_world(tmp_path / "mine.yaml", seed=4)
    assert (spec.name, spec.seed) == ("mine", 4)


def test_the_office_has_an_invoice_on_the_screen():
    state = SimulatedDesktop(load_world("office")).observe()
    assert state.app == "billing"
    assert {"Subtotal", "Tax", "Total"} <= {e.text for e in state.elements}


def test_explicit_content_leaves_nothing_generated():
    text = """
user: A B
today: 2026-01-02
apps: {mail: {messages: []}, notes: {notes: []}, files: {files: {}}, billing: {invoices: []}}"""
    apps = SimulatedDesktop(parse_world(text)).world()["apps"]
    assert (apps["mail"]["messages"], apps["notes"]["notes"], list(apps["files"]["entries"]), apps["billing"]["invoices"]) == (
        {},
        {},
        ["/"],
        {},
    )
    assert (apps["mail"]["today"], apps["mail"]["address"]) == ("2026-01-02", "a.b@example.com")


def test_words_and_numbers_are_kept_as_they_are_written():
    text = """
apps:
  notes: {notes: [{title: No, body: 2026-03-01}, {title: 12:30}]}
  billing: {invoices: [{number: 0042, vendor: on, date: 2026-03-01, total: 7}]}
open: [notes]
events: [{popup: {title: Sure, buttons: [Yes, No]}}]
"""
    desktop = SimulatedDesktop(parse_world(text))
    assert {"Yes", "No", "12:30"} <= {e.text for e in desktop.observe().elements}
    assert desktop.world()["apps"]["billing"]["invoices"]["0042"]["date"] == "2026-03-01"


def test_given_content_can_stand_among_generated():
    text = """
apps:
  billing: {invoices: [{number: INV-1, vendor: Oak, date: 2026-01-01, total: 7}], generate: 20, open: INV-1}
  mail: {messages: [{from: a@x.org, subject: Hi}], generate: 5}
  notes: {notes: [{title: Plan}], generate: 3, open: Plan}
  files: {files: {/a.txt: x}, generate: 4}
"""
    apps = SimulatedDesktop(parse_world(text)).world()["apps"]
    assert len(apps["billing"]["invoices"]) == 21
    assert len(apps["mail"]["messages"]) == 6
    assert len(apps["notes"]["notes"]) == 4
    assert sum(entry["kind"] == "file" for entry in apps["files"]["entries"].values()) == 5
