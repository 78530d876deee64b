"""One policy for what is tried again: how often, how long is waited, and what a server asks for."""

import sqlite3
import threading
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar
from unittest.mock import Mock

import pytest

from protocol.retries import Overload, Retries, asked_for, passes, retry_after, status_of
from protocol.sqlite import connected

NOON = datetime(2026, 3, 5, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("said", "seconds"),
    [("7", 7.0), (format_datetime(NOON.replace(minute=2), usegmt=True), 120.0), ("Thu, 05 Mar 2026 11:00:00 GMT", 0.0),
     ("Thursday, 05-Mar-26 12:00:30 GMT", 30.0), ("soon", None), ("-3", None), ("", None)],
)  # fmt: skip
def test_a_server_says_in_seconds_or_by_a_date_how_long_it_is_to_be_left_alone(said: str, seconds: float | None) -> None:
    assert retry_after({"retry-after": said}, NOON.timestamp()) == seconds


def test_waits_grow_and_what_a_server_asks_for_is_bounded() -> None:
    slept: list[float] = []
    asked: list[float | None] = [None, None, 9.0, 3600.0, None]

    def busy() -> None:
        raise Overload("later", asked[len(slept)])

    with pytest.raises(Overload):
        Retries(tries=5, wait=0.5, longest=20.0).trying(sleep=slept.append)(busy)
    assert 0.5 <= slept[0] <= 1.0 <= slept[1] <= 1.5
    assert slept[2:] == [9.0, 20.0]


def test_a_file_that_another_program_holds_is_asked_for_again(tmp_path: Path) -> None:
    with connected(tmp_path / "a.sqlite", isolation_level=None) as held:
        held.execute("CREATE TABLE t (x)")
        held.execute("BEGIN EXCLUSIVE")
        threading.Timer(0.5, lambda: held.execute("COMMIT")).start()
        ours = connected(tmp_path / "a.sqlite", Retries(tries=6, wait=0.1), timeout=0.01, isolation_level=None)
        assert ours.execute("INSERT INTO t VALUES (1)").rowcount == 1
        held.execute("BEGIN EXCLUSIVE")
        never = connected(tmp_path / "a.sqlite", Retries(tries=1), timeout=0.01, isolation_level=None)
        with pytest.raises(sqlite3.OperationalError, match="database is locked"):
            never.execute("INSERT INTO t VALUES (2)")
        held.execute("COMMIT")
        ours.close()
        never.close()


class GoogleSays(Exception):
    """As `google.genai.errors.ClientError` and `google.api_core` tell it."""

    code = 429
    details: ClassVar[dict[str, Any]] = {"error": {"details": [{"@type": "RetryInfo", "retryDelay": "7.5s"}]}}


class AmazonSays(Exception):
    """As `botocore.exceptions.ClientError` tells it."""

    response: ClassVar[dict[str, Any]] = {"ResponseMetadata": {"HTTPStatusCode": 429, "HTTPHeaders": {"retry-after": "4"}}}


class AzureSays(Exception):
    response = SimpleNamespace(status_code=429, headers={"retry-after-ms": "1500", "retry-after": "2"})


@pytest.mark.parametrize(("fault", "seconds"), [(GoogleSays(), 7.5), (AmazonSays(), 4.0), (AzureSays(), 1.5)])
def test_every_provider_says_in_its_own_way_how_long_it_is_to_be_left_alone(fault: Exception, seconds: float) -> None:
    assert passes(fault)
    assert status_of(fault) == 429
    assert asked_for(fault) == seconds
    slept: list[float] = []
    once = Mock(side_effect=[fault, "there"])
    assert Retries(tries=2, wait=0.1).trying(sleep=slept.append)(once) == "there"
    assert slept == [seconds]


def test_another_number_on_an_exception_is_no_answer_of_a_server() -> None:
    fault = SystemExit(3)
    assert status_of(fault) is None
    assert not passes(fault)
