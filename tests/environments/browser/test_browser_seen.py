"""What is seen of a page: names, boxes, frames, long tables, and what an element is known by."""

from protocol import ActionTarget, Drag, Fill, GoBack, Scroll, SelectOption, Type, Wait


def test_fields_get_their_names_from_what_stands_beside_them(surf):
    state = surf.open("login.html")
    found = {e.name: (e.role, e.name_source, e.value, e.private) for e in state.elements}
    assert found["Username"] == ("textbox", "nearby", "", False)
    assert found["Password"] == ("textbox", "nearby", "", True)
    assert found["Country"] == ("combobox", "nearby", "Austria", False)
    assert found["Keep me logged in"] == ("checkbox", "nearby", "false", False)
    assert next(e for e in state.elements if e.name == "Country").options == ("Austria", "Belgium", "Nowhere")
    assert not surf.one("Delete account").enabled


def test_a_page_may_say_what_moves_the_physical_world_and_never_that_nothing_does(surf):
    found = {e.name: e.actuator for e in surf.open("house.html").elements if e.name}
    assert found["Unlock the door"]
    assert found["Oven"]
    assert not found["Help"]


def test_the_chain_of_names(surf):
    state = surf.open("names.html")
    sources = {(e.name, e.name_source) for e in state.elements}
    assert sources >= {
        ("By label", "label"), ("By aria", "title"), ("By placeholder", "placeholder"), ("By two words", "label"),
        ("By svg", "title"), ("Amount", "nearby"), ("Own text", "content"), ("Empty or not", "content"),
    }  # fmt: skip
    roles = {(e.role, e.name, e.value) for e in state.elements}
    assert roles >= {("checkbox", "Terms", "false"), ("switch", "Wifi", "true"), ("status", "Saved", None)}
    assert roles >= {("cell", "Pen", None), ("link", "Buy", None), ("columnheader", "Price", None)}
    assert roles >= {("button", "Red", None), ("button", "Green", None)}
    assert {("tab", "First tab", None), ("textbox", "lonely code", "")} <= roles
    assert not [e for e in state.elements if e.role == "link" and e.name == "First tab"]
    assert [e.name for e in state.elements if "Red shoes" in e.name or e.name == "Add"] == ["Red shoes Only 20.00", "Add"]
    assert state.by_id[state.modal].name == "Sign up"
    assert next(e for e in state.elements if e.name == "Card").private
    assert next(e for e in state.elements if e.name == "Colour").options == ("Teal", "Ochre")
    assert surf.one("Terms").visible, "a box that is drawn by its label"
    assert surf.click("Terms").ok
    assert surf.one("Terms").value == "true"
    assert surf.fill("Terms", "false").ok
    assert surf.one("Terms").value == "false"
    assert "'true' or 'false'" in surf.fill("Terms", "maybe").error


def test_an_element_keeps_its_id_for_as_long_as_it_lives(surf):
    before = surf.open("login.html").by_id
    surf.fill("Username", "ann")
    surf.click("Go")
    after = surf.see().by_id
    assert before.keys() <= after.keys()
    assert all(before[i].role == after[i].role for i in before)
    assert surf.open("login.html").by_id.keys().isdisjoint(after)


def test_frames_and_shadows_are_seen_where_they_are_and_can_be_used(surf):
    state = surf.open("frames.html")
    frame = next(e for e in state.elements if e.role == "iframe")
    button = surf.one("In the frame")
    assert (frame.name, button.parent) == ("Inner page", frame.element_id)
    assert frame.bbox.contains(button.bbox.center)
    assert surf.click("In the frame").ok
    assert "frame pressed" in surf.texts()
    assert surf.fill("Frame field", "inside").ok
    assert surf.one("Frame field").value == "inside"
    assert surf.fill("Nickname", "Bo").ok
    assert surf.click("In the shadow").ok
    assert "shadow: Bo" in surf.texts()
    assert surf.one("Slotted").role == "link"
    assert not surf.one("Low in the frame").visible
    assert surf.do(Scroll(target=ActionTarget(text="Low in the frame"))).ok
    assert surf.click("Low in the frame").ok
    assert "low" in surf.texts()


def test_a_long_table_is_bounded_and_says_what_is_left_out(surf):
    state = surf.open("table.html")
    assert len(state.elements) <= 1501
    assert "more elements" in state.elements[-1].name
    (first,) = (e for e in state.elements if e.text == "Customer 1")
    assert first.visible
    assert state.by_id[first.parent].role == "row"
    assert surf.do(Scroll(target=ActionTarget(text="Customer 40"))).ok
    assert surf.one("Customer 40").visible


def test_a_page_without_end_grows_as_it_is_scrolled(surf):
    surf.open("endless.html")
    assert "Post 100" not in surf.texts()
    for _ in range(4):
        surf.do(Scroll.toward("down", 5, "page"))
    assert "Post 100" in surf.texts()
    assert surf.do(Scroll.toward("up", 100, "page")).ok
    assert "already at the top" in surf.do(Scroll.toward("up", 1)).output


def test_a_list_that_keeps_only_what_is_in_view_is_scrolled_by_its_own_pages_without_a_gap(surf):
    surf.open("window.html")
    seen = {name for name in surf.texts() if name.startswith("Part ")}
    for _ in range(16):
        assert surf.do(Scroll.toward("down", 1, "page", ActionTarget(text=min(seen & {*surf.texts()})))).ok
        seen |= {name for name in surf.texts() if name.startswith("Part ")}
    assert seen == {f"Part {at}" for at in range(100)}


def test_what_a_page_draws_itself_is_known_and_worked_and_a_sentence_or_a_cell_names_no_field(surf):
    state = surf.open("drawn.html")
    fields = {e.tag: e.name for e in state.elements if e.role == "textbox"}
    assert fields == {"input#answer": "answer", "input#shade": "shade"}
    assert any(e.role == "text" and e.name.startswith("Say how loud") for e in state.elements)
    assert {"Colour", "Red", "Size", "Large"} <= {e.name for e in state.elements if e.role == "cell"}
    assert [e.expanded for e in state.elements if e.name == "More"] == [False]
    # What ticks beside a control is another text at each look, until it has changed often enough to be known for a clock.
    assert surf.do(Wait(seconds=1.5)).ok
    assert surf.click("More").ok
    assert [e.expanded for e in surf.see().elements if e.name == "More"] == [True]
    # A slider that the page draws is set by its keys, and read by what the page shows.
    handle = ActionTarget.of(next(e for e in surf.see().elements if e.role == "slider"))
    assert surf.do(Fill(target=handle, text="14")).ok
    assert next(e for e in surf.see().elements if e.role == "slider").value == "14"
    assert "14" in surf.texts()
    assert "now stands at 40, not at 100" in surf.do(Fill(target=handle, text="100")).output
    assert "takes a number" in surf.do(Fill(target=handle, text="loud")).error


def test_a_page_that_was_opened_and_says_that_it_is_busy_is_waited_for(surf):
    assert [e.name for e in surf.open("late.html").elements if e.role == "button"] == ["Order"]


def test_what_comes_a_moment_after_a_press_is_seen_though_a_field_was_left_for_it(surf):
    surf.open("widgets.html")
    surf.fill("Nickname", "ann")
    assert surf.click("Save").ok
    assert "Saved ann" in surf.texts()
    assert surf.click("Products").ok
    assert "Lamps" in surf.texts()
    assert "Loading…" not in surf.texts()
    assert surf.do(GoBack()).ok
    assert "Home again" in surf.texts()


def test_components_that_are_put_together_have_the_names_that_are_put_into_them_and_are_worked(surf):
    surf.open("widgets.html")
    assert surf.one("Subscribe").role == "button"
    assert surf.one("Mail").role == "textbox"
    assert surf.one("Print").visible
    for name, said in (("Subscribe", "subscribed"), ("Print", "printed")):
        assert surf.click(name).ok
        assert surf.one(said).role == "status"
    # a list that the page looks up for a text is waited for
    land = ActionTarget(text="Land")
    assert surf.do(Type(text="Au", target=land)).ok
    assert {"Austria", "Australia"} <= set(surf.texts())
    assert surf.one("Land").role == "combobox"
    assert surf.do(SelectOption(target=land, options=("Belgium",))).ok
    assert surf.one("Land", "combobox").value == "Belgium"
    assert "no option 'Belgrad'" in surf.do(SelectOption(target=land, options=("Belgrad",))).error
    assert surf.one("Land", "combobox").value == "Belgium"
    # numbers and rows that the page draws
    assert surf.fill("Copies", "4").ok
    assert surf.one("Copies", "spinbutton").value == "4"
    assert surf.do(Drag(target=ActionTarget(text="Three"), to=ActionTarget(text="One"))).ok
    assert surf.one("Three One Two").role == "status"
