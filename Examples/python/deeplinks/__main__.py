"""Follows links, first as if they came from outside, then as the shop itself."""

from typing import Literal

import crosstie
from shop import bus

LINKS = [
    bus.rules.url_for("product", sku="tea-42", quantity=2),
    bus.rules.url_for("product", sku="tea-42", web=True),
    bus.rules.url_for("SearchPage", by_target=True, words="green tea"),
    "shop://open/search?page=2",
    "shop://open/product/tea-42?quantity=lots",
    "shop-int://open/product/tea-42",
    "shop://open/orders/7",
    "shop://open/gift/tea-42",
    "shop://open/nothing",
    "https://m.shop.example/imprint",
    "ftp://files.example/x",
]


def follow(link: str, origin: Literal["local", "remote"]) -> None:
    try:
        answer = bus.open(link, origin=origin).value
    except crosstie.Error as error:
        answer = f"refused: {crosstie.Status(error.status).name}"
    print(f"{link}\n    {answer}")


print("From outside:")
for link in LINKS:
    follow(link, "remote")
print("From inside:")
for link in LINKS:
    follow(link, "local")
