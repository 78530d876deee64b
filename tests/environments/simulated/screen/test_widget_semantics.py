"""What controls do under a pointer and under keys, on the apps that have them."""

from protocol import ActionTarget, Click, Drag, Hover, Point, PressKey, Scroll

SETTINGS = "user: Mara Lind\napps: {settings: {phone: '1'}}\nopen: [settings]"
SHOP = """
apps:
  shop:
    products:
      - {id: lamp, name: Lamp, price: 20, stock: 5}
      - {id: desk, name: Desk, price: 240, stock: 2, minimum: 2}
open: [shop]
"""
MAIL = """
apps:
  mail:
    address: me@x.org
    messages:
      - {id: a, from: ann@x.org, subject: Budget, date: 2026-03-05}
      - {id: b, from: bob@x.org, subject: Lunch, date: 2026-03-04}
      - {id: c, from: annika@y.org, subject: Plan, date: 2026-03-03}
      - {id: d, from: dan@x.org, subject: Trip, date: 2026-03-02}
open: [mail]
"""
FILES = "apps: {files: {files: {/A/x.txt: one, /A/B/y.txt: two, /one.txt: '1', /two.txt: '2', /three.txt: '3'}}}\nopen: [files]"


def track(name: str) -> ActionTarget:
    return ActionTarget(track_id=name)


def by_track(h, name: str):
    return next((e for e in h.screen.elements if e.track_id == name), None)


def click(h, name: str, *modifiers: str, **more):
    return h.do(Click(target=track(name), modifiers=modifiers, **more))


def at(h, name: str, share: float) -> ActionTarget:
    """A place in an element, so far from its left edge."""
    box = by_track(h, name).bbox
    x = round(box.x1 + 12 + (box.x2 - box.x1 - 24) * share)
    return ActionTarget(point=Point(x, box.center.y))


class TestSlider:
    def test_a_click_or_a_drag_sets_it_by_place(self, hand):
        h = hand(SETTINGS)
        h.do(Click(target=at(h, "settings.volume", 1.0)))
        assert h.app("settings")["device"]["volume"] == 100
        h.do(Click(target=at(h, "settings.volume", 0.26)))
        assert h.app("settings")["device"]["volume"] == 25
        h.do(Drag(target=track("settings.volume"), to=at(h, "settings.volume", 0.0)))
        assert h.app("settings")["device"]["volume"] == 0

    def test_keys_change_it_by_its_step(self, hand):
        h = hand(SETTINGS)
        h.press("ArrowUp", on="Brightness")
        assert h.element("Brightness").name_source == "nearby"
        assert h.app("settings")["device"]["brightness"] == 80
        for key, value in (("ArrowLeft", 70), ("End", 100), ("ArrowRight", 100), ("Home", 10), ("PageUp", 100)):
            h.press(key)
            assert (key, h.app("settings")["device"]["brightness"]) == (key, value)

    def test_it_is_filled_only_with_what_it_can_be(self, hand):
        h = hand(SETTINGS)
        assert h.fill("Volume", "35").ok
        assert h.element("Volume").value == "35"
        assert h.fill("Volume", "105").error == '"Volume" takes no such value: 105 is outside of 0 to 100'
        assert h.fill("Volume", "33").error.endswith("33 is not a multiple of the step 5 from 0")
        assert h.fill("Volume", "loud").error.endswith("'loud' is not a number")
        assert h.element("Volume").value == "35"
        assert h.element("Usual sound and screen").role == "generic", "what only looks like text can be pressed"
        h.click("Usual sound and screen")
        assert h.element("Volume").value == "50"


class TestSwitchesAndSpinners:
    def test_a_switch_goes_by_click_space_and_fill(self, hand):
        h = hand(SETTINGS)
        h.click("Mute")
        assert h.app("settings")["device"]["muted"]
        h.press("Space")
        assert not h.app("settings")["device"]["muted"]
        h.fill("Mute", "true")
        assert h.app("settings")["device"]["muted"]
        assert h.fill("Mute", "loud").error == '"Mute" is a switch; fill it with true or false, or click it'

    def test_a_spinner_steps_within_its_limits_and_takes_typing(self, hand):
        h = hand(SHOP)
        h.click("Desk")
        assert (h.element("Quantity").role, h.element("Quantity").value) == ("spinbutton", "2")
        h.press("ArrowDown", on="Quantity")
        assert h.element("Quantity").value == "2"
        h.click("Products", "Lamp")
        for _ in range(7):
            h.press("ArrowUp", on="Quantity")
        assert h.element("Quantity").value == "5"
        h.press("Backspace")
        h.type("3x")
        assert (h.element("Quantity").value, h.element("Quantity").invalid) == ("3x", False)
        h.press("Tab")
        assert h.element("Quantity").invalid, "said when it is left"


class TestMenus:
    def test_a_submenu_is_open_while_the_pointer_rests_on_it(self, hand):
        h = hand(MAIL)
        click(h, "mail.message-a", "Control")
        h.click("More")
        assert by_track(h, "mail.move-archive") is None
        for elsewhere in ("mail.mark-read", "mail.query"):
            h.do(Hover(target=track("mail.move-to")))
            assert by_track(h, "mail.move-to").expanded
            h.do(Hover(target=track(elsewhere)))
            assert by_track(h, "mail.move-archive") is None
            assert h.texts("menuitem")
        h.do(Hover(target=track("mail.move-to")))
        click(h, "mail.move-archive")
        assert h.app("mail")["messages"]["a"]["folder"] == "Archive"
        assert h.texts("menuitem") == []

    def test_escape_and_a_click_elsewhere_close_them(self, hand):
        h = hand(MAIL)
        h.press("Enter", on="More")
        assert by_track(h, "mail.select-all")
        h.press("Escape")
        assert (by_track(h, "mail.select-all"), by_track(h, "mail.more").focused) == (None, True)
        h.click("More", "Mail: Inbox")
        assert by_track(h, "mail.select-all") is None

    def test_a_right_click_or_a_key_opens_the_menu_of_a_row(self, hand):
        h = hand(FILES)
        h.do(PressKey(keys=("ContextMenu",), target=track("files.entry:/one.txt")))
        click(h, "files.menu.copy")
        h.select("Destination folder", "/A")
        h.click("Copy")
        assert {"/one.txt", "/A/one.txt"} <= set(h.app("files")["entries"])
        click(h, "files.entry:/two.txt.name", button="right")
        assert [e.text for e in h.screen.elements if e.role == "menuitem"] == ["Open", "Rename…", "Move…", "Copy…", "Delete…"]
        click(h, "files.menu.rename")
        h.type("zwei.txt", submit=True)
        assert "/zwei.txt" in h.app("files")["entries"]


class TestTree:
    def test_its_triangle_folds_and_its_name_opens(self, hand):
        h = hand(FILES)
        box = by_track(h, "files.folder:/A").bbox
        h.do(Click(target=ActionTarget(point=Point(box.x1 + 25, box.center.y))))
        assert (h.app("files")["folded"], h.app("files")["cwd"]) == (["/A"], "/")
        assert by_track(h, "files.folder:/A/B") is None
        click(h, "files.folder:/A", count=2)
        assert (h.app("files")["folded"], h.app("files")["cwd"]) == ([], "/A")
        assert by_track(h, "files.folder:/A/B")


class TestSeveralRows:
    def test_control_shift_and_everything(self, hand):
        h = hand(FILES)
        names = [e.track_id for e in h.screen.elements if e.role == "row" and "entry:" in e.track_id]
        click(h, names[1])
        click(h, names[3], "Shift")
        assert sorted(h.app("files")["selected"]) == ["/one.txt", "/three.txt", "/two.txt"]
        click(h, names[2], "Control")
        assert len(h.app("files")["selected"]) == 2
        click(h, names[0])
        for key, chosen in (("ArrowDown", 1), ("ArrowUp", 0), ("ArrowUp", 0)):
            h.press(key)
            assert h.app("files")["selected"] == [names[chosen].removeprefix("files.entry:")], "not beyond the first"
        h.press("Control", "a")
        assert len(h.app("files")["selected"]) == 4
        h.press("Delete")
        h.click("Delete 4 entries")
        assert sorted(h.app("files")["entries"]) == ["/"]

    def test_several_are_dragged_together_and_copied(self, hand):
        h = hand(FILES)
        click(h, "files.entry:/one.txt")
        click(h, "files.entry:/two.txt", "Control")
        h.drag("one.txt", "/A/B")
        assert {"/A/B/one.txt", "/A/B/two.txt"} <= set(h.app("files")["entries"])
        click(h, "files.entry:/three.txt")
        h.click("Copy to…")
        h.select("Destination folder", "/")
        h.click("Copy")
        assert "/three (copy).txt" in h.app("files")["entries"]

    def test_several_messages_are_deleted(self, hand):
        h = hand(MAIL)
        click(h, "mail.message-a", "Control")
        click(h, "mail.message-c", "Shift")
        h.click("Delete selected")
        assert [m["folder"] for m in h.app("mail")["messages"].values()] == ["Trash", "Trash", "Trash", "Inbox"]


class TestRowsInView:
    SHEET = "apps: {spreadsheet: {generate: 400}}\nopen: [spreadsheet]"

    def test_only_the_rows_in_view_are_there_and_scrolling_moves_through_them(self, hand):
        h = hand(self.SHEET)
        few = h.texts("rowheader")
        assert len(few) < 40
        h.do(Scroll.toward("down", 2, "page").model_copy(update={"target": track("spreadsheet.grid")}))
        assert int(h.texts("rowheader")[0]) == int(few[0]) + 2 * len(few)
        h.do(Scroll.toward("up", 9, "page").model_copy(update={"target": track("spreadsheet.grid")}))
        assert h.texts("rowheader") == few
        for _ in range(20):
            h.do(Scroll.toward("down", 9, "page").model_copy(update={"target": track("spreadsheet.grid")}))
        assert len(h.texts("rowheader")) == len(few), "at its end nothing moves beyond"
