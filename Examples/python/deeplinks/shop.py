"""The shop: its pages, its cart, and the bus by which links reach them.

The links, and the origins that may open them, are in the rule table beside the examples.
"""

import pathlib

import crosstie

RULES = pathlib.Path(__file__).parent.parent.parent / "deeplinks.json"

bus = crosstie.Bus("shop")
bus.rules.load(RULES)
cart: dict[str, int] = {}


@bus.rules.navigator
def show_page(request: crosstie.Request) -> str:
    """A rule without a handler of its own names the page to show."""
    rule = request.rule or {}
    return f"{rule['openType']} {rule['target']} {crosstie.to_json(dict(request.params))}"


@bus.rule("cart.add")
def add_to_cart(sku: str, quantity: int) -> str:
    cart[sku] = cart.get(sku, 0) + quantity
    return f"cart {crosstie.to_json(cart)}"


@bus.rule("gift")
def accept_gift(sku: str) -> object:
    """A URL that a handler opens is never more trusted than the handler's own request."""
    return bus.open(bus.rules.url_for("cart.add", sku=sku)).value


@bus.system_opener(schemes=["mailto"])
def browse(request: crosstie.Request) -> str:
    """In place of xdg-open: foreign links leave the shop, if the shop itself opens them."""
    return f"browser {request.url}"
