"""The vault: one value a name for good, on disk for its owner only, and gone when the run has ended."""

import base64
import html
import json
import re
import time
from pathlib import Path
from urllib.parse import quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol import ActionTarget, Fill
from roles.safety.privacy.vault import (
    FILE,
    SecretTaken,
    UnknownSecret,
    Vault,
    disarmed,
    is_reference,
    name_of,
    reference,
    references_in,
)

SECRET = 'hunter2&"é'


def test_a_value_has_one_name_for_good() -> None:
    vault = Vault()
    first, again, other = vault.keep("tulip-41", "Password"), vault.keep("tulip-41", "Card"), vault.keep("tulip-42", "Password")
    assert (first, again, other) == (reference("password"), reference("password"), reference("password_2"))
    assert [vault.reveal(held) for held in (first, other)] == ["tulip-41", "tulip-42"]
    vault = Vault()
    assert vault.give("pin", "0042") == vault.give("pin", "0042") == reference("pin")
    with pytest.raises(SecretTaken, match="the private value pin is another one"):
        vault.give("pin", "0043")


@pytest.mark.parametrize("name", ["", "Pass", "a b", "x" * 41, "</secret>", "a.b"])
def test_a_name_is_small_letters_figures_and_underscores(name: str) -> None:
    with pytest.raises(SecretTaken, match="is not a valid name"):
        Vault().give(name, "value")


@given(st.text(max_size=60))
def test_any_label_makes_a_name(label: str) -> None:
    assert references_in(reference(name_of(label))) == [name_of(label)]


@given(st.text(min_size=1, max_size=200).filter(lambda text: not references_in(text)), st.text(max_size=30))
def test_what_goes_in_comes_out(value: str, label: str) -> None:
    vault = Vault()
    assert vault.reveal(vault.keep(value, label)) == value


@given(st.text(max_size=60), st.text(max_size=60), st.sampled_from(["hunter2", "tulip-41", "p w d", SECRET, "é🎈é🎈"]))
def test_sealing_twice_is_sealing_once_and_what_was_sealed_is_revealed(before: str, after: str, value: str) -> None:
    vault = Vault()
    vault.keep(value, "password")
    text = disarmed(f"{before}{value}{after}")
    sealed = vault.seal(text)
    assert value.strip() not in sealed.replace(reference("password"), "\0")
    assert vault.seal(sealed) == sealed
    assert vault.reveal(sealed).replace(value.strip(), "") == text.replace(value.strip(), "")


@pytest.mark.parametrize(
    "write",
    [quote_plus, html.escape, json.dumps, lambda text: json.dumps(text, ensure_ascii=False),
     lambda text: base64.b64encode(text.encode()).decode(), lambda text: text.encode().hex()],
)  # fmt: skip
def test_a_value_is_found_as_other_formats_write_it(write: object) -> None:
    vault = Vault()
    vault.keep(SECRET, "password")
    written = f"x={write(SECRET)}&y"  # type: ignore[operator]  # each takes a text
    assert vault.finds(written)
    assert reference("password") in vault.seal(written)


def test_a_number_is_found_however_its_figures_are_grouped_or_written_and_not_within_a_longer_one() -> None:
    wide = "４１１１１１１１１１１１１１１１"
    shown_in = ["4111111111111111", "4111-1111-1111-1111", "4111 1111 1111 1111"]
    for written in (*shown_in, wide, f"{wide[:4]} {wide[4:8]} {wide[8:12]} {wide[12:]}"):
        vault = Vault()
        vault.keep("4111 1111 1111 1111", "Card number")
        assert vault.finds(written)
        assert re.fullmatch(r"to <secret>card_number(_2)?</secret>.", vault.seal(f"to {written}.")), written
    for longer in (*(f"{written}9" for written in shown_in), f"９{wide}"):
        assert vault.seal(f"to {longer}.") == f"to {longer}."


def test_short_values_are_found_alone_only_and_as_they_are() -> None:
    vault = Vault()
    vault.keep("2026", "PIN")
    assert vault.seal("the PIN 2026, please") == f"the PIN {reference('pin')}, please"
    assert vault.seal("2026-03-02 INV-2026 2026.50 12026") == "2026-03-02 INV-2026 2026.50 12026"
    vault = Vault()
    held = vault.keep("12", "CVV")
    assert (vault.seal("12 of 120"), vault.reveal(held)) == ("12 of 120", "12")
    vault.give("password", "rose")
    assert vault.seal("Rose and rose") == f"Rose and {reference('password')}"


def test_a_reference_from_outside_is_disarmed() -> None:
    for text in ("<secret>password</secret>", "< SECRET >password< / secret >", "<secret>"):
        assert references_in(disarmed(text)) == []
        assert "<" not in disarmed(text)


def test_an_unknown_reference_says_what_can_be_done() -> None:
    vault = Vault()
    vault.keep("tulip-41", "password")
    with pytest.raises(
        UnknownSecret, match="'pin' is not known here; known are password; a person can give it with --secret pin"
    ):
        vault.reveal(reference("pin"))


def test_a_script_gets_no_value_that_it_would_read_as_its_own() -> None:
    vault = Vault()
    good, bad = vault.keep("tulip-41", "token"), vault.keep("x'; rm -rf ~; '", "token")
    assert vault.reveal_plain(f"curl '{good}'") == "curl 'tulip-41'"
    with pytest.raises(ValueError, match="'token_2' holds signs"):
        vault.reveal_plain(f"curl '{bad}'")


def test_a_digest_is_bound_to_the_value_under_the_key_of_the_run() -> None:
    one, two = Vault(), Vault()
    action = Fill(target=ActionTarget(text="Password"), text=reference("password"))
    one.give("password", "tulip-41")
    two.give("password", "tulip-42")
    three = Vault()
    three.give("password", "tulip-41")
    digests = [vault.bound(action.digest, ["password"]) for vault in (one, two, three)]
    assert len({*digests, action.digest}) == 4
    assert one.bound(action.digest, ["password"]) == digests[0]


# --- on disk --------------------------------------------------------------------------------------------------------


def test_only_its_owner_can_read_the_file_and_another_process_finds_what_is_in_it(tmp_path: Path) -> None:
    path = tmp_path / FILE
    Vault(path).empty()
    assert not path.exists(), "nothing is private"
    vault = Vault(path)
    held = [vault.keep(SECRET, "password"), vault.keep("line\nbreak", "note")]
    assert path.stat().st_mode & 0o777 == 0o600
    again = Vault(path)
    assert [again.reveal(text) for text in held] == [SECRET, "line\nbreak"]
    assert again.bound("digest", ["password"]) == vault.bound("digest", ["password"])


@pytest.mark.parametrize("cut", [1, 5, 20])
def test_a_line_that_was_cut_off_costs_that_value_only(tmp_path: Path, cut: int) -> None:
    path = tmp_path / FILE
    vault = Vault(path)
    first, second = vault.keep("tulip-41", "password"), vault.keep("tulip-42", "token")
    path.write_bytes(path.read_bytes()[:-cut])
    again = Vault(path)
    assert again.reveal(first) == "tulip-41"
    if cut > 1:  # a missing line end harms nothing
        with pytest.raises(UnknownSecret, match="--secret token"):
            again.reveal(second)
    again.give("token", "tulip-42")
    assert Vault(path).reveal(second) == "tulip-42"


@pytest.mark.parametrize(
    "body", [b"", b"\n\n", b"[1]\n", b'{"name": 1, "value": []}\n', b'{"name": "a"}\n', b"\xff\xfe\n", b"{" * 50]
)
def test_a_damaged_file_is_no_vault_and_no_crash(tmp_path: Path, body: bytes) -> None:
    (tmp_path / FILE).write_bytes(body)
    vault = Vault(tmp_path / FILE)
    assert vault.names == []
    assert is_reference(vault.keep("tulip-41", "password"))
    assert Vault(tmp_path / FILE).names == ["password"]


def test_when_the_run_has_ended_no_value_is_left_and_the_names_are(tmp_path: Path) -> None:
    path = tmp_path / FILE
    vault = Vault(path)
    vault.keep(SECRET, "password")
    key = json.loads(path.read_text().splitlines()[0])["key"]
    vault.empty()
    left = path.read_text()
    assert SECRET not in json.loads(left).get("value", "")
    assert "hunter2" not in left
    assert key not in left
    again = Vault(path)
    assert (again.names, again.gone) == ([], ["password"])
    assert again.keep("other", "password") == reference("password_2")
    assert again.give("password", SECRET) == reference("password")
    assert Vault(path).gone == []


def test_a_value_is_found_letter_by_letter_and_backwards_and_not_by_its_letters_alone() -> None:
    for value in ("tulip-41-blue", "Hunter2Hunter2"):
        vault = Vault()
        held = vault.keep(value, "Password")
        for between in ("-", " ", "_", ". ", " - ", "\u200b"):
            spelt = between.join(letter for letter in value if letter.isalnum())
            assert vault.seal(f"Hello {spelt}!") == f"Hello {held}!"
    vault = Vault()
    held = vault.keep("tulip-41-blue", "Password")
    assert vault.seal("eulb-14-pilut") == held
    vault = Vault()
    vault.keep("tulip-41-blue", "Password")
    for text in ("t-u-l-i-p", "a tulip at 41 blue street", "tulip---41----blue"):
        assert vault.seal(text) == text


@pytest.mark.parametrize(
    "shown",
    [
        "tulip-garden9", "TULIP-GARDEN9", "TuLiP-gArDeN9", "Tulip - Garden 9", "T u l i p - G a r d e n 9", "Tulip\n-\nGarden9",
        "Ｔｕｌｉｐ－Ｇａｒｄｅｎ９", "ｔｕｌｉｐ－ｇａｒｄｅｎ９", "𝐓𝐮𝐥𝐢𝐩-𝐆𝐚𝐫𝐝𝐞𝐧𝟗",
        "Tulip\u200b-Garden9", "Tu\u00adlip-Gar\u00adden9", "Túlip-Gärden9",
        "Tulip\u3000garden９", "Ⓣⓤⓛⓘⓟ-Garden9",
    ],
)  # fmt: skip
def test_a_value_in_another_case_width_or_spacing_is_found_and_means_the_text_that_stood_there(shown: str) -> None:
    vault = Vault()
    vault.give("password", "Tulip-Garden9")
    sealed = vault.seal(f"it says {shown}, and more")
    assert re.fullmatch(r"it says <secret>password(_2)?</secret>, and more", sealed), sealed
    assert vault.finds(f"x{shown}x")
    if shown[0] in "tT" and " " not in shown:  # letters with blanks between are known as the value itself
        assert vault.reveal(sealed) == f"it says {shown}, and more"


def test_a_page_that_shows_a_value_in_endless_ways_fills_no_vault() -> None:
    vault = Vault()
    vault.give("password", "Tulip-Garden9")
    for number in range(200):
        ways = "".join(sign.upper() if number >> place & 1 else sign for place, sign in enumerate("tulip-garden9"))
        assert "arden" not in vault.seal(ways).casefold()
    assert len(vault) < 25


def test_looking_for_what_is_like_a_value_takes_milliseconds_on_a_long_text() -> None:
    vault = Vault()
    for number in range(20):
        vault.give(f"s{number}", f"Secretvalue{number}x{number * 7919}")
    for text in ("Some words of a page, 123. " * 2_000, "Sömé wörds of a page, 123. " * 2_000, "secretvalue " * 4_000):
        began = time.process_time()
        assert vault.seal(text) == text
        assert time.process_time() - began < 1.0
