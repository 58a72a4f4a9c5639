"""The code that the documentation shows does what it says."""

import pathlib
import re
import textwrap

import pytest

import crosstie

ROOT = pathlib.Path(__file__).parent.parent.parent
PAGES = ["bindings/python/README.md", "docs/asyncio.md", "docs/python-handlers.md"]


def run(code: str) -> None:
    """Runs code line by line; a line with a trailing comment of a value is an expression that has it."""
    code = re.sub(r"^(\S.*?)\s+# (\S.*)$", r"assert (\1) == (\2)", code, flags=re.MULTILINE)
    assert "assert" in code
    exec(code, {})


@pytest.fixture(autouse=True)
def runtime_directory(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tmp_path.chmod(0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))


@pytest.mark.parametrize("page", PAGES)
def test_page(page: str) -> None:
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)
    assert blocks
    for block in blocks:
        run(block)


def test_docstring() -> None:
    blocks = re.findall(r"\n\n((?:    .*\n|\n)+)", crosstie.__doc__ or "")
    run(textwrap.dedent("".join(blocks)))
    with crosstie.Wormhole("com.example.shop") as wormhole:
        assert wormhole["unread"] == {"count": 3}
