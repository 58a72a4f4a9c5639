"""The Python plug-in of the shop: the component "prices"."""

import crosstie

bus = crosstie.Bus.shared("shop")


@bus.component("prices")
class Prices:
    def __init__(self):
        self.price = 3

    @crosstie.action
    def bill(self, count: int):
        """A bill in words, which the Swift component writes."""
        return bus.call("orders", "describe", count=count, total=count * self.price)

    @crosstie.action
    def filled(self, count: int):
        """There is more in stock, as the C core tells: things get cheaper."""
        if bus.call("stock", "level") > 20:
            self.price = 2

    @crosstie.event("will-terminate")
    def leave(self):
        print("prices: an apple was", self.price, "at last", flush=True)
