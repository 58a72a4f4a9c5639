"""The interpreter ends while listeners of every kind have work to do: what was done is acknowledged, the rest stays."""

import asyncio
import sys

import crosstie

wormhole = crosstie.Wormhole("test", directory=sys.argv[1])
bus = crosstie.Bus()
loop = asyncio.new_event_loop()
done = open(sys.argv[2], "a", buffering=1)  # noqa: SIM115 (closed by the end)


async def begin() -> None:
    async def hear(message: crosstie.Message) -> None:
        await asyncio.sleep(3600)

    wormhole.aio.add_listener("job", hear)
    await anext(wormhole.aio.queue("job"))


wormhole.add_queue("job", lambda message: done.write(f"{message.value}\n"), durable="worker")
wormhole.add_queue("job.*", lambda message: None, bus=bus)
wormhole.add_listener("job", lambda message: None)
task = loop.create_task(begin())
wormhole.send_many([("job", i) for i in range(2000)])
loop.run_until_complete(task)
wormhole.send_many([("job", i) for i in range(2000, 4000)])
