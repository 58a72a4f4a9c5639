"""Events of components, to so many listeners, beside the signals of Python's libraries."""

from timing import measure, run_each

AUDIENCES = (1, 10, 100)


def make_listener():
    def receive():
        pass

    return receive


def crosstie():
    import crosstie

    class Listener:
        @crosstie.event("saved")
        def receive(self):
            pass

    for count in AUDIENCES:
        with crosstie.Bus() as bus:
            for number in range(count):
                bus.components.add(Listener, f"listener{number}")
            measure(f"event.python.{count}", "crosstie", "bus.broadcast('saved')", {"bus": bus}, 40_000 // count)


def pyee():
    from pyee.base import EventEmitter

    for count in AUDIENCES:
        emitter = EventEmitter()
        for _ in range(count):
            emitter.on("saved", make_listener())
        measure(f"event.python.{count}", "pyee", "emitter.emit('saved')", {"emitter": emitter}, 40_000 // count)


def blinker():
    from blinker import Signal

    for count in AUDIENCES:
        saved = Signal()
        listeners = [lambda sender: None for _ in range(count)]
        for listener in listeners:
            saved.connect(listener)
        measure(f"event.python.{count}", "blinker", "saved.send(None)", {"saved": saved}, 40_000 // count)


if __name__ == "__main__":
    run_each(crosstie, pyee, blinker)
