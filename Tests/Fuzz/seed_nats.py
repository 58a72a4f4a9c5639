"""Seeds of the nats target: what a program does with the engine, and what the server answers."""

import base64
import hashlib
import json
import struct

BREAK = b"\xfe\xff"
CREATED = "2026-01-01T00:00:00Z"
STATE, QUEUE, DURABLE = range(3)
TOPICS = ("a.b", "a.*", "*", "q", "a.c", "x")
FROM_NEXT, FROM_OLDEST, FROM_SEQUENCE, FROM_TIME = range(4)
MEMBER = bytes(n * 37 & 255 for n in range(1, 17)).hex()
OTHER = "0123456789abcdef0123456789abcdef"
WORKERS = base64.b32encode(hashlib.sha256(b"w\0a.b").digest()).decode().rstrip("=")


def answer(content=None, headers=(), subject="", reply=""):
    """The answer to a request: JSON, or bytes."""
    return b"=" + message(content, headers, subject, reply)


def message(content=None, headers=(), subject="", reply=""):
    body = b"" if content is None else content if isinstance(content, bytes) else json.dumps(content).encode()
    lines = "".join(f"{name}:{value}\n" for name, value in headers)
    return f"{subject} {reply}\n{lines}\n".encode() + body


def received(inbox, content=None, headers=(), subject="", reply=""):
    """Something comes to an inbox: 0 is that for answers, 1 to 3 are presence, then those of bindings."""
    return b">" + bytes([inbox]) + message(content, headers, subject, reply)


def place(consumer, number, in_consumer, pending=0, deliveries=1):
    return f"$JS.ACK.CTIE_g.{consumer}.{deliveries}.{number}.{in_consumer}.1767225600000000000.{pending}"


def own_headers(**more):
    fields = {"From": f"{OTHER} 42 other", "Time": "1767225600000000000", "Format": "1", **more}
    return [(f"Ctie-{name.replace('_', '-')}", value) for name, value in fields.items()]


def bind(topic, delivery, start=FROM_NEXT, credit=10, sequence=1, second=0, no_initial=False):
    return b"b" + bytes([TOPICS.index(topic) + 66 * no_initial, kind(delivery, start), credit, sequence, second])


def kind(delivery, start):
    """A byte whose remainder by 3 is the delivery, and whose bits 2 and 3 are the start."""
    return next(n for n in range(256) if n % 3 == delivery and n // 4 % 4 == start and n // 16 % 4 == 1)


def error(number, code=404, words="not found"):
    return {"error": {"code": code, "err_code": number, "description": words}}


def stream(name="all", **more):
    config = {"retention": "limits", "allow_direct": True, "num_replicas": 1, "max_age": 0}
    config |= (
        {"subjects": ["ctie.g.m.>"]} if name == "all" else {"sources": [{"name": "CTIE_g"}], "max_msgs_per_subject": 1}
    )
    return {"created": CREATED, "config": config, "state": {"first_seq": 1, "last_seq": 9}} | more


def consumer(pending=0, stream_seq=0):
    return {"name": "C", "num_pending": pending, "delivered": {"consumer_seq": 0, "stream_seq": stream_seq}}


def stored(number, subject, source=True, value=b"\x01", status=None):
    """The answer of a direct get."""
    headers = [
        ("Nats-Stream", "CTIE_g=now" if source else "CTIE_g"),
        ("Nats-Sequence", str(number)),
        ("Nats-Subject", subject),
    ]
    if source:
        headers.append(("Nats-Stream-Source", f"CTIE_g {number} ctie.g.m.>"))
    if status:
        headers = [("Status", status)]
    return answer(value, headers + own_headers())


def openings():
    yield [b"t\x05"]
    for broken in (stream("now"), {}, [], b"{", error(10059), error(10058, 400), error(0, 503), None, {"created": 5}):
        yield [answer(broken)]  # it is taken by a `c` or the like
    yield [b"~", b"t\x20", b"~", b"t\xff", b"c\x00"]
    yield [
        b"~",
        b"~",
        answer(error(10059)),
        answer(stream(created="2026-01-02T00:00:00Z")),
        answer(stream("now")),
        b"t\xff",
    ]
    yield [b"p" + b'Permissions Violation for Publish to "ctie.g.m.v.a.b"', b"s\x00\x01"]
    yield [b"p" + b'Permissions Violation for Subscription to "_INBOX.0.*"', b"s\x00\x01"]
    yield [b"x" + b"Authorization Violation", b"s\x00\x01", b"t\x20"]


def sends():
    for what in range(0, 48, 8):
        for more in range(6):
            yield [b"s" + bytes([what + more]) + b"\x01"]
    for content in (
        {"stream": "CTIE_g", "seq": 7},
        {"stream": "CTIE_g", "seq": 7, "duplicate": True},
        {"stream": "x", "seq": 1},
        {"stream": "CTIE_g", "seq": -1},
        {"stream": "CTIE_g", "seq": 2**63 - 1},
        error(10077, 400),
        b"",
        b"{}",
        b"[]",
    ):
        yield [b"s\x00\x01", answer(content), b"c\x00"]
    yield [b"s\x00\x01", b"=!", answer({"stream": "CTIE_g", "seq": 2, "duplicate": True})]
    yield [b"s\x00\x01", b"=~", b"~"]
    yield [b"s\x00\x01", answer(None, [("Status", "503")]), answer(error(10059))]
    listing = [answer(None, [], "ctie.g.m.v.a.b", place("C", n, n, 2 - n)) for n in (1, 2)]
    destroyed = {"stream": "CTIE_g", "seq": 5}
    yield [
        b"s\x02",
        answer(destroyed),
        answer(consumer(2)),
        *listing,
        answer({"success": True}),
        answer(error(10043)),
        stored(1, "ctie.g.m.v.a.b"),
        stored(2, "ctie.g.m.s.a.b"),
        stored(5, "ctie.g.m.d.a.b"),
    ]
    yield [
        b"s\x05",
        answer(destroyed | {"duplicate": True}),
        answer({"message": {"subject": "ctie.g.m.d.a.b", "seq": 5}}),
    ]
    yield [b"s\x11", answer(destroyed), answer({"success": True, "purged": 3}), stored(5, "ctie.g.m.x")]


def readings():
    yield [b"c\x00", stored(3, "ctie.g.m.v.a.b"), stored(2, "ctie.g.m.d.a.b"), stored(1, "ctie.g.m.x")]
    yield [b"c\x00", stored(3, "", source=False), *[stored(0, "", status="404") for _ in range(5)]]
    yield [b"c\x00", stored(0, "", status="500")]
    yield [b"c\x00", stored(3, "ctie.g.m.v.a.b", value=b"")]
    names = ["ctie.g.m.v.a.b", "ctie.g.m.v.a.c", "ctie.g.m.s.a.b", "ctie.g.m.d.a.b", "ctie.g.m.v.q", "other"]
    for topic in (b"\x01", b"\x02", b"\x03"):
        copies = [
            answer(
                None, [("Nats-Stream-Source", f"CTIE_g {n + 1}")], name, place("C", n + 1, n + 1, len(names) - n - 1)
            )
            for n, name in enumerate(names)
        ]
        newer = [answer(None, [], "ctie.g.m.v.a.x", place("C", 9, 1))]
        yield [b"i" + topic, answer(consumer(len(names))), *copies, answer(consumer(1)), *newer]
    yield [
        b"i\x02",
        answer(consumer(5)),
        answer(None, [("Status", "404")]),
        answer(consumer(5)),
        answer(None, [("Status", "409")]),
    ]
    yield [b"i\x02", answer(consumer(2**40)), answer({"name": "a b"})]
    yield [b"i\x02", answer(error(10059)), answer(error(10014))]


def durables():
    for config in (
        {"description": "w\na.b", "durable_name": WORKERS, "filter_subject": "ctie.g.m.*.a.b"},
        {"description": "\n"},
        {},
    ):
        each = {"config": config, "num_pending": 3, "delivered": {"stream_seq": 2, "consumer_seq": 2}}
        oldest = {"message": {"time": CREATED, "seq": 3, "subject": "ctie.g.m.v.a.b"}}
        yield [
            b"d",
            answer({"total": 2, "offset": 0, "consumers": [each]}),
            answer(oldest),
            answer({"total": 2, "consumers": [each]}),
        ]
    yield [b"d", answer({"total": 2**62, "consumers": []})]
    yield [b"d", answer({"total": 3, "consumers": {}}), answer({"total": 3, "consumers": [1, None, {}]})]
    yield [b"f\x00\x00", answer({"success": True})]
    yield [b"f\x00\x00", answer(error(10014))]


def bindings():
    live = f"L{MEMBER}-1-1"
    for topic in ("a.b", "a.*", "*"):
        for delivery in (STATE, QUEUE):
            for start in range(4):
                yield [bind(topic, delivery, start), b"t\x10"]
    for topic, delivery in (("a.b", STATE), ("a.*", QUEUE), ("*", QUEUE)):
        for content, headers in (
            (b"\x01", own_headers()),
            (b"\xc1", own_headers(Expires="5")),
            (b"", [("color", "red")]),
        ):
            some = [
                received(5, content, headers, subject, place(live, n, n, 5 - n))
                for n, subject in enumerate(("ctie.g.m.v.a.b", "ctie.g.m.s.a.b", "ctie.g.m.d.a.b", "ctie.g.m.x"), 1)
            ]
            yield [
                bind(topic, delivery),
                *some,
                received(5, b"\x01", headers, "ctie.g.m.v.a.b", place(live, 9, 5)),
                b"t\xff",
            ]
    some = [received(5, b"\x01", own_headers(), "ctie.g.m.v.a.b", place(live, n, n, 9 - n)) for n in range(1, 6)]
    yield [bind("a.b", QUEUE, credit=130), *some, b"t\xff", b"k\x00\x09", b"t\xff"]
    yield [bind("a.b", QUEUE), received(5, b"\x01", (), "ctie.g.m.v.a.b", place(live, 3, 4)), b"t\xff", b"u\x00"]
    for status in ("404", "408", "409", "100", "503"):
        yield [
            bind("a.b", QUEUE),
            b"t\x01",
            received(5, None, [("Status", status), ("Nats-Pending-Messages", "3")]),
            b"t\xff",
        ]
    everything = received(4, b"", own_headers(), "ctie.g.m.x", place(f"L{MEMBER}-0-1", 7, 1))
    yield [bind("a.b", QUEUE), everything, b"t\x10", bind("a.b", STATE), b"t\x10"]
    yield [bind("a.b", QUEUE), b"~", b"t\x20", b"~", answer(stream()), answer(stream("now")), b"t\xff", b"t\xff"]
    lost = [
        answer(error(10059)),
        answer(stream(created="2026-02-02T00:00:00Z")),
        answer(error(10059)),
        answer(stream("now")),
    ]
    yield [bind("a.b", QUEUE), *some, b"~", b"~", *lost, b"t\xff", b"t\xff"]
    first = {"config": {}, "state": {"first_seq": 5, "last_seq": 9}}
    yield [
        bind("a.*", QUEUE, FROM_SEQUENCE, sequence=3),
        answer(consumer()),
        answer(first),
        answer(consumer(5, 4)),
        b"t\x09",
    ]
    values = [
        answer(
            b"\x01",
            own_headers() + [("Nats-Stream-Source", f"CTIE_g {n}")],
            f"ctie.g.m.v.a.{name}",
            place("C", n, n, 2 - n),
        )
        for n, name in ((1, "c"), (2, "b"))
    ]
    yield [
        bind("a.*", STATE),
        answer(consumer()),
        answer(consumer(2)),
        *values,
        answer(consumer()),
        b"t\x09",
        b"k\x00\x09",
    ]


def workers():
    theirs = {"config": {"filter_subject": "ctie.g.m.*.a.b", "ack_policy": "explicit"}, "num_pending": 2}
    for info in (theirs, error(10014), {"config": {"deliver_subject": "x"}}, error(10059)):
        yield [bind("a.b", DURABLE), b"t\x10", bind("a.b", DURABLE), answer(error(10037)), answer(info), b"t\xff"]
    work = bind("a.b", DURABLE, FROM_OLDEST)
    some = [received(6, b"\x01", own_headers(), "ctie.g.m.v.a.b", place(WORKERS, n, n, 3 - n)) for n in range(1, 4)]
    again = received(6, b"\x01", own_headers(), "ctie.g.m.v.a.b", place(WORKERS, 1, 4, 0, 2))
    for outcome in (0, 1, 2, 3, 17):
        yield [work, *some, b"r\x00\x00" + bytes([outcome]), b"t\x50", again, b"t\xff", b"t\xff", b"r\x00\x00\x00"]
    yield [work, *some, b"u\x00", b"t\x10", again]
    yield [work, received(6, b"\xc1", own_headers(), "ctie.g.m.v.a.b", place(WORKERS, 1, 1)), b"t\xff"]
    yield [work, received(6, b"\x01", own_headers(Expires="7"), "ctie.g.m.v.a.b", place(WORKERS, 1, 1)), b"t\xff"]
    yield [
        work,
        received(6, b"\x01", (), "other", place(WORKERS, 1, 1)),
        received(6, b"\x01", (), "ctie.g.m.v.a.b", "x"),
        b"t\x09",
    ]
    yield [work, *some, b"f\x00\x00", b"t\xff", again]


def declared(deliveries=1, state="made", suffix="", previous=None, start=0):
    """The record of the durable consumer `w`, as the server gives it."""
    options = {"max_deliveries": deliveries, "dead_letter": "", "backoff_first_ms": 100, "backoff_most_ms": 60000}
    options |= {"backoff_factor": 2.0, "backoff_jitter": 0.0, "expires_ms": 0}
    record = {"name": "w", "topic": "a.b", "state": state, "suffix": suffix, "start": start, "options": options}
    if previous is not None:
        record["previous"] = previous
    data = base64.b64encode(json.dumps(record).encode()).decode()
    return answer({"message": {"subject": f"ctie.g.q.{WORKERS}.o", "seq": 3, "data": data, "time": CREATED}})


def letter_headers(state="dead", **more):
    fields = {"State": state, "Kind": "value", "Deliveries": "1", "Died": "1767225600000000000", "Sent_As": "9"}
    return own_headers(**(fields | {"Size": "1", "Reason": "no%20stock"} | more))


THEIRS = {"config": {"filter_subject": "ctie.g.m.*.a.b", "ack_policy": "explicit"}, "num_pending": 2}
NOTHING = answer(error(10037))
LETTER = f"ctie.g.q.{WORKERS}.l.2.a.b"
LAST_LETTER = answer({"message": {"subject": LETTER, "seq": 7, "time": CREATED}})


def declarations():
    for options in range(0, 256, 37):
        yield [b"D\x00\x00" + bytes([options, 5])]
        yield [b"D\x00\x00" + bytes([options, 5]), declared(), answer(THEIRS), b"S\x00\x00\x02\x05", declared()]
    for record in (
        declared(state="making"),
        declared(state="forgotten"),
        declared(suffix="00ff", previous=""),
        declared(suffix="x y"),
        declared(deliveries=2**33),
        declared(state="?"),
        answer({"message": {"seq": 3, "data": "!!!!", "time": CREATED}}),
        answer({"message": {"seq": 3, "data": "e30=", "time": CREATED}}),
        answer({"message": {"seq": 0, "data": "", "time": CREATED}}),
        answer(error(10059)),
    ):
        for what in (b"D\x00\x00\x01\x05", b"S\x00\x00\x01\x00", b"f\x00\x00", b"l\x00\x00\x05\x00", bind("a.b", DURABLE)):
            yield [what, record, answer(THEIRS), b"t\xff"]
            yield [what, record, answer(error(10014)), record, b"t\xff"]
    yield [b"D\x00\x00\x01\x05", NOTHING, answer(error(10014)), answer(error(10071, 400))]
    yield [b"D\x00\x00\x01\x05", declared(), answer(THEIRS), answer(stream()), answer(error(10059))]
    changed = {"type": "look", "member": OTHER, "name": "o", "pid": 4, "since": 5, "known": 2, "durable": WORKERS}
    yield [bind("a.b", DURABLE), received(1, changed), declared(suffix="00ff"), answer(THEIRS), b"t\xff"]


def letters():
    listing = [LAST_LETTER, answer(consumer(2)), answer(None, letter_headers(), LETTER, place("C", 7, 1))]
    for what in (b"l\x00\x00\x05\x00", b"l\x00\x00\x05\x01", b"L\x00\x00\x00\x00", b"L\x00\x00\x00\x01", b"L\x00\x00\x02\x00"):
        whole = answer(b"\x01", letter_headers() + [("Nats-Subject", LETTER)])
        yield [what, declared(), answer(THEIRS), *listing, whole, whole]
        for headers in ([], letter_headers("again"), letter_headers(Kind="x"), [("Ctie-State", "dead")]):
            other = answer(None, headers, LETTER, place("C", 7, 1))
            yield [what, declared(), answer(THEIRS), LAST_LETTER, answer(consumer(1)), other, whole]
    begin = [bind("a.b", DURABLE, FROM_OLDEST), declared(), answer(THEIRS), answer(consumer()), NOTHING]
    original = answer(b"\x01", own_headers() + [("Nats-Subject", "ctie.g.m.v.a.b"), ("Nats-Sequence", "2")])
    message = received(6, b"\x01", own_headers(), "ctie.g.m.v.a.b", place(WORKERS, 2, 1))
    late = received(6, b"\x01", own_headers(), "ctie.g.m.v.a.b", place(WORKERS, 2, 5, 0, 4))
    for outcome in (0, 1, 2, 3):
        yield [*begin, message, b"r\x00\x00" + bytes([outcome]), b"t\xff", b"t\xff"]
        yield [*begin, message, b"r\x00\x00" + bytes([outcome]), NOTHING, original, NOTHING, b"t\xff", b"l\x00\x00\x05\x00"]
    yield [*begin, late, original, NOTHING, NOTHING, b"t\xff"]
    yield [*begin, late, original, LAST_LETTER, answer(b"\x01", letter_headers("dying") + [("Nats-Subject", LETTER)]), b"t\xff"]
    again = place(WORKERS + "=again", 7, 1)
    for state in ("dead", "dying", "again", "done", ""):
        for outcome in (0, 1, 3):
            came = received(6, b"\x01", letter_headers(state), LETTER, again.replace(".1.7.", ".2.7."))
            end = received(6, None, [("Status", "404")], "_INBOX.5.a1")
            yield [*begin, b"t\x02", came, end, b"t\x02", b"r\x00\x00" + bytes([outcome]), b"t\xff", b"t\xff"]
    yield [*begin, message, b"S\x00\x00\x00\x00", declared(), answer(THEIRS), b"t\xff", b"r\x00\x00\x01", b"t\xff", b"u\x00"]


def envelopes():
    live = f"L{MEMBER}-1-1"
    listed = own_headers(Headers="a,traceparent,b%2Cc", H_a="1%20", H_b="x") + [
        ("Ctie-H-b%2Cc", "%"),
        ("traceparent", "00-1-2-01"),
    ]
    for headers in (
        listed,
        own_headers(Headers=",,a,,a,%"),
        [("Ctie-Format", "2")],
        [("Ctie-From", f"{OTHER} 2147483648 %C3%B6")],
        [("Ctie-From", f"{OTHER} 5")],
        [("Ctie-Time", "9223372036854775808"), ("Ctie-Expires", "-1")],
        [("Ctie-H-%00%FF", "%ff"), ("Ctie-H-", "x"), ("n", "v"), ("Nats-Expected-Stream", "x")],
    ):
        yield [bind("a.b", QUEUE), received(5, b"\x81\xa1a\x01", headers, "ctie.g.m.v.a.b", place(live, 1, 1))]
    for reply in (
        "$JS.ACK.CTIE_g.x.1.1.1.1.0",
        "$JS.ACK._.hash.CTIE_g." + live + ".1.1.1.1.0",
        "$JS.ACK.....",
        "$JS.ACK." + "9" * 20,
    ):
        yield [bind("a.b", QUEUE), received(5, b"\x01", own_headers(), "ctie.g.m.v.a.b", reply)]


def presence():
    who = {"type": "here", "member": OTHER, "name": "other", "pid": 42, "since": 5, "known": 2}
    for kind_of in ("hello", "here", "ask", "bye", "other"):
        for inbox in (1, 2, 3):
            said = who | {"type": kind_of}
            yield [received(inbox, said, (), "", "_INBOX.9.1"), b"m", received(inbox, said), b"t\xff"]
    yield [received(3, who), b"m", b"m", received(3, None, [("Status", "503")], f"_INBOX.1.1.{OTHER}"), b"t\xff", b"m"]
    for broken in (
        {},
        who | {"pid": 0},
        who | {"member": "x"},
        who | {"name": "n" * 65},
        who | {"since": -1},
        b"\xff\xff",
        [who],
    ):
        yield [received(1, broken, (), "", "$JS.API.STREAM.DELETE.CTIE_g"), received(3, broken), b"m"]


def packet(kind_of, channel=7, sequence=0, *more, data=b""):
    """A packet between joined buses, of numbers of 32 bits."""
    return kind_of + struct.pack(f"<II{len(more)}I", channel, sequence, *more) + data


def peers():
    own = bytes(n * 37 & 255 for n in range(17, 33)).hex()  # the address of the first join
    mine, back = f"ctie.g.j.{own}.{OTHER}", f"ctie.g.j.{OTHER}.{own}"

    def come(*packets):
        return [received(4, each, (), mine, back) for each in packets]

    connect = packet(b"C", 7, 0, 1, 1, 1)
    frames = [packet(b"P", 7, 1, data=b"ab"), packet(b"F", 7, 2, data=b"cd"), packet(b"F", 7, 3, data=b"ef")]
    for size in b"\x01\x80\x82\xff":
        join = b"j" + bytes([size])
        yield [join, *come(connect, *frames), b"F\x00\x00hello", b"t\xff", b"X\x00\x00", b"v\x00"]
    yield [b"j", *come(connect, packet(b"F", 7, 2, data=b"late")), b"t\xff", b"t\xff"]
    yield [b"j", *come(connect, packet(b"Q", 7, 0), packet(b"H", 7, 5)), b"t\xff"]
    yield [
        b"j",
        *come(connect, packet(b"B", 7, 0, 1)),
        *come(packet(b"B", 9, 0, 0), packet(b"F", 9, 1, data=b"x")),
        b"t\xff",
    ]
    yield [b"j", *come(connect, packet(b"C", 8, 0, 1, 2, 9)), *come(packet(b"A", 0, 0, 1, 3)), b"t\xff"]
    yield [b"j", *come(connect, packet(b"C", 8, 0, 2, 2, 9), packet(b"Z"), b"", b"C"), b"t\xff"]
    yield [b"j", *come(connect), received(4, None, [("Status", "503")], mine), b"t\xff"]
    yield [b"j", *come(connect), *[b"F\x00\x00L"] * 8, b"t\xff", b"~", b"t\x10", b"~", b"t\xff"]
    yield [b"j", b"j", b"t\xff", b"t\xff", b"v\x00", b"v\x01"]
    everybody = received(5, packet(b"A", 0, 0, 1, 1), (), f"ctie.g.j.all.{OTHER}", back)
    yield [b"j", everybody, everybody, b"t\xff", b"t\xff", b"~", b"~", b"t\xff"]


def seeds():
    parts = (openings, sends, readings, durables, bindings, workers, declarations, letters, envelopes, presence, peers)
    for part in parts:
        for things in part():
            yield BREAK.join(things)
