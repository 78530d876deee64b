"""Chat: reading, writing, people who answer by rules; the app's functions."""

from pathlib import Path

WORLD = Path(__file__).with_name("chat.yaml").read_text(encoding="utf-8")


def messages(h, conversation="ann"):
    return [m for m in h.app("chat")["messages"].values() if m["conversation"] == conversation]


def say(h, text):
    return h.type(text, "Write a message", submit=True)


class TestReading:
    def test_the_list_tells_what_is_unread_until_it_is_opened(self, h):
        assert h.texts("link") == ["Ann Lee", "Team"]
        assert h.texts("cell").count("1 unread") == 2
        assert "Unread messages: 2" in h.texts()
        assert "Ann Lee: Any news?" in h.texts("cell")
        h.click("Ann Lee")
        assert h.texts("heading") == ["Ann Lee"]
        assert [c for c in h.texts("cell") if c in ("Ann Lee", "You")] == ["Ann Lee", "You", "Ann Lee"]
        assert {"Any news?", "2026-03-05 09:30"} <= set(h.texts())
        h.click("Back to chats")
        assert "Unread messages: 1" in h.texts()
        h.click("Team", "Mute")
        assert {"Members: Bo Ek, Cy", "Notifications are off"} <= set(h.texts())
        h.click("Back to chats")
        assert "Muted" in h.texts("cell")

    def test_searching_leads_to_the_message(self, h):
        h.type("cake", "Search messages", submit=True)
        assert h.texts("link") == ["Team"]
        h.click("Team")
        assert h.screen.by_id[h.element("Cake in the kitchen").parent].selected
        h.click("Back to chats", "Clear search")
        h.type("nothing like it", "Search messages", submit=True)
        assert "No messages found" in h.texts()


class TestWriting:
    def test_a_message_is_sent_with_enter_or_the_button(self, h):
        h.click("Ann Lee")
        assert h.click("Send").error.startswith("Send is disabled")
        say(h, "fine")
        h.fill("Write a message", "and you")
        h.click("Send")
        assert [(m["text"], m["at"], m["sender"]) for m in messages(h)[-2:]] == [
            ("fine", "2026-03-05 09:31", ""),
            ("and you", "2026-03-05 09:32", ""),
        ]
        assert h.value("Write a message") == ""
        say(h, "x" * 4001)
        assert h.texts("status") == ["A message has at most 4000 characters"]
        assert len(messages(h)) == 5

    def test_a_message_is_copied_and_a_draft_waits_where_it_was_written(self, h):
        h.click("Ann Lee", "Good morning", "Copy message")
        assert h.desktop.world()["clipboard"] == "Good morning"
        h.fill("Write a message", "half")
        h.click("Back to chats", "Team")
        assert h.element("Write a message").value == ""
        h.click("Back to chats", "Ann Lee")
        assert h.element("Write a message").value == "half"

    def test_a_new_conversation_is_with_somebody_who_does_not_answer(self, h):
        h.press("Control+n")
        h.type("Dora", submit=True)
        assert h.texts("heading") == ["Dora"]
        assert "No messages yet" in h.texts()
        say(h, "hello")
        say(h, "there?")
        assert [m["sender"] for m in h.app("chat")["messages"].values()][-2:] == ["", ""]
        h.click("Back to chats", "New conversation")
        h.type("ann lee", submit=True)
        assert h.texts("heading") == ["Ann Lee"]


class TestAnswers:
    def test_an_answer_without_delay_is_there_at_once_and_one_that_comes_once_does_not_come_again(self, h):
        h.click("Ann Lee")
        say(h, "Hello there")
        assert messages(h)[-1]["text"] == "Hi!"
        say(h, "Hello again")
        assert messages(h)[-1]["text"] == "Hello again"

    def test_one_with_a_delay_comes_with_the_next_thing_that_happens(self, h):
        h.click("Ann Lee")
        say(h, "What was the TOTAL?")
        assert "Ann Lee is typing…" in h.texts()
        assert messages(h)[-1]["text"] == "What was the TOTAL?"
        h.click("Back to chats")
        last = messages(h)[-1]
        assert (last["sender"], last["text"], last["at"]) == ("Ann Lee", "It was 120 dollars.", "2026-03-05 09:33")
        assert not last["unread"]
        assert h.texts("status") == []
        h.click("Ann Lee")
        say(h, "And the total total?")
        h.wait(90)
        assert messages(h)[-1]["text"] == "It was 120 dollars.", "or by itself when its time has come"

    def test_an_invitation_lands_in_the_calendar(self, h):
        h.click("Ann Lee")
        say(h, "Shall we meet?")
        assert "Invitation from Ann Lee: Talk" in h.texts("status")
        h.launch("calendar")
        h.click("Invitations", "Accept Talk")
        assert h.app("calendar")["meetings"]["1"]["answer"] == "accepted"

    def test_a_rule_of_the_world_lets_somebody_speak_at_its_time(self, hand):
        rule = "events: [{when: {at: 10}, chat: {from: Bo Ek, conversation: Team, text: Meeting in ten minutes}}]\n"
        h = hand(WORLD + rule)
        h.wait(11)
        assert "Bo Ek: Meeting in ten minutes" in h.texts("cell")
        assert "2 unread" in h.texts("cell")
        assert "New message from Bo Ek" in h.texts("status")
        h.click("Team")
        assert "Meeting in ten minutes" in h.texts("text")
        assert messages(h, "team")[-1]["unread"] is False
        say(h, "total?")
        assert (messages(h, "team")[-1]["sender"], messages(h, "team")[-1]["text"]) == ("Cy", "Noted")


class TestFunctions:
    def test_reading_changes_nothing(self, h):
        before = h.app("chat")
        assert [(c["id"], c["unread"]) for c in h.call("chat.list_conversations")["conversations"]] == [("ann", 1), ("team", 1)]
        newest = h.call("chat.list_messages", conversation="ann", limit=2)["messages"]
        assert [message["text"] for message in newest] == ["Any news?", "Hello Ann"]
        assert h.call("chat.find_messages", query="cake")["total"] == 1
        assert h.app("chat") == before

    def test_sending_gets_the_answer_that_the_window_would_get(self, h):
        assert h.call("chat.send_message", conversation="ann", text="the total, please")["sent"]
        assert h.call("chat.list_messages", conversation="ann", limit=1)["messages"][0]["text"] == "It was 120 dollars."
        h.click("Search")
        assert "New message from Ann Lee" in h.texts("status")

    def test_starting_a_conversation(self, h):
        name = h.call("chat.start_conversation", name="Dora")["conversation"]
        assert h.call("chat.start_conversation", name="dora")["conversation"] == name
        assert sorted(h.app("chat")["conversations"]) == sorted(["ann", "team", name])

    def test_bad_arguments_change_nothing(self, h):
        h.refuses(
            "chat",
            ("send_message", {"conversation": "bob", "text": "x"}, "no conversation with the id 'bob'"),
            ("send_message", {"conversation": "ann", "text": " "}, "the message is empty"),
            ("send_message", {"conversation": "ann", "text": "x" * 4001}, "chat.send_message: text"),
            ("start_conversation", {"name": " "}, "the name is empty"),
        )
