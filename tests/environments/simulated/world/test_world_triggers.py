"""When rules fire: at times and after one another, within one wait each at its own moment; by condition; by chance."""


def mails(h) -> list[str]:
    return [message["subject"] for message in h.app("mail")["messages"].values()]


def mail(subject: str) -> str:
    return f"mail: {{from: a@x.org, subject: {subject}}}"


def test_what_is_due_within_one_wait_happens_in_order_of_time_with_its_consequences(ruled):
    h = ruled(
        f"{{name: third, when: {{after: {{event: second, seconds: 2}}}}, {mail('third')}}}",
        f"{{name: second, when: {{after: {{event: first, seconds: 2}}}}, {mail('second')}}}",
        f"{{when: {{at: 4}}, {mail('between')}}}",
        f"{{name: first, when: {{at: 3}}, {mail('first')}}}",
        f"{{when: {{after: [third, {{event: first, seconds: 30}}]}}, {mail('much later')}}}",
    )
    h.wait(10)
    assert mails(h) == ["first", "between", "second", "third"]
    assert h.screen.timestamp == 10
    h.wait(22.5)
    assert len(mails(h)) == 4
    h.wait(0.5)
    assert mails(h)[-1] == "much later"


def test_a_time_of_day_is_the_next_one_and_a_day_is_that_day(ruled):
    h = ruled(
        f"{{when: {{at: 08:31}}, {mail('minute')}}}",
        f"{{when: {{at: 2026-03-02 08:40}}, {mail('day')}}}",
        f"{{when: {{at: 08:00}}, {mail('tomorrow')}}}",
    )
    h.wait(59)
    assert mails(h) == []
    h.wait(1)
    assert mails(h) == ["minute"]
    h.wait(540)
    assert mails(h) == ["minute", "day"]
    assert h.desktop.world()["now"] == "2026-03-02 08:40"


def test_a_rule_comes_again_every_so_often_as_many_times_as_it_says(ruled):
    h = ruled(f"{{when: {{at: 5, every: 10, times: 3}}, {mail('again')}}}", f"{{when: {{every: 60}}, {mail('minutely')}}}")
    h.wait(14)
    assert mails(h) == ["again"]
    h.wait(300)
    assert mails(h).count("again") == 3
    assert mails(h).count("minutely") == 5


def test_a_condition_fires_when_it_comes_true_and_again_only_after_it_was_false(ruled):
    h = ruled(
        f"{{when: {{if: 'world.apps.notes.notes.size() == 0', once: false}}, {mail('empty')}}}",
        f"{{when: {{if: 'world.apps.reimbursement.claims.size() > 0'}}, {mail('claimed')}}}",
        f"{{when: {{at: 1, if: 'world.apps.notes.notes.size() == 0'}}, {mail('it did not hold at that moment')}}}",
        f'{{when: {{if: \'world.apps.notes.notes["77"].title == "x"\'}}, {mail("of what is not there")}}}',
    )
    h.launch("notes")
    for _ in range(2):
        assert mails(h).count("empty") == _
        h.click("Plan", "Delete", "Delete note")
        assert mails(h).count("empty") == _ + 1
        h.wait(1)
        h.click("New note")
        h.fill("Title", "Plan")
        h.click("Save", "Back")
    assert set(mails(h)) == {"empty"}


def test_chance_is_drawn_from_the_seed_of_the_world(ruled):
    def came(seed: int) -> tuple[str, ...]:
        h = ruled(f"{{when: {{every: 1, chance: 0.3}}, {mail('maybe')}}}", seed=seed)
        h.wait(100)
        return tuple(mails(h))

    counts = [len(came(seed)) for seed in range(5)]
    assert counts == [len(came(seed)) for seed in range(5)]
    assert len(set(counts)) > 1
    assert all(10 < count < 55 for count in counts)


def test_what_the_day_is_goes_on_at_midnight(hand):
    h = hand('starts: "2026-03-02 23:55"\napps: {mail: {messages: []}}\n')
    h.wait(299)
    assert h.app("mail")["today"] == "2026-03-02"
    h.wait(1)
    assert h.app("mail")["today"] == "2026-03-03"
