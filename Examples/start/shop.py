"""A small shop: a route, a component and an event on one bus."""

import crosstie

# [route]
bus = crosstie.Bus("shop")


@bus.route("app://items/:id<int>")
def show_item(id: int, currency: str = "EUR") -> dict[str, object]:
    return {"id": id, "price": f"{id * 10} {currency}"}


print(bus.open("app://items/7?currency=CHF").value)
# [end]


# [component]
@bus.component("stock")
class Stock:
    def __init__(self) -> None:
        self.wheels = 3

    @crosstie.action
    def take(self, count: int) -> int:
        self.wheels -= count
        return self.wheels

    # [end]
    # [event]
    @crosstie.event("closing")
    def close(self) -> None:
        print("the stock is counted:", self.wheels)
    # [end]


# [call]
print("left:", bus.call("stock", "take", count=2))
# [end]
# [broadcast]
print("received by", bus.broadcast("closing").count)
# [end]
bus.close()
