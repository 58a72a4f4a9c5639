"""The interpreter ends while listeners of every kind have work: finished messages are acknowledged, the others remain."""

import asyncio
import sys
import time

import crosstie

wormhole = crosstie.Wormhole("test", directory=sys.argv[1])
bus = crosstie.Bus()
loop = asyncio.new_event_loop()
done = open(sys.argv[2], "a", buffering=1)  # noqa: SIM115 (closed by the end)


async def begin() -> None:
    async def receive(message: crosstie.Message) -> None:
        await asyncio.sleep(3600)

    wormhole.aio.add_listener("job", receive)
    await jobs.__aenter__()


async def take() -> None:
    assert (await anext(jobs)).value == 0


@wormhole.queue("job", durable="worker")
def work(message: crosstie.Message) -> None:
    time.sleep(0.001)
    done.write(f"{message.value}\n")


jobs = wormhole.aio.queue("job")
wormhole.add_queue("job.*", lambda message: None, bus=bus)
wormhole.add_listener("job", lambda message: None)
loop.run_until_complete(begin())
wormhole.send_many([("job", i) for i in range(4000)])
loop.run_until_complete(take())
