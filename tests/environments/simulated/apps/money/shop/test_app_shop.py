"""Shop: finding, filling the cart, the checkout, orders; the app's functions and their refusals."""

import json
from pathlib import Path

import pytest

from protocol import ActionTarget, Click

WORLD = Path(__file__).with_name("shop.yaml").read_text(encoding="utf-8")
CARD = "4111 1111 1111 1111"


def buy(h, name, quantity=None):
    h.click("Products")
    h.click(name)
    if quantity is not None:
        h.fill("Quantity", quantity)
    assert h.click("Add to cart").ok


def to_review(h, payment="Invoice"):
    h.click("Cart")
    assert h.click("Proceed to checkout").ok
    h.click("Continue", "Continue")
    h.select("Payment method", payment)
    if payment == "Card":
        h.fills({"Card number": CARD, "Expiry date": "09/28", "Security code": "123"})
    assert h.click("Continue").ok


class TestLooking:
    def test_searching_filtering_and_sorting(self, h):
        assert h.texts("link")[3:] == ["Lamp", "T-shirt", "Tent", "Pens", "Mug"]
        h.select("Sort by", "Price: low to high")
        assert h.texts("link")[3:] == ["Pens", "Mug", "T-shirt", "Lamp", "Tent"]
        h.select("Sort by", "Rating")
        assert h.texts("link")[3:5] == ["Lamp", "T-shirt"]
        h.select("Sort by", "name")
        h.select("Filter by category", "home")
        assert h.texts("link")[3:] == ["Lamp", "Mug"]
        h.type("warm", "Search products", submit=True)
        assert h.texts("link")[3:] == ["Lamp"]

    def test_a_page_of_a_product(self, h):
        h.click("T-shirt")
        assert [h.value_of(label) for label in ("Price", "Rating", "Availability")] == ["$10.00", "3.5 of 5", "In stock"]
        h.click("Add to cart")
        assert h.texts("alert") == ["Choose a size", "Choose a colour"]
        h.select("Size", "m")
        h.select("Colour", "Red")
        h.fill("Quantity", "two")
        h.click("Add to cart")
        assert h.texts("alert") == ["Quantity must be a whole number like 2"]
        h.fill("Quantity", "2")
        h.press("Enter")
        h.click("Cart")
        assert "T-shirt (M, Red)" in h.texts("link")
        assert h.value_of("Subtotal") == "$20.00"

    def test_least_and_most(self, h):
        h.click("Tent")
        assert h.value_of("Availability") == "Out of stock"
        assert h.click("Add to cart").error == "Add to cart is disabled"
        h.click("Products", "Pens")
        assert h.value_of("Minimum quantity") == h.element("Quantity").value == "10"
        h.fill("Quantity", "9")
        h.click("Add to cart")
        assert h.texts("alert") == ["The minimum quantity of Pens is 10"]
        buy(h, "Lamp", "2")
        h.fill("Quantity", "2")
        h.click("Add to cart")
        assert h.texts("alert") == ["Only 3 of Lamp in stock, and 2 in your cart"]


class TestCart:
    def test_quantities_are_checked_when_the_field_is_left(self, h):
        buy(h, "Lamp")
        h.click("Cart")
        h.fill("Quantity of Lamp", "4")
        assert h.texts("alert") == []
        h.press("Tab")
        assert h.texts("alert") == ["Only 3 of Lamp in stock"]
        assert h.value_of("Total") == "$24.99"
        h.click("Proceed to checkout")
        assert h.texts("heading") == ["Your cart"]
        h.fill("Quantity of Lamp", "3")
        h.press("Enter")
        assert h.value_of("Total") == "$64.99"
        assert "3 items in cart" in h.texts()
        h.click("Remove Lamp")
        assert {"Lamp removed", "Your cart is empty"} <= set(h.texts())


class TestCheckout:
    def test_the_address_is_checked_on_leaving_a_field(self, h):
        buy(h, "Lamp")
        h.click("Cart", "Proceed to checkout")
        h.fills({"Postcode": "!", "Full name": ""})
        h.click("City")
        assert h.texts("alert") == ["Full name is required", "Postcode must be 3 to 10 letters or digits"]
        h.click("Continue")
        assert h.texts("heading") == ["Delivery address"]
        h.fills({"Postcode": "8001", "Full name": "Bo"})
        h.press("Enter")
        assert h.texts("heading") == ["Delivery"]
        h.select("Delivery method", "Express")
        assert h.value_of("Total") == "$32.99"
        h.click("Back")
        assert h.element("Full name").value == "Bo"
        h.click("Back")
        assert h.texts("heading") == ["Your cart"]

    @pytest.mark.parametrize(
        ("label", "value", "said"),
        [("Card number", "4111 1111 1111 1112", "Card number is not valid"), ("Card number", "", "Card number is required"),
         ("Expiry date", "2/28", "Expiry date must be written like 09/28"), ("Expiry date", "02/26", "The card has expired"),
         ("Security code", "12", "Security code must be 3 or 4 digits")],
    )  # fmt: skip
    def test_a_card_is_checked_and_private(self, h, label, value, said):
        buy(h, "Lamp")
        h.click("Cart")
        for step in ("Proceed to checkout", "Continue", "Continue"):
            h.click(step)
        assert h.element("Card number").private
        assert h.element("Security code").private
        for name, right in (("Card number", CARD), ("Expiry date", "03 / 26"), ("Security code", "123")):
            h.fill(name, value if name == label else right)
        h.click("Continue")
        assert h.texts("alert") == [said]

    def test_an_order_from_cart_to_history(self, h):
        buy(h, "Lamp", "2")
        to_review(h, "Card")
        assert h.value_of("Deliver to") == "Ann Lee, 1 Oak Road, Bern, 3000, Switzerland"
        assert h.value_of("Pay with") == "Card ending in 1111"
        h.click("Place order")
        assert "You will pay $44.99." in h.texts()
        h.press("Escape")
        assert len(h.app("shop")["orders"]) == 2
        h.click("Place order")
        assert not h.press("Enter").ok
        h.click("Place order")
        assert h.texts("heading") == ["Thank you for your order", "Order 1003"]
        shop = h.app("shop")
        assert (shop["lines"], shop["products"]["lamp"]["stock"], shop["draft"]["card"]) == ({}, 1, "")
        assert "4111" not in json.dumps(shop)
        assert [m["subject"] for m in h.app("mail")["messages"].values()] == ["Order received"]
        h.click("My orders")
        assert h.texts("link")[3:] == ["1003", "1002", "1001"]


@pytest.mark.parametrize(
    ("field", "value", "said"), [("price", 25, "The total is now $29.99; it was $24.99"), ("stock", 0, "Lamp is out of stock")]
)
def test_what_changes_under_the_question_stops_the_order(hand, field, value, said):
    rule = f"{{when: {{clicked: Place order, app: shop}}, edit: {{app: shop, path: products.lamp.{field}, value: {value}}}}}"
    h = hand(f"{WORLD.rstrip()}\n  - {rule}\n")
    buy(h, "Lamp")
    to_review(h)
    h.click("Place order", "Place order")
    assert said in h.texts("alert")
    assert len(h.app("shop")["orders"]) == 2
    if field == "price":
        h.click("Place order", "Place order")
        assert h.app("shop")["orders"]["1003"]["lines"][0]["price"] == "25.00"


class TestOrders:
    def test_details_and_cancelling(self, h):
        h.click("My orders", "1002")
        assert [h.value_of(label) for label in ("Status", "Subtotal", "Total")] == ["Processing", "$40.00", "$44.99"]
        h.click("Cancel order", "Go back")
        assert h.app("shop")["orders"]["1002"]["status"] == "Processing"
        h.click("Cancel order")
        assert h.do(Click(target=ActionTarget(text="Cancel order", role="button"))).ok
        assert h.app("shop")["orders"]["1002"]["status"] == "Cancelled"
        assert h.app("shop")["products"]["lamp"]["stock"] == 5
        assert "Cancel order" not in h.texts("button")
        h.click("Back to orders", "1001")
        assert "Cancel order" not in h.texts("button")


class TestFunctions:
    def test_looking(self, h):
        found = h.call("shop.search_products", category="home", sort="Price: low to high")["items"]
        assert [product["id"] for product in found] == ["mug", "lamp"]
        assert h.call("shop.search_products", in_stock=True)["count"] == 4
        assert h.call("shop.get_product", id="shirt")["options"] == {"Size": ["S", "M"], "Colour": ["Red", "Blue"]}
        assert [o["total"] for o in h.call("shop.orders")["items"]] == ["44.99", "18.00"]

    def test_buying_is_the_same_as_in_the_window(self, hand):
        one, other = hand(WORLD), hand(WORLD)
        buy(one, "Lamp", "2")
        to_review(one)
        one.click("Place order", "Place order")
        assert other.call("shop.add_to_cart", id="lamp", quantity=2)["total"] == "44.99"
        assert other.call("shop.place_order", total=44.99, payment="invoice")["number"] == "1003"
        for part in ("orders", "products", "lines"):
            assert one.app("shop")[part] == other.app("shop")[part]
        assert len(other.app("mail")["messages"]) == 1
        assert other.app("shop")["page"] == "products"

    def test_removing_and_agreeing_to_the_total(self, hand):
        h = hand(WORLD.replace("    orders:", "    cart: [{product: mug, quantity: 2}]\n    orders:"))
        line = h.call("shop.add_to_cart", id="shirt", options={"size": "S"})
        assert "no option 'size'; did you mean Size" in line
        line = h.call("shop.add_to_cart", id="shirt", options={"Size": "s", "Colour": "red"})["line"]
        assert [one["product"] for one in h.call("shop.remove_from_cart", line=line)["lines"]] == ["mug"]
        said = h.call("shop.place_order", total="16.99", payment="Invoice")
        assert said == "the total is $14.99, not $16.99; nothing was ordered"
        assert h.call("shop.place_order", total="14.99", payment="Invoice")["total"] == "14.99"
        assert h.call("shop.cart")["lines"] == []
        assert h.call("shop.place_order", total="14.99", payment="Invoice") == "Your cart is empty"

    def test_an_order_by_function_under_the_question_of_the_window_is_made_once(self, h):
        buy(h, "Lamp")
        to_review(h)
        h.click("Place order")
        h.call("shop.place_order", total="24.99")
        assert h.click("Place order").ok
        assert len(h.app("shop")["orders"]) == 3

    def test_bad_arguments_change_nothing(self, h):
        h.call("shop.add_to_cart", id="lamp")
        h.refuses(
            "shop",
            ("get_product", {"id": "lam"}, "did you mean lamp?"),
            ("add_to_cart", {"id": "sold"}, "Tent is out of stock"),
            ("add_to_cart", {"id": "shirt"}, "Choose a size"),
            ("add_to_cart", {"id": "pens", "quantity": 2}, "The minimum quantity of Pens is 10"),
            ("add_to_cart", {"id": "lamp", "quantity": 4}, "Only 3 of Lamp in stock"),
            ("remove_from_cart", {"line": "7"}, "no line '7'"),
            ("place_order", {"total": "24.99"}, "Card number is required"),
            ("place_order", {"total": "24.99", "payment": "Invoice", "postcode": "!"}, "Postcode must be"),
            ("place_order", {"total": "1", "payment": "Invoice"}, "the total is $24.99"),
            ("place_order", {"total": "24.99", "card": CARD}, "it takes total"),
        )
