"""Jobs in a queue that waits for its workers, here in asyncio.

Under the durable consumer "workers" each job is done by one of the processes that share it, also when none was there as it
came.
"""

import asyncio

import crosstie


# [work]
async def work(wormhole: crosstie.Wormhole, count: int) -> None:
    async with wormhole.aio.queue("jobs.*", durable="workers") as jobs:
        async for message in jobs:
            print(message.identifier, message.value)  # acknowledged when the next one is asked for
            count -= 1
            if count == 0:
                break


# [end]


async def main() -> None:
    with crosstie.Wormhole("com.example.jobs") as wormhole:
        worker = asyncio.create_task(work(wormhole, 1))
        await asyncio.sleep(0)  # it listens from here on
        wormhole.send("jobs.mail", "to Ada")
        await worker

        # Nobody is there, and the durable consumer waits.
        wormhole.send_many([("jobs.mail", "to Grace"), ("jobs.print", "the bill")])
        await work(wormhole, 2)


asyncio.run(main())
