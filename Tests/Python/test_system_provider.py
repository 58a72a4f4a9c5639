"""The system's provider from Python, with substitutes for the desktop's tools."""

import os
import stat
from pathlib import Path

import pytest

import crosstie
from crosstie import Endpoint, Platform, SharedMessage, Status


def stand_in(path: Path, script: str) -> str:
    """A program in the place of a tool."""
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def test_a_text_goes_to_the_mail_composer(tmp_path: Path) -> None:
    mail = stand_in(tmp_path / "mail", f'printf "%s\\n" "$@" >{tmp_path}/said')
    with crosstie.Bus() as bus:
        bus.providers.add_system(mail=mail)
        assert [info.name for info in bus.providers] == ["system"]
        bus.share(Endpoint.SYSTEM_ACTIVITY, SharedMessage.text("Lunch at noon"))
    assert (tmp_path / "said").read_text().splitlines() == ["--utf8", "mailto:?body=Lunch%20at%20noon"]


def test_the_clipboard_is_chosen_by_an_option(tmp_path: Path) -> None:
    clipboard = stand_in(tmp_path / "clipboard", f"cat >{tmp_path}/copied")
    with crosstie.Bus() as bus:
        bus.providers.add_system(clipboard=clipboard)
        view = bus.with_options(user_info={crosstie.OptionKey.SYSTEM_METHOD: crosstie.SystemMethod.CLIPBOARD})
        view.share(Endpoint.SYSTEM_ACTIVITY, SharedMessage.text("copy that"))
    assert (tmp_path / "copied").read_text() == "copy that"


def test_files_go_with_the_provider_unless_they_are_kept(tmp_path: Path) -> None:
    opener = stand_in(tmp_path / "opener", f'cat "$1" >{tmp_path}/read; printf %s "$1" >{tmp_path}/path')
    for kept in (False, True):
        with crosstie.Bus() as bus:
            bus.providers.add_system(opener=opener, directory=str(tmp_path), keep_files=kept)
            bus.share(Endpoint.SYSTEM_ACTIVITY, SharedMessage.file(b"%PDF", "pdf"))
            shared = (tmp_path / "path").read_text()
            assert os.path.exists(shared)
        assert (tmp_path / "read").read_bytes() == b"%PDF"
        assert os.path.exists(shared) == kept


def test_missing_programs(tmp_path: Path) -> None:
    with crosstie.Bus() as bus:
        bus.providers.add_system(mail=str(tmp_path / "nothing"))
        with pytest.raises(crosstie.NotInstalledError) as raised:
            bus.share(Endpoint.SYSTEM_ACTIVITY, SharedMessage.text("Lunch at noon"))
        assert raised.value.status == Status.NOT_INSTALLED
        with pytest.raises(crosstie.NotInstalledError):
            bus.launch(Platform.SYSTEM, {"desktopEntry": "there-is-no-such-program"})


def test_it_is_one_of_the_list(tmp_path: Path) -> None:
    with crosstie.Bus() as bus:
        bus.providers.add_system(name="first")
        bus.providers.add_system(0, name="second")
        with pytest.raises(crosstie.ConflictError):
            bus.providers.add_system(name="first")
        assert [info.name for info in bus.providers] == ["second", "first"]
        bus.providers.remove("second")
        assert [info.name for info in bus.providers] == ["first"]
        with pytest.raises(crosstie.ArgumentError):
            bus.providers.add_system(directory="relative")
