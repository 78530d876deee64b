"""Private values are recognised in what a person writes, and ordinary words are not taken for them."""

from __future__ import annotations

import pytest

from roles.safety import SafetyPolicy
from roles.safety.privacy.redaction import Redactor
from roles.safety.privacy.vault import Vault
from roles.safety.privacy.vault_shapes import is_card, shaped, spotted

GOALS = [
    ("log in with the password hunter2", ["hunter2"]),
    ("Log in as anna with hunter2 and open the inbox", ["hunter2"]),
    ("the password is swordfish", ["swordfish"]),
    ("Enter the password swordfish, then save", ["swordfish"]),
    ("set the Password to 'a b c'", ["a b c"]),
    ('type "with space" into the password field', ["with space"]),
    ("type hunter2 into the password field", ["hunter2"]),
    ("password: tulip-42", ["tulip-42"]),
    ("unlock with PIN 12", ["12"]),
    ("my pin: 0000.", ["0000"]),
    ("pay with card 4111 1111 1111 1111 and CVV 123", ["4111 1111 1111 1111", "123"]),
    ("Use the security code 937 and card number 5555-5555-5555-4444", ["937", "5555-5555-5555-4444"]),
    ("use the api key sk-proj-abcdefghijklmnop1234 please", ["sk-proj-abcdefghijklmnop1234"]),
    ("send Bearer abcdefabcdef0123 with it", ["abcdefabcdef0123"]),
    ("use ghp_0123456789abcdefghijABCDEFGHIJ012345", ["ghp_0123456789abcdefghijABCDEFGHIJ012345"]),
    ('enter "Hummingbird-7741" as the salary', ["Hummingbird-7741"]),
]
PLAIN = [
    "change the password policy note",
    "reset the password of Anna",
    "send the password to Anna",
    "Do what the mail says with the password from your notes",
    "There is a mail about the password manager in my inbox",
    "find the secret santa list",
    "Sign in with Google and read the mail",
    "The password must have 12 characters",
    "log in with the password {password}",
    "log in with the password <secret>password</secret>",
    "Copy the amount of invoice INV-2041 to the form and submit it",
    "order article 4006381333931, tracking number 00340434161094042557",
    "the number is 4111111111111112",
    "pin the note to the top",
    "Enter your password to continue",
]


@pytest.mark.parametrize(("goal", "private"), GOALS, ids=[goal for goal, _ in GOALS])
def test_a_private_value_is_spotted_in_a_goal(goal: str, private: list[str]) -> None:
    assert [goal[spot.start : spot.end] for spot in spotted(goal, ["salary"])] == private


@pytest.mark.parametrize("goal", PLAIN)
def test_ordinary_words_are_no_private_values(goal: str) -> None:
    assert spotted(goal, ["salary"]) == []


@pytest.mark.parametrize("goal", [goal for goal, _ in GOALS] + PLAIN)
def test_a_goal_without_its_values_means_the_same_once_they_are_back(goal: str) -> None:
    vault = Vault()
    vault.give("password", "any")
    redactor = Redactor(SafetyPolicy(private=("*salary*",)), vault)
    said = redactor.said(goal)
    assert vault.reveal(said) == vault.reveal(goal)
    assert redactor.said(said) == said


@pytest.mark.parametrize(
    "number", ["4111111111111111", "378282246310005", "6011111111111117", "3530111333300000", "2223003122003222"]
)
def test_numbers_that_cards_may_have_are_known_by_their_last_figure(number: str) -> None:
    assert is_card(number)
    assert not is_card(number[:-1] + str((int(number[-1]) + 1) % 10))


def test_a_screen_is_searched_for_shapes_only() -> None:
    assert [spot.label for spot in shaped("card 4111-1111-1111-1111 token glpat-0123456789abcdefghij")] == [
        "card number",
        "token",
    ]
    assert shaped("your password is swordfish") == ()


@pytest.mark.parametrize(
    ("question", "answer", "private"),
    [
        ("What is the password?", "tulip", True),
        ("Which PIN does the card have?", "12", True),
        ("Which card should be used?", "4111 1111 1111 1111", True),
        ("Which claim is meant?", "the second", False),
    ],
)
def test_an_answer_is_private_by_its_question_or_by_its_shape(question: str, answer: str, private: bool) -> None:
    redactor = Redactor(SafetyPolicy())
    said = redactor.answer(question, answer)
    assert (said != answer) is private
    assert redactor.vault.reveal(said) == answer
