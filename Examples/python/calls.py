"""Components, calls and an event."""

import asyncio

import crosstie

bus = crosstie.Bus("shop")


# [component]
@bus.component("home")
class Home:
    @crosstie.action
    def greet(self, request: crosstie.Request, name: str = "you") -> str:
        return f"hello {name}"

    @crosstie.event("will-terminate")
    def save(self) -> bool:
        return True
# [end]


# [call]
print(bus.call("home", "greet", name="Ada"))
print(bus.with_options(timeout=0.5).call("home", "greet"))
try:
    bus.call("home", "sing")
except crosstie.CallError as error:
    print(error.code, error)
# [end]


# [aio]
async def main() -> None:
    print(await bus.aio.call("home", "greet", name="Grace"))


asyncio.run(main())
# [end]

print(bus.broadcast("will-terminate").count)
bus.close()
