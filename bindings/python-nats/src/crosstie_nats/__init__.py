"""The engine of crosstie for groups over a nats-server, with the libraries that it needs.

There is nothing to import: crosstie finds it by its entry point when a program opens an address.

    crosstie.Wormhole("nats://127.0.0.1:4222/shop")
"""

import os

__version__ = "0.1.0"

#: The path of the engine's library.
LIBRARY: str = os.path.join(os.path.dirname(os.path.abspath(__file__)), "libcrosstie-nats.so.0")
