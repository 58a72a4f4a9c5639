"""A whole sign-in through a real browser, which the bus opens the page in and which comes back by itself.

The events are afterwards in .build/logs/signin-transcript.txt, without secrets.
"""

import pathlib
import re
import shutil
from collections.abc import Iterator

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support import expected_conditions as until
from selenium.webdriver.support.wait import WebDriverWait

import crosstie
from conftest import WATCHDOG
from crosstie import Status
from oauth_kit import add, failure, info, preset_of, server, start
from oauth_server import PASSWORD, USER, Server

__all__ = ["server"]

TRANSCRIPT = pathlib.Path(__file__).parent.parent.parent / ".build" / "logs" / "signin-transcript.txt"
#: The secrets that a transcript must not show.
SECRET = re.compile(
    r"\b(code|state|code_challenge|code_verifier|access_token|refresh_token|client_secret)=[^&\s]+"
)


def program(name: str) -> str:
    path = shutil.which(name)
    assert path, f"there is no {name}: packaging/setup-debian.sh --tests installs it"
    return path


class Chromium:
    """A browser without a screen, and its commands."""

    def __init__(self) -> None:
        options = webdriver.ChromeOptions()
        options.binary_location = program("chromium")
        for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--no-proxy-server"):
            options.add_argument(argument)
        self._driver = webdriver.Chrome(options, webdriver.ChromeService(program("chromedriver")))
        self.notes: list[str] = []

    def open(self, request: crosstie.Request) -> None:
        """The bus's system opener."""
        self._note(f"the bus opens {request.url}")
        self._driver.get(request.url)

    def log_in(self) -> None:
        """Fill the sign-in form."""
        self._await("Log in")
        self._driver.find_element(By.ID, "username").send_keys(USER)
        self._driver.find_element(By.ID, "password").send_keys(PASSWORD)
        self._note(f"{USER} gives her password")
        self._driver.find_element(By.ID, "login").click()

    def press(self, button: str) -> str:
        """Press a button of the page that asks for consent; returns what the next page says."""
        self._await("Allow?")
        self._note(f"the page says: {self._driver.find_element(By.TAG_NAME, 'p').text}")
        self._note(f"{USER} presses {self._driver.find_element(By.ID, button).text}")
        self._driver.find_element(By.ID, button).click()
        self._await("Sign-in")
        said = self._driver.find_element(By.TAG_NAME, "p").text
        self._note(f"the browser gets to {self._driver.current_url}")
        self._note(f"the page says: {said}")
        return said

    def close(self) -> None:
        self._driver.quit()

    def _await(self, title: str) -> None:
        WebDriverWait(self._driver, WATCHDOG).until(until.title_is(title))

    def _note(self, note: str) -> None:
        self.notes.append(note)


@pytest.fixture
def chromium() -> Iterator[Chromium]:
    chromium = Chromium()
    yield chromium
    chromium.close()


def write_transcript(notes: list[str], server: Server, answer: dict[str, str]) -> None:
    """Write the events, without the secrets."""
    asked = [
        f"the server is asked: {request}" for request in server.record.requests if "favicon" not in request
    ]
    reported = [f"the sign-in answers {name}={value}" for name, value in sorted(answer.items())]
    text = "\n".join(SECRET.sub(r"\1=…", line) for line in [*notes, "", *asked, "", *reported]) + "\n"
    TRANSCRIPT.parent.mkdir(parents=True, exist_ok=True)
    TRANSCRIPT.write_text(text)
    for secret in (PASSWORD, *server.record.verifiers, answer["access_token"], answer["refresh_token"]):
        assert secret not in text


def test_sign_in(bus: crosstie.Bus, chromium: Chromium, server: Server) -> None:
    bus.system_opener(chromium.open)
    add(bus, preset_of(server, requires_issuer=True), redirect_uri="http://127.0.0.1/callback")
    call = start(bus, {"scope": "profile"})
    chromium.log_in()
    assert "go back to the application" in chromium.press("allow")
    answer, given = info(call), server.record.tokens[0]
    assert answer["access_token"] == given["access_token"]
    assert server.record.verifiers and not server.record.codes
    write_transcript(chromium.notes, server, answer)


def test_the_user_denies(bus: crosstie.Bus, chromium: Chromium, server: Server) -> None:
    bus.system_opener(chromium.open)
    add(bus, preset_of(server, requires_issuer=True), redirect_uri="http://127.0.0.1/callback")
    call = start(bus, {"scope": "profile"})
    chromium.log_in()
    chromium.press("deny")
    assert failure(call).status is Status.USER_CANCELLED
