"""A C program signs in through the provider in Python."""

import os
import pathlib
import subprocess

import pytest

import crosstie
from conftest import WATCHDOG
from test_embedded import build, pytestmark

__all__ = ["pytestmark"]

HERE = pathlib.Path(__file__).parent


def test_sign_in_from_c(tmp_path: pathlib.Path) -> None:
    package = pathlib.Path(crosstie.__file__).parent.parent
    result = subprocess.run(
        [build("signin", tmp_path)],
        env={**os.environ, "PYTHONPATH": f"{HERE}:{package}", "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=WATCHDOG,
        check=False,
    )
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.splitlines() == [
        "CTIE_OK  access_token refresh_token token_type expires_at scope",
        "CTIE_E_USER_CANCELLED the user did not allow it",
    ]
