"""The answer in a redirect (RFC 6749, section 4.1.2; RFC 9207)."""

from urllib.parse import parse_qsl, urlsplit

from .._status import Status
from ._presets import Preset
from ._refusal import Refusal, plain

#: The most parameters of a redirect, as for any URL of the bus.
MAX_FIELDS = 128


class Answer:
    """The parameters of a redirect. Raises Refusal without a state, which no sign-in can match."""

    def __init__(self, url: str) -> None:
        try:
            pairs = parse_qsl(urlsplit(url).query, keep_blank_values=True, max_num_fields=MAX_FIELDS)
        except ValueError:
            raise Refusal(Status.PARAM, "the answer has too many parameters") from None
        states = [value for name, value in pairs if name == "state"]
        if len(states) != 1 or not states[0]:
            reason = "more than one state" if len(states) > 1 else "no state"
            raise Refusal(Status.PARAM, f"the answer has {reason}")
        self.state = states[0]
        self._fields = dict(pairs)
        self._is_repetitive = len(self._fields) < len(pairs)

    def check(self, preset: Preset) -> None:
        """Raise Refusal for an answer that this service has not given, or that can be read in two ways."""
        if self._is_repetitive:
            raise Refusal(Status.PARAM, "the answer has a parameter more than once")
        issuer = self._fields.get("iss")
        if issuer is None and preset.requires_issuer:
            raise Refusal(Status.DENIED, "the answer does not say which service it is from (iss)")
        if issuer is not None and preset.issuer and issuer != preset.issuer:
            raise Refusal(Status.DENIED, "the answer is from another service (iss)")
        if "error" not in self._fields and not self._fields.get("code") and not preset.silence_is_no:
            raise Refusal(Status.PARAM, "the answer has neither a code nor an error")

    def code(self) -> str:
        """Return the code of a checked answer. Raises Refusal with the service's error."""
        error = self._fields.get("error")
        if error == "access_denied" or (error is None and not self._fields.get("code")):
            raise Refusal(Status.USER_CANCELLED, "the user did not allow it")
        if error is not None:
            raise Refusal(
                Status.UNKNOWN, explain("the service refuses", error, self._fields.get("error_description"))
            )
        return self._fields["code"]


def explain(what: str, error: object, description: object) -> str:
    """Return a sentence with a service's error and its description."""
    return f"{what}: {plain(error)}" + (f" ({plain(description)})" if description else "")
