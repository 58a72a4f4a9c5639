"""Tests of an application that uses Crosstie. Nothing here opens a window, starts a program or writes a file."""

import sys
import threading
import unittest

import crosstie


# [application]
class Shop:
    """The application. Its bus and its wormhole come from outside."""

    def __init__(self, bus: crosstie.Bus, wormhole: crosstie.Wormhole) -> None:
        self.bus, self.wormhole = bus, wormhole
        bus.routes.add("shop://buy/:item", self.buy, public=True)

    def buy(self, item: str) -> str:
        price = self.bus.call("prices", "price", item=item)
        self.wormhole.send("orders", {"item": item, "price": price})
        self.bus.open("https://pay.example/start")
        return f"{item} for {price}"


# [end]


# [fixture]
class ShopTest(unittest.TestCase):
    def setUp(self) -> None:
        self.bus = crosstie.Bus("test")
        self.wormhole = crosstie.Wormhole("test", memory=True)  # ends with its last wormhole
        self.addCleanup(self.bus.close)
        self.addCleanup(self.wormhole.close)
        self.opened: list[str] = []
        self.seen: list[tuple[str, str]] = []

        @self.bus.system_opener  # in place of the browser
        def open_fake(request: crosstie.Request) -> None:
            self.opened.append(request.url)

        @self.bus.interceptor  # records each request
        def record(request: crosstie.Request) -> None:
            self.seen.append((request.kind, request.url or f"{request.target}.{request.action}"))
            request.proceed()

        @self.bus.component("prices")  # in place of the real one
        class Prices:
            @crosstie.action
            def price(self, item: str) -> int:
                return {"tea": 3}[item]

        self.shop = Shop(self.bus, self.wormhole)
        # [end]

    # [tests]
    def test_buying_sends_an_order_and_opens_the_payment(self) -> None:
        orders: list[object] = []
        arrived = threading.Event()

        @self.wormhole.queue("orders")
        def order(message: crosstie.Message) -> None:
            orders.append(message.value)
            arrived.set()

        self.assertEqual(self.bus.open("shop://buy/tea").value, "tea for 3")
        self.assertTrue(arrived.wait(60))  # a test waits for an event, never for a time
        self.assertEqual(orders, [{"item": "tea", "price": 3}])
        self.assertEqual(self.opened, ["https://pay.example/start"])

    def test_the_requests_of_a_purchase(self) -> None:
        self.bus.open("shop://buy/tea")
        self.assertEqual(
            self.seen,
            [("open", "shop://buy/tea"), ("call", "prices.price"), ("open", "https://pay.example/start")],
        )

    def test_a_link_from_outside_starts_no_browser(self) -> None:
        with self.assertRaises(crosstie.Error):
            self.bus.open("shop://buy/tea", origin="remote")
        self.assertEqual(self.opened, [])

    def test_an_unknown_item_is_no_order(self) -> None:
        with self.assertRaises(KeyError):  # an exception of a handler in Python reaches a caller in Python
            self.bus.open("shop://buy/gold")
        self.assertNotIn("orders", self.wormhole)
        # [end]


if __name__ == "__main__":
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(ShopTest)
    result = unittest.TextTestRunner(stream=sys.stderr).run(suite)
    print(f"{result.testsRun} tests, {len(result.failures) + len(result.errors)} failures")
    sys.exit(not result.wasSuccessful())
