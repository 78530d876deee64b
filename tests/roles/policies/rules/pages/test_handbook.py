"""What the help pages of sites say, as sentences that the grammar of pages reads; and whole pages as plans for a site."""

from __future__ import annotations

import pytest

from roles.contracts import PlanAnswer, PlanRequest, Supplement
from roles.knowledge.pages.playbook import with_names
from roles.manager.rules import RulesManager
from roles.policies.rules.pages.handbook import imperatives, page_reading, page_step
from roles.screen.language import clauses as c


@pytest.mark.parametrize(
    ("step", "plain"),
    [
        ("In the left sidebar, click **Members**.", 'click "Members"'),
        ("Click **Save** to apply your changes.", 'Click "Save"'),
        ("Click the Save button at the bottom of the page.", "Click the Save button"),
        ("Go to Settings > Members.", "click Settings. click Members"),
        ("Select **File** → **Export**.", 'click "File". click "Export"'),
        ("Navigate to the Members page.", "click Members"),
        ("In the **Email** field, enter {email}.", 'enter "{email}" into the "Email" field'),
        ("Enter the member's email address.", 'enter "{member\'s email address}" into the email address field'),
        ("Enter the name of the boat.", 'enter "{boat name}" into the name field'),
        ("Enter the date in **Date** and the start time in **Start**.",
         'enter "{date}" into the "Date" field. enter "{start time}" into the "Start" field'),
        ("Enter 5 for the quantity.", "enter 5 into the quantity field"),
        ("From the **Role** list, select the role you want.", 'select "{role}" from the "Role" list'),
        ("Choose a **Reason**.", 'select "{Reason}" from the "Reason" list'),
        ("Fill in the following fields: Name, Email.",
         'enter "{Name}" into the Name field. enter "{Email}" into the Email field'),
        ("Click **Invite**. The dialog opens. You can close it.", 'Click "Invite"'),
        ("Type `Ada` in **Search** and press `Enter`.", 'Type "Ada" in "Search". press the Enter key'),
        ('Search for "Ada".', 'enter "Ada" into the search field. press the Enter key'),
        ("Confirm by clicking **Yes**.", 'click "Yes"'),
        ("Click Edit next to Ada.", 'Click "Edit" next to Ada'),
        ("Select the checkbox next to Ada.", "tick Ada"),
        ("Wait until the page has loaded.", ""),
        ("Do not press Delete.", ""),
        ("Scroll down to the footer.", ""),
        ("Make sure that you are signed in.", ""),
    ],
)  # fmt: skip
def test_a_step_is_told_in_plain_sentences(step: str, plain: str) -> None:
    told = page_step(with_names(step))
    assert told == plain
    assert page_step(told) == plain, "told once more it is the same"
    assert not told or not any(isinstance(clause, c.Unknown) for clause in page_reading([told]))


@pytest.mark.parametrize(
    "step",
    [
        "Make sure that the digest is on.",
        "You must be an admin.",
        "Do not go on unless it is green.",
        "Wibble the foo.",
        "Click Save. Wibble the foo.",
        "Choose one of the options.",
        "Fill in the form and wibble.",
        "Cliquez sur Enregistrer.",
        "点击设置。",
        "Find the order.",
    ],
)
def test_what_is_not_understood_is_said_and_never_passed_over(step: str) -> None:
    told = page_step(step)
    assert any(isinstance(clause, c.Unknown) for clause in page_reading([told])), told


def test_remarks_are_left_out_and_what_narrows_is_not() -> None:
    assert imperatives("Save it. It is green then. Close it.") == "Save it. Close it."
    assert imperatives("Save it. It must be green.") == "Save it. It must be green."
    assert imperatives("Never save it unless it is green. Close it.") == "Never save it unless it is green. Close it."


def planned(goal: str, text: str, *, looked_up: bool = True) -> PlanAnswer:
    found = (Supplement(query=goal, source="help:a.md", title="A page", text=text),) if looked_up else ()
    asked = (goal,) if looked_up else ()
    return RulesManager().plan(PlanRequest(goal=goal, apps=(), supplements=found, looked_up=asked, trigger="task_open"))


ROOM = """# Book a room
1. On the home page, click **New booking**.
2. Select the room.
3. Enter the date in **Date** and the start time in **Start**.
4. Click **Next**. Click **Next** again to see the price.
5. Click **Book**.
"""


def test_a_page_becomes_one_subtask_for_the_page_that_is_shown_with_its_steps_as_origin() -> None:
    answer = planned('Book "Aula" for 2026-05-04 at 10:30', ROOM.replace(" again", ""))
    (subtask,) = answer.subtasks
    assert subtask.instruction == (
        'click "New booking". select "Aula" from the room list. enter "2026-05-04" into the "Date" field.'
        ' enter "10:30" into the "Start" field. Click "Next". Click "Next". Click "Book".'
    )
    assert [origin.step for origin in subtask.origin] == [1, 2, 3, 4, 5]
    assert [origin.text for origin in subtask.origin][1] == "Select the room."


def test_what_the_goal_does_not_give_is_asked_and_nothing_is_typed_that_only_describes_it() -> None:
    answer = planned('Book "Aula" for 2026-05-04', ROOM.replace(" again", ""))
    assert answer.outcome == "supplement_needed"
    assert answer.query.startswith("What is the start time for")


@pytest.mark.parametrize("goal", ["Get ada@x.org aboard as usual", "Have the newsletter sent to ada@x.org"])
def test_a_goal_that_only_sounds_as_if_it_spoke_of_the_page_is_looked_up_first(goal: str) -> None:
    assert planned(goal, "", looked_up=False).outcome == "supplement_needed"


def test_without_a_page_a_goal_is_worked_as_it_was_read() -> None:
    assert planned("Find the otter in the list of all the animals here", "# Other\n1. Click A.").outcome == "planned"
    assert planned("Press Save", "", looked_up=False).outcome == "planned"


def test_where_the_page_has_nothing_that_is_called_so_help_is_looked_for_once_and_followed() -> None:
    goal = "Change the plan to Team"
    first = planned(goal, "", looked_up=False)
    request = PlanRequest(
        goal=goal, apps=(), plan=first.subtasks, failed="s1", trigger="cannot_execute",
        evidence=('there is no "plan" on the page; there are: Account',),
    )  # fmt: skip
    asked = RulesManager().plan(request)
    assert (asked.outcome, asked.query) == ("supplement_needed", goal)
    text = "# Change the plan of a team\n1. Click **Account**.\n2. Click **Team plan**.\n"
    found = Supplement(query=goal, source="help:a.md", title="A page", text=text)
    told = request.model_copy(update={"supplements": (found,), "looked_up": (goal,), "trigger": "supplied"})
    answer = RulesManager().plan(told)
    assert answer.outcome == "planned"
    assert answer.subtasks[-1].instruction == 'Click "Account". Click "Team plan".'
    assert {origin.source for origin in answer.subtasks[-1].origin} == {"help:a.md"}
