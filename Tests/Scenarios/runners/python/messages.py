"""Steps of wormholes, their listeners, and of other processes."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import crosstie
from data import Step, Unexpected, expect, expect_named, text, value
from things import WATCHDOG, Things


class Inbox:
    """A listener, and the messages it has received that no step has expected yet."""

    def __init__(self, player: Things, wormhole: crosstie.Wormhole, step: Step) -> None:
        self.player = player
        self.wormhole = wormhole
        self.then: Step | None = step.get("then")
        self.name: str = step["as"]
        self.messages: list[crosstie.Message] = []
        self.last: crosstie.Message | None = None  # that a step has expected

    def __call__(self, message: crosstie.Message) -> None:
        with self.player.changed:
            self.messages.append(message)
            self.player.changed.notify_all()
        try:
            if self.then is not None and self.then.get("delivery_count", message.delivery_count) == message.delivery_count:
                self.react(self.then, message)
        except crosstie.Error as error:
            self.player.fail(error)

    def react(self, action: Step, message: crosstie.Message) -> None:
        match action["do"]:
            case "send":
                self.wormhole.send(action["id"], value(action.get("value")))
            case "unlisten":
                self.wormhole.listeners.remove(action["id"], action.get("name"))
            case "block":
                self.player.wait_there(action.get("gate", "gate"))
            case _:
                resolve(action, message)

    def next(self) -> crosstie.Message:
        with self.player.changed:
            if not self.player.changed.wait_for(lambda: self.messages, WATCHDOG):
                raise Unexpected(f"the listener {self.name} received nothing")
            self.last = self.messages.pop(0)
            return self.last


def resolve(action: Step, message: crosstie.Message) -> None:
    """Acknowledges a message or rejects it."""
    if action["do"] == "reject":
        message.reject(action.get("delay_ms", 0) / 1000, text(action.get("reason", "")))
    else:
        message.acknowledge()


class MessageSteps(Things):
    """The part of a player that deals with wormholes and processes."""

    def __init__(self, directory: str, in_memory: bool) -> None:
        super().__init__()
        self.directory = directory
        self.in_memory = in_memory
        self.inboxes: list[Inbox] = []
        self.processes: dict[str, tuple[subprocess.Popen[bytes], bool]] = {}

    def wormhole(self, step: Step) -> crosstie.Wormhole:
        return self.find(crosstie.Wormhole, step.get("wormhole", "wormhole"))

    def end_messages(self) -> None:
        for wormhole in [thing for _, thing in self.things if isinstance(thing, crosstie.Wormhole)]:
            wormhole.close()
        for name in list(self.processes):
            self.step_join({"process": name})
        if self.failure is None:
            for inbox in self.inboxes:
                if inbox.messages:
                    self.fail(Unexpected(f"the listener {inbox.name} got messages that no step expects: {inbox.messages}"))

    def step_wormhole(self, step: Step) -> None:
        group = text(step.get("group", "scenario"))
        wormhole = crosstie.Wormhole(
            group,
            directory=f"{self.directory}/{group}",
            name=text(step.get("name", "player")),
            max_value_size=step.get("max_value_size", 0),
            max_queued=step.get("max_queued", 0),
            retain_count=step.get("retain_count", 0),
            delay=step.get("delay_ms", 0) / 1000,
            expires=step["expires_ms"] / 1000 if "expires_ms" in step else None,
            memory=self.in_memory,
            existing=step.get("existing", False),
        )
        self.add(step.get("as", "wormhole"), wormhole)

    def step_send(self, step: Step) -> None:
        options: dict[str, Any] = {}
        if "headers" in step:
            options["headers"] = {name: text(each) for name, each in step["headers"].items()}
        if "expires_ms" in step:
            options["expires"] = step["expires_ms"] / 1000 if step["expires_ms"] > 0 else math.inf
        if "delay_ms" in step:
            options["delay"] = step["delay_ms"] / 1000
        if "token" in step:
            options["token"] = step["token"].encode()
        wormhole, identifier = self.wormhole(step), text(step["id"])
        if step.get("signal"):
            sent = wormhole.signal(identifier, **options)
        else:
            sent = wormhole.send(identifier, value(step.get("value")), **options)
        expect_named(step, sequence=sent.sequence, listeners=sent.listeners)
        if "as" in step:
            self.add(step["as"], sent)

    def step_scheduled(self, step: Step) -> None:
        found = [
            {"id": each.identifier, "kind": each.kind, "headers": each.headers}
            for each in self.wormhole(step).scheduled(text(step.get("id", "*")))
        ]
        expect("scheduled", found, value(step["value"]))

    def step_cancel_scheduled(self, step: Step) -> None:
        self.wormhole(step).cancel_scheduled(self.find(crosstie.Sent, step["of"]).sequence)

    def step_send_many(self, step: Step) -> None:
        messages = [
            (text(each["id"]), crosstie.SIGNAL if each.get("signal") else value(each.get("value")))
            for each in step["messages"]
        ]
        expect_named(step, sequence=self.wormhole(step).send_many(messages))

    def step_identifiers(self, step: Step) -> None:
        expect("identifiers", self.wormhole(step).identifiers(text(step.get("id", "*"))), value(step.get("value")))

    def step_members(self, step: Step) -> None:
        members = self.wormhole(step).members()
        expect("how many members", len(members), len(step["members"]))
        for expected, member in zip(step["members"], members):
            expect_named(expected, name=member.name)
            expect("self", member.is_self, expected.get("self", False))
            expect("here", member.pid == os.getpid(), expected.get("here", True))
            expect("since", member.since > 0, True)

    def step_signal(self, step: Step) -> None:
        sent = self.wormhole(step).signal(text(step["id"]))
        expect_named(step, sequence=sent.sequence, listeners=sent.listeners)

    def step_message(self, step: Step) -> str:
        message = self.wormhole(step).message(text(step["id"]))
        if message is None:
            return "NOT_FOUND"
        self.expect_message(step, message)
        return message.status.name

    def expect_message(self, step: Step, message: crosstie.Message) -> None:
        expect("value", message.value, value(step.get("value")))
        expect_named(
            step,
            kind=message.kind,
            id=message.identifier,
            sequence=message.sequence,
            sender=message.sender_name,
            delivery_count=message.delivery_count,
            missed=message.missed,
            headers=message.headers,
        )

    def step_destroy(self, step: Step) -> None:
        sent = self.wormhole(step).destroy(text(step["id"]))
        expect_named(step, sequence=sent.sequence, listeners=sent.listeners)

    def step_destroy_all(self, step: Step) -> None:
        sent = self.wormhole(step).destroy_all()
        expect_named(step, sequence=sent.sequence, listeners=sent.listeners)

    def step_listen(self, step: Step) -> None:
        wormhole = self.wormhole(step)
        inbox = Inbox(self, wormhole, step)
        listener = self.bind(step, wormhole, inbox)
        self.inboxes.append(inbox)
        self.add(step["as"], inbox)
        self.add(step["as"], listener)

    def bind(self, step: Step, wormhole: crosstie.Wormhole, inbox: Inbox) -> crosstie.Listener:
        identifier, name = text(step["id"]), step.get("name", "")
        if "queue" not in step and "durable" not in step:
            return wormhole.add_listener(identifier, inbox, name=name, initial_delivery=step.get("initial_delivery", True))
        return wormhole.add_queue(
            identifier,
            inbox,
            durable=text(step.get("durable", "")),
            name=name,
            manual="manual" in step,
            from_oldest="from_oldest" in step,
            from_sequence=step.get("from_sequence"),
            from_time=self.time_of(step, "from_time_of"),
            max_unacknowledged=step.get("max_unacknowledged", 0),
        )

    def step_acknowledge(self, step: Step) -> None:
        message = self.find(Inbox, step["of"]).last
        assert message is not None
        resolve(step, message)

    step_reject = step_acknowledge

    def step_forget(self, step: Step) -> None:
        self.wormhole(step).forget(text(step["id"]), text(step["durable"]))

    def step_declare(self, step: Step) -> None:
        options = {key: step[key] for key in ("max_deliveries", "max_messages", "max_size", "when_full") if key in step}
        self.wormhole(step).declare(
            text(step["id"]),
            text(step["durable"]),
            dead_letter=text(step.get("dead_letter", "")),
            expires=step["expires_ms"] / 1000 if "expires_ms" in step else None,
            from_oldest="from_oldest" in step,
            change="change" in step,
            **options,
        )

    def step_durables(self, step: Step) -> None:
        found = self.wormhole(step).durables()
        expect("how many durable consumers", len(found), len(step["names"]))
        for expected, durable in zip(step["names"], found):
            held = sum(holder.messages for holder in durable.in_hand)
            known = {name: each for name, each in durable._asdict().items() if name not in ("next_retry", "in_hand")}
            expect_named(expected, **known, held=held)
            self.expect_times(expected, durable)
            if "in_hand" in expected:
                self.expect_holders(expected["in_hand"], durable.in_hand)

    def expect_times(self, expected: Step, durable: Any) -> None:
        if "oldest_of" in expected:
            difference = (durable.oldest or 0) - (self.time_of(expected, "oldest_of") or 0)
            expect("oldest", abs(difference) < 1e-6, True)
        if "next_retry" in expected:
            is_to_come = durable.next_retry is not None and durable.next_retry > time.time()
            expect("next_retry", is_to_come, expected["next_retry"])

    def expect_holders(self, expected: list[Step], holders: list[Any]) -> None:
        expect("how many holders", len(holders), len(expected))
        for each, holder in zip(expected, holders):
            expect("here", holder.pid == os.getpid(), each.get("here", True))
            expect("since", 0 < holder.since <= time.time(), True)
            expect_named(each, count=holder.messages)

    def time_of(self, step: Step, key: str) -> float | None:
        """When the last message of a listener was sent that a step has expected."""
        message = self.find(Inbox, step[key]).last if key in step else None
        return None if message is None else message.time

    def step_seek(self, step: Step) -> None:
        self.wormhole(step).seek(
            text(step["id"]), text(step["durable"]), sequence=step.get("sequence"), time=self.time_of(step, "time_of")
        )

    def step_unlisten(self, step: Step) -> None:
        if "listener" in step:
            self.find(crosstie.Listener, step["listener"]).remove()
        elif "id" in step:
            self.wormhole(step).listeners.remove(text(step["id"]), step.get("name"))
        else:
            self.wormhole(step).listeners.clear()

    def step_listeners(self, step: Step) -> None:
        found = [
            {"identifier": each.identifier, "name": each.name, "delivery": each.delivery, "executor": each.executor}
            for each in self.wormhole(step).listeners
        ]
        expect("listeners", found, value(step["value"]))

    def step_dead_letters(self, step: Step) -> None:
        found = self.wormhole(step).dead_letters(
            text(step["id"]), text(step["durable"]), after=step.get("after", 0), limit=step.get("limit", 1000)
        )
        expect("how many dead letters", len(found), len(step["letters"]))
        for letter, expected in zip(found, step["letters"]):
            known = {**letter._asdict(), "id": letter.identifier, "sent_as": letter.sent_as or 0}
            expect_named(expected, **known)

    def step_dead_letter(self, step: Step) -> None:
        message = self.wormhole(step).dead_letter(text(step["id"]), text(step["durable"]), step["sequence"])
        self.expect_message(step, message)
        expect_named(step, reason=message.reason)

    def step_retry(self, step: Step) -> None:
        count = self.wormhole(step).retry(text(step["id"]), text(step["durable"]), step.get("sequence"))
        expect_named(step, count=count)

    def step_drop(self, step: Step) -> None:
        count = self.wormhole(step).drop(text(step["id"]), text(step["durable"]), step.get("sequence"))
        expect_named(step, count=count)

    def step_events(self, step: Step) -> None:
        inbox = self.find(Inbox, step["of"])
        for event in step["events"]:
            self.expect_message(event, inbox.next())

    def step_newest(self, step: Step) -> None:
        inbox, before = self.find(Inbox, step["of"]), 0
        while True:
            message = inbox.next()
            expect("messages in order", message.sequence >= before, True)
            before = message.sequence
            try:
                return self.expect_message(step["event"], message)
            except Unexpected:
                continue

    # Other processes

    def step_process(self, step: Step) -> None:
        other = os.environ.get("CROSSTIE_OTHER_PLAYER")
        player = [other] if other else [sys.executable, str(Path(__file__).with_name("player.py"))]
        arguments = [*player, "--process", self.directory, json.dumps(step["steps"])]
        name = step.get("as", "")
        self.processes[name] = subprocess.Popen(arguments), step.get("killed", False)
        if not name:
            self.step_join({"process": name})

    def step_join(self, step: Step) -> None:
        process, killed = self.processes.pop(step["process"])
        expect("the process's end", process.wait(), -signal.SIGKILL if killed else 0)

    def step_die(self, step: Step) -> None:
        os.kill(os.getpid(), signal.SIGKILL)
