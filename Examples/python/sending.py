"""Questions and answers over a wormhole, which find each other by headers; and what is for later.

The question names the identifier for its answer, and expires when nobody waits for that any more.
"""

import queue

import crosstie

answers: queue.SimpleQueue[str] = queue.SimpleQueue()

with crosstie.Wormhole("com.example.sending") as wormhole:

    @wormhole.queue("questions", durable="clerks")
    def answer(message: crosstie.Message) -> None:
        back = {"correlation": message.headers["correlation"]}
        wormhole.send(message.headers["reply_to"], message.value.upper(), headers=back)

    @wormhole.queue("answers.me")
    def receive(message: crosstie.Message) -> None:
        answers.put(f"{message.headers['correlation']}: {message.value}")

    # [send]
    wormhole.send("questions", "who is there", headers={"correlation": "7", "reply_to": "answers.me"}, expires=60)
    wormhole.send("questions", "and now", headers={"correlation": "8", "reply_to": "answers.me"}, delay=0.2)
    reminder = wormhole.send("questions", "and in a week", delay=7 * 24 * 3600)

    print(answers.get())
    print(answers.get())
    print([(each.identifier, each.size) for each in wormhole.scheduled()])
    wormhole.cancel_scheduled(reminder.sequence)
    # [end]
    print(wormhole.scheduled())
