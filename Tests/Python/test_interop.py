"""Python and a host in C on one shared bus, through one copy of the library."""

import contextvars
import ctypes
import pathlib
import shutil
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

import crosstie
from conftest import run_isolated

HERE = pathlib.Path(__file__).parent
DIST = HERE.parent.parent / ".build" / "dist"
COMPILER = shutil.which("cc")

pytestmark = pytest.mark.skipif(
    COMPILER is None or not (DIST / "include").exists(), reason="needs a C compiler and the library in .build/dist"
)


@pytest.fixture(scope="module")
def host_path(tmp_path_factory: pytest.TempPathFactory) -> str:
    return shared_object(HERE / "host.c", tmp_path_factory.mktemp("host"))


def shared_object(source: pathlib.Path, folder: pathlib.Path) -> str:
    path = str(folder / source.with_suffix(".so").name)
    flags = ["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-pthread"]
    where = ["-I", str(DIST / "include"), "-L", str(DIST / "lib")]
    subprocess.run([str(COMPILER), *flags, *where, str(source), "-o", path, "-lcrosstie"], check=True)
    return path


@pytest.fixture(scope="module")
def host(host_path: str) -> ctypes.CDLL:
    host = ctypes.CDLL(host_path)
    assert host.host_register(b"interop") == 0
    return host


@pytest.fixture
def bus(host: ctypes.CDLL) -> Iterator[crosstie.Bus]:
    bus = crosstie.Bus.shared("interop")
    yield bus
    for registration in bus._registrations():
        registration.remove()


def open_from_c(host: ctypes.CDLL, url: str) -> str:
    buffer = ctypes.create_string_buffer(4096)
    host.host_open(b"interop", url.encode(), buffer, ctypes.c_size_t(len(buffer)))
    return buffer.value.decode()


def test_a_plug_in_written_in_c(bus: crosstie.Bus, tmp_path: pathlib.Path) -> None:
    plugin = shared_object(HERE.parent / "C" / "plugins" / "good.c", tmp_path)
    assert bus.components.load_plugin(plugin) == 1
    assert bus.call("plugged", "greet") == "hello from a plug-in"
    with pytest.raises(crosstie.Error) as twice:
        bus.components.load_plugin(plugin)
    assert twice.value.status is crosstie.Status.ALREADY
    bus.components.unload_plugin(plugin)
    with pytest.raises(crosstie.NoComponentError):
        bus.call("plugged", "greet")
    assert bus.components.load_plugin(plugin) == 1
    bus.components.unload_plugin(plugin)


def test_c_sees_params_by_keywords_as_a_map(bus: crosstie.Bus) -> None:
    assert bus.call("native", "params", a=1, b=["x", None]) == {"a": 1, "b": ["x", None]}
    assert bus.call("native", "params", {"a": 1}) == {"a": 1}


@pytest.mark.parametrize(
    ("value", "json"),
    [
        (None, "null"),
        (True, "true"),
        (-5, "-5"),
        (1.5, "1.5"),
        ("é", '"é"'),
        ([1, (2, None)], "[1,[2,null]]"),
        ({"b": {"c": "d"}, "a": []}, '{"b":{"c":"d"},"a":[]}'),
    ],
)
def test_c_sees_values(host: ctypes.CDLL, bus: crosstie.Bus, value: object, json: str) -> None:
    bus.routes.add("app://a", lambda: value)
    assert open_from_c(host, "app://a") == f"CTIE_OK 1 [] {json}"


def raise_value_error() -> None:
    raise ValueError("no good")


def raise_without_text() -> None:
    raise KeyboardInterrupt


def raise_own_error() -> None:
    raise crosstie.Error("no such user", code=404, value={"id": [7]})


def want_a_number(x: int) -> None: ...


@pytest.mark.parametrize(
    ("handler", "expected"),
    [
        (raise_value_error, "CTIE_E_HANDLER -1 [ValueError: no good] null"),
        (raise_without_text, "CTIE_E_HANDLER -1 [KeyboardInterrupt] null"),
        (raise_own_error, 'CTIE_E_HANDLER 404 [no such user] {"id":[7]}'),
        (want_a_number, "CTIE_E_HANDLER 40017 [the parameter 'x' is missing] null"),
        (lambda request: request.fail("x", code=5, value=[1]), "CTIE_E_HANDLER 5 [x] [1]"),
        (lambda request: request.decline(), "CTIE_E_NO_ROUTE 40011 [every handler that matches app://a/ has declined it] null"),
    ],
)
def test_c_sees_failures(host: ctypes.CDLL, bus: crosstie.Bus, handler: Callable[..., object], expected: str) -> None:
    bus.routes.add("app://a", handler)
    assert open_from_c(host, "app://a") == expected


def test_an_object_without_content(host: ctypes.CDLL, bus: crosstie.Bus) -> None:
    bus.routes.add("app://a", lambda: {"x": object()})
    assert open_from_c(host, "app://a") == "CTIE_OK 1 [] "


def test_python_sees_content_of_c_objects(host: ctypes.CDLL, bus: crosstie.Bus) -> None:
    response = bus.open("c://content")
    assert response.value == ["content", 7, b"\0x"]
    assert host.host_objects() == 0


def test_python_hands_opaque_objects_on(host: ctypes.CDLL, bus: crosstie.Bus) -> None:
    thing = bus.open("c://opaque").value
    assert isinstance(thing, crosstie.Foreign)
    assert thing.tag == "opaque"
    assert repr(thing) == "<crosstie.Foreign 'opaque'>"
    assert host.host_objects() == 1
    bus.routes.add("app://back", lambda: thing)
    back = bus.open("app://back").value
    assert isinstance(back, crosstie.Foreign)
    assert host.host_objects() == 2
    with pytest.raises(crosstie.KindError):
        crosstie.to_json([back])
    with pytest.raises(TypeError):
        crosstie.Foreign()
    bus.routes.remove(bus._registrations()[0].handler)
    del thing, back
    assert host.host_objects() == 0


def test_user_info_reaches_c(bus: crosstie.Bus) -> None:
    assert bus.open("c://info", user_info={"k": [1, ("é", None)]}).value == {"k": [1, ["é", None]]}
    assert bus.open("c://info").value is None


def test_trust_across_c(bus: crosstie.Bus) -> None:
    """Python, C, Python: what a remote request reaches through C is remote, and so is where its context goes."""
    contexts: list[contextvars.Context] = []

    def gate() -> None:
        contexts.append(contextvars.copy_context())
        bus.open("app://private")

    bus.routes.add("app://private", lambda: "secret")
    bus.routes.add("app://gate", gate, public=True)
    nested = "c://nested?url=c%3A%2F%2Fnested%3Furl%3Dapp%253A%252F%252Fgate"
    assert bus.open(nested).value is None
    with pytest.raises(crosstie.HandlerError, match="nested"):
        bus.open(nested, origin="remote")
    local, remote = contexts
    with ThreadPoolExecutor(1) as thread:
        assert thread.submit(local.run, bus.open, "app://private").result().value == "secret"
        with pytest.raises(crosstie.DeniedError):
            thread.submit(remote.run, bus.open, "app://private").result()
        for context, opened in ((local, True), (remote, False)):
            call = thread.submit(context.run, bus.open, "c://nested?url=app%3A%2F%2Fprivate")
            assert (call.exception() is None) == opened


def test_failure_of_c(bus: crosstie.Bus) -> None:
    with pytest.raises(crosstie.HandlerError, match="^C says no$") as caught:
        bus.open("c://fail")
    assert caught.value.code == 42
    assert caught.value.value == 7


@pytest.mark.parametrize("script", ["c_locks.py", "c_nested_locks.py", "c_interceptors.py"])
def test_locks(host_path: str, script: str) -> None:
    result = run_isolated(script, host_path)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


def test_exit_with_threads_of_c(host_path: str) -> None:
    for _ in range(5):
        result = run_isolated("exit_with_c_threads.py", host_path)
        assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


# ---- Calls -----------------------------------------------------------------------------------------------


def call_from_c(host: ctypes.CDLL, name: str, action: str, json: str = "null") -> str:
    buffer = ctypes.create_string_buffer(4096)
    arguments = (text.encode() for text in ("interop", name, action, json))
    host.host_call(*arguments, buffer, ctypes.c_size_t(len(buffer)))
    return buffer.value.decode()


class Home:
    @crosstie.action
    def echo(self, request: crosstie.Request) -> object:
        return request.params

    @crosstie.action
    def add(self, a: int, b: float | None = 0.5, *, names: list[str] | None = None, **rest: object) -> object:
        return [a, b, names, rest]

    @crosstie.action
    def fail(self) -> None:
        raise_own_error()

    @crosstie.action
    def nothing(self) -> None: ...

    @crosstie.action
    async def later(self, what: object) -> object:
        return what

    @crosstie.action
    def bare(self) -> object:
        return object()


@pytest.mark.parametrize(
    ("action", "json", "expected"),
    [
        ("echo", '{"a":[1,{"b":null}]}', 'CTIE_OK 1 [] {"a":[1,{"b":null}]}'),
        ("echo", "null", "CTIE_OK 1 [] {}"),
        ("add", '{"a":1,"b":2,"names":["x"],"more":true}', 'CTIE_OK 1 [] [1,2.0,["x"],{"more":true}]'),
        ("add", '{"a":"-3","b":null}', "CTIE_OK 1 [] [-3,null,null,{}]"),
        ("add", "{}", "CTIE_E_HANDLER 40017 [the parameter 'a' is missing] null"),
        ("nothing", "null", "CTIE_OK 1 [] null"),
        ("nothing", '{"x":1}', "CTIE_E_HANDLER 40017 [there is no parameter 'x'] null"),
        ("fail", "null", 'CTIE_E_HANDLER 404 [no such user] {"id":[7]}'),
        ("later", '{"what":{"a":1}}', 'CTIE_OK 1 [] {"a":1}'),
        ("bare", "null", "CTIE_OK 1 [] "),
    ],
)
def test_c_calls_python(host: ctypes.CDLL, bus: crosstie.Bus, action: str, json: str, expected: str) -> None:
    bus.component("home", Home())
    assert call_from_c(host, "home", action, json) == expected


def test_c_performs_python(host: ctypes.CDLL, bus: crosstie.Bus) -> None:
    bus.performer.allow("python:shop_views")
    target = "python:shop_views:Product"
    assert call_from_c(host, target, "static", '{"x":3}') == "CTIE_OK 1 [] 3"
    assert call_from_c(host, target, "static", "{}") == "CTIE_E_PARAM 40017 [the parameter 'x' is missing] null"
    assert call_from_c(host, target, "_private").startswith("CTIE_E_NO_ACTION 30002")
    assert call_from_c(host, "python:shop_views:None", "x").startswith("CTIE_E_NO_TARGET 40036")


def test_python_calls_c(host: ctypes.CDLL, bus: crosstie.Bus) -> None:
    assert bus.call("host_home", "echo", {"a": (1, 2.5), "b": {"c": None}}) == {"a": [1, 2.5], "b": {"c": None}}
    assert bus.call("host_home", "echo", a="é") == {"a": "é"}
    assert bus.call("host_home", "echo") is None
    thing = object()  # it has no plain form, and comes as it is
    assert bus.call("host_home", "echo", a=thing)["a"] is thing
    received: list[object] = []
    with pytest.raises(crosstie.HandlerError, match="C says no") as failed:
        bus.with_options(progress=received.append).call("host_home", "steps")
    assert (failed.value.code, failed.value.value, received) == (42, 7, [1, "two"])
    (info,) = [item for item in bus.components if item.name == "host_home"]
    assert (info.language, info.static, [action.name for action in info.actions]) == ("c", True, ["echo", "steps"])
    with crosstie.Bus() as without, pytest.raises(crosstie.NoComponentError):
        without.call("host_home", "echo")
    with crosstie.Bus(static=True) as with_static:
        assert with_static.call("host_home", "echo", a=1) == {"a": 1}
