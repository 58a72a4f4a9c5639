"""Descriptors: open files as values."""

import os
import pathlib

import pytest

import crosstie


def test_it_owns_a_duplicate(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "file"
    path.write_text("text")
    with path.open() as file:
        one = crosstie.Descriptor(file)
        assert one.fileno() != file.fileno()
    assert os.read(one.fileno(), 100) == b"text"
    assert not os.get_inheritable(one.fileno())
    assert repr(one) == f"<crosstie.Descriptor {one.fileno()}>"
    number = one.fileno()
    with one as same:
        assert same is one and not one.closed
    assert one.closed and repr(one) == "<crosstie.Descriptor closed>"
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(number)
    with pytest.raises(crosstie.ClosedError):
        one.fileno()
    one.close()


def test_the_end_of_the_object_closes_it() -> None:
    number = crosstie.Descriptor(0).fileno()
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(number)


@pytest.mark.parametrize("wrong", [12345, -1])
def test_other_numbers_and_objects(wrong: int) -> None:
    with pytest.raises((OSError, ValueError)):
        crosstie.Descriptor(wrong)
    with pytest.raises(TypeError):
        crosstie.Descriptor("file")  # type: ignore[arg-type]


def test_it_passes_through_calls(bus: crosstie.Bus) -> None:
    @bus.component("files")
    class Files:
        @crosstie.action
        def same(self, file: crosstie.Descriptor) -> list[crosstie.Descriptor]:
            return [file]

    with crosstie.Descriptor(0) as one:
        (back,) = bus.call("files", "same", file=one)
        assert back.fileno() == one.fileno()


def test_it_has_no_plain_form(wormhole: crosstie.Wormhole) -> None:
    with crosstie.Descriptor(0) as one:
        for convert in (crosstie.to_json, crosstie.to_msgpack):
            with pytest.raises(crosstie.Error) as caught:
                convert({"files": [one]})
            assert (caught.value.status, caught.value.location) == (crosstie.Status.FOREIGN, "$.files[0]")
        with pytest.raises(crosstie.Error) as caught:
            wormhole["job"] = {"file": one}
        assert caught.value.status == crosstie.Status.FOREIGN
