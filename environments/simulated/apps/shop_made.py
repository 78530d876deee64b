"""What a world file may say of the shop, and what the seed makes up for the rest."""

from __future__ import annotations

from itertools import count
from typing import Self

from pydantic import Field, model_validator

from environments.simulated.app import Content, Setting
from environments.simulated.apps.shop_state import (
    Address,
    Bought,
    Card,
    Delivery,
    Draft,
    Line,
    Order,
    Product,
    Review,
    ShopState,
    Voucher,
)
from environments.simulated.generate import amount, day_before, highest, how_many, paragraph
from environments.simulated.values import Model, Money

_KINDS = {
    "Clothing": ("T-shirt", "Jacket", "Jeans", "Socks", "Cap"),
    "Home": ("Lamp", "Chair", "Blanket", "Mug", "Shelf"),
    "Electronics": ("Headphones", "Keyboard", "Monitor", "Charger", "Camera"),
    "Office": ("Notebook", "Pen set", "Stapler", "Desk mat", "Folder"),
    "Sports": ("Yoga mat", "Water bottle", "Backpack", "Dumbbell", "Tent"),
}
_STYLES = ("Classic", "Nova", "Urban", "Alpine", "Comfort", "Light", "Pro", "Basic", "Nordic", "Eco", "Studio", "Prime")
_COLOURS = ("Black", "White", "Red", "Blue", "Green", "Grey")
_SIZES = ("S", "M", "L", "XL")
_WORDS = {5: "Just what I needed.", 4: "Good value.", 3: "It is all right.", 2: "Not what I expected.", 1: "It broke soon."}
_WAYS = (
    Delivery(name="Standard", price="4.99", takes="3 to 5 days"),
    Delivery(name="Express", price="12.99", takes="next day"),
    Delivery(name="Pick up", price="0.00", takes="today"),
)
_COUNTRIES = ("Austria", "France", "Germany", "Sweden", "Switzerland", "United Kingdom", "United States")


class InCart(Model):
    """Something that lies in the cart at first."""

    product: str
    quantity: int = Field(default=1, ge=1)
    options: dict[str, str] = Field(default_factory=dict)


class ShopContent(Content):
    """`generate` adds products from the seed to those that are given; `card` is one that the shop keeps for the buyer.

    `cart` speaks of products that are given.
    """

    products: tuple[Product, ...] | None = None
    generate: int | None = Field(default=None, ge=0, le=20_000)
    vouchers: tuple[Voucher, ...] = ()
    orders: tuple[Order, ...] | None = None
    cart: tuple[InCart, ...] = ()
    address: Address = Address()
    card: Card = Card()
    deliveries: tuple[Delivery, ...] = Field(default=_WAYS, min_length=1)
    countries: tuple[str, ...] = Field(default=_COUNTRIES, min_length=1)
    free_delivery_from: Money | None = None
    currency: str = "$"

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        for noun, names in (
            ("products", [product.id for product in self.products or ()]),
            ("orders", [order.number for order in self.orders or ()]),
            ("vouchers", [voucher.code.upper() for voucher in self.vouchers]),
            ("deliveries", [way.name for way in self.deliveries]),
        ):
            if twice := next((name for name in names if names.count(name) > 1), None):
                raise ValueError(f"{noun}: {twice!r} is given twice")
        if self.address.country and self.address.country not in self.countries:
            raise ValueError(f"address.country: {self.address.country!r} is not one of {', '.join(self.countries)}")
        products = {product.id: product for product in self.products or ()}
        for part in self.cart:
            if said := _cart_problem(part, products.get(part.product)):
                raise ValueError(f"cart: {said}")
        return self


def _cart_problem(part: InCart, product: Product | None) -> str:
    """Why this cannot lie in a cart; empty when it can."""
    if product is None:
        return f"{part.product!r} is not one of the products given here"
    if not product.minimum <= part.quantity <= product.stock:
        return f"{part.quantity} of {part.product} cannot be ordered; between {product.minimum} and {product.stock} can"
    if set(part.options) != set(product.options) or any(part.options[name] not in product.options[name] for name in part.options):
        return f"{part.product} needs one choice for each of its options, which are: {', '.join(product.options) or 'none'}"
    return ""


def started(content: ShopContent, setting: Setting) -> ShopState:
    """The shop as the world file and the seed have it; nobody has been in it yet."""
    given = content.products or ()
    taken = {product.id for product in given}
    made = _products(how_many(content.products, content.generate, 40, setting.cast.times), taken, setting)
    products = {product.id: product for product in (*given, *made)}
    orders = content.orders if content.orders is not None else _orders(made, content.deliveries[0], setting)
    lines = {
        str(n): Line(id=str(n), price=products[part.product].price, **part.model_dump())
        for n, part in enumerate(content.cart, start=1)
    }
    address = content.address
    if not address.name:
        address = address.model_copy(update={"name": setting.cast.user})
    return ShopState(
        products=products,
        vouchers={voucher.code.upper(): voucher for voucher in content.vouchers},
        deliveries=content.deliveries,
        countries=content.countries,
        orders={order.number: order for order in orders},
        lines=lines,
        counter=len(lines),
        draft=Draft(**address.model_dump(), **content.card.model_dump(), delivery=content.deliveries[0].name),
        card=content.card,
        currency=content.currency,
        free_from=content.free_delivery_from or "",
        today=setting.cast.today.isoformat(),
    )


def _products(many: int, taken: set[str], setting: Setting) -> tuple[Product, ...]:
    free = (name for name in (f"P{number}" for number in count(1)) if name not in taken)
    return tuple(_product(next(free), setting) for _ in range(many))


def _product(name: str, setting: Setting) -> Product:
    rng = setting.rng
    category = rng.choice(tuple(_KINDS))
    options: dict[str, tuple[str, ...]] = {}
    if category == "Clothing":
        options["Size"] = _SIZES
    if rng.random() < 0.4:
        options["Colour"] = tuple(rng.sample(_COLOURS, 3))
    return Product(
        id=name,
        name=f"{rng.choice(_STYLES)} {rng.choice(_KINDS[category])} {rng.randrange(100, 1000)}",
        price=amount(rng, 3, 250),
        category=category,
        stock=rng.choice((0, 3, 12, 40, 120)),
        minimum=rng.choice((1, 1, 1, 1, 1, 1, 1, 2, 5)),
        description=paragraph(rng, 1),
        options=options,
        reviews=tuple(_review(setting) for _ in range(rng.randrange(4))),
    )


def _review(setting: Setting) -> Review:
    stars = setting.rng.choice((1, 2, 3, 4, 4, 5, 5))
    author = setting.rng.choice(setting.cast.people)
    return Review(author=author, stars=stars, text=_WORDS[stars], date=day_before(setting.rng, setting.cast.today))


def _orders(products: tuple[Product, ...], way: Delivery, setting: Setting) -> tuple[Order, ...]:
    """A few earlier orders, the oldest first."""
    rng = setting.rng
    if not products:
        return ()
    days = sorted(day_before(rng, setting.cast.today) for _ in range(4))
    orders: list[Order] = []
    for day, status in zip(days, ("Delivered", "Delivered", "Shipped", "Processing"), strict=True):
        some = rng.sample(products, min(len(products), rng.randrange(1, 4)))
        lines = tuple(Bought(name=p.name, product=p.id, quantity=rng.randrange(1, 4), price=p.price) for p in some)
        number = str(max(1000, highest(order.number for order in orders)) + 1)
        orders.append(
            Order.model_validate(
                {"number": number, "date": day, "status": status, "lines": lines, "shipping": way.price, "delivery": way.name,
                 "payment": "Invoice"}
            )
        )  # fmt: skip
    return tuple(orders)
