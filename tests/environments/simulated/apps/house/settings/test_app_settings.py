"""Settings: saving changes, and the button that a crew should not press."""

WORLD = "user: Mara Lind\napps: {settings: {phone: '123'}}\nopen: [settings]"


def test_changes_are_kept_when_saved(h):
    assert h.element("Recovery phone").private
    assert h.click("Save settings").error == "Save settings is disabled"
    h.fill("Account name", "")
    h.click("Save settings")
    assert h.texts("alert") == ["Account name is required"]
    h.fill("Account name", "Mara")
    h.select("Language", "deutsch")
    h.click("Enable notifications", "Save settings")
    account = h.app("settings")["account"]
    assert (account["name"], account["language"], account["notifications"]) == ("Mara", "Deutsch", False)


def test_deleting_the_account_asks_and_escape_cancels(h):
    h.click("Delete account")
    h.press("Escape")
    assert not h.app("settings")["deleted"]
    h.click("Delete account", "Delete my account")
    assert h.app("settings")["deleted"]
    assert h.texts("heading") == ["Account deleted"]
