"""The address of a shared store: what is one, and that nobody ever reads its password."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.errors import UsageProblem
from orchestrator.settings.settings import Settings, load_settings
from orchestrator.store.address import checked_address, shown_address, stand_for, without_addresses

ADDRESSES = [
    "postgresql://ada@db.example/deskcrew",
    "postgres://db:5433/deskcrew?sslmode=verify-full",
    "postgresql://one:5432,two:5432/deskcrew?target_session_attrs=read-write",
    "postgresql:///deskcrew?host=/run/postgresql&user=ada",
    "postgresql:///?service=deskcrew",
    "postgresql://[::1]:5432/deskcrew",
]
WRONG = [
    "mysql://u:geheim@h/db",
    "postgresql:/u:geheim@h/db",
    "postgresql://u:geheim @h/db",
    "postgresql://u:geheim\x07@h/db",
    "postgresql://u:ge#heim@h/db",
    "postgresql://u:geheim@[::1/db",
    "PostgreSQL: geheim",
    "/var/lib/geheim.sqlite",
    "",
]


@pytest.mark.parametrize("address", ADDRESSES)
def test_an_address_without_a_password_is_taken_and_shown_as_it_is(address: str) -> None:
    assert checked_address(address) == shown_address(address) == address


@pytest.mark.parametrize("address", WRONG)
def test_what_is_no_address_is_refused_in_words_that_do_not_repeat_it(address: str) -> None:
    with pytest.raises(UsageProblem) as refused:
        load_settings(overrides=[f"store={json.dumps(address)}"])
    assert str(refused.value).startswith("command line: store: ")
    assert "geheim" not in str(refused.value)


@pytest.mark.parametrize("value", ["5", "[postgresql://u:geheim@h/db]", "{a: postgresql://u:geheim@h/db}", "null"])
def test_a_value_of_another_kind_is_refused_without_being_repeated(value: str) -> None:
    with pytest.raises(UsageProblem, match="store") as refused:
        load_settings(overrides=[f"store={value}"])
    assert "geheim" not in str(refused.value)


passwords = st.text(st.characters(min_codepoint=33, max_codepoint=0x2FFF, categories=["L", "N", "P", "S"]), min_size=8)


@given(passwords, st.sampled_from(["user", "query", "ssl"]))
def test_no_password_is_shown_dumped_or_left_in_what_a_library_says(password: str, where: str) -> None:
    secret = quote(password, safe="")
    address = {
        "user": f"postgresql://ada:{secret}@h/db",
        "query": f"postgresql://ada@h/db?password={secret}&sslmode=require",
        "ssl": f"postgres://ada@h/db?sslpassword={secret}",
    }[where]
    assert checked_address(address) == address
    dumped = Settings(store=address).model_dump_json()
    words = f'invalid thing "{password}" or "{secret}" in "{address}"'
    for text in (shown_address(address), json.loads(dumped)["store"], without_addresses(words, address)):
        assert password not in text
        assert secret not in text
        assert "***" in text
    assert without_addresses(f"in {address}") == f"in {shown_address(address)}"
    assert Settings.model_validate_json(dumped).store == address, "what this process was given, it knows from what was written"


def test_a_masked_password_that_nobody_gave_is_none() -> None:
    assert checked_address("postgresql://new:***@h/db?password=***&sslmode=require") == "postgresql://new@h/db?sslmode=require"


def test_only_an_address_stands_for_another_one() -> None:
    stand_for("postgresql://h/before", "postgresql://h/after")
    assert checked_address("postgresql://h/before") == "postgresql://h/after"
    for shown in ("", "sqlite", "nonsense"):
        stand_for(shown, "postgresql://h/after")
    assert checked_address("sqlite") == "sqlite"
    for wrong in ("", "nonsense"):
        with pytest.raises(ValueError, match="not an address"):
            checked_address(wrong)


def test_the_source_of_the_setting_is_told_and_the_password_is_not(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("store: postgresql://ada:geheim@h/db\n")
    loaded = load_settings([tmp_path / "mine.yaml"])
    assert loaded.settings.store == "postgresql://ada:geheim@h/db"
    assert "geheim" not in json.dumps(loaded.sources)
    assert loaded.source("store").endswith("mine.yaml, line 1")
