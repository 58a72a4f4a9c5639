"""Web intents: sharing by opening a public share page whose query has the message.

A page is a table of a message's fields, the parameters for them, and the limits of the parameters.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar
from urllib.parse import quote, urlencode

from .. import Request
from .._errors import ArgumentError
from .._status import Status
from ._fields import LINK, fields_of, named, refusal, text, web_link
from ._sharer import Sharer

#: Bytes of a share page's URL, at most: every server should accept them (RFC 9110, section 4.1).
URL_LIMIT = 8000

_LIMIT_CODE = 40000 - Status.LIMIT


def utf16_length(text: str) -> int:
    """Return the units of UTF-16 in a text: its length in JavaScript, Java and Objective-C, and so for the services."""
    return len(text.encode("utf-16-le")) // 2


@dataclass(frozen=True, slots=True)
class Limit:
    """The limit of a page's parameter.

    parameter  its name.
    most       the number of units, at most.
    unit       the name of the unit, for people.
    measure    a function that counts them, from the page's parameters; None: the units of UTF-16, where an emoji
               is two.
    """

    parameter: str
    most: int
    unit: str = "characters"
    measure: Callable[[Mapping[str, str]], int] | None = None

    def count(self, parameters: Mapping[str, str]) -> int:
        """Return the number of the parameter's units."""
        if self.measure is not None:
            return self.measure(parameters)
        return utf16_length(parameters.get(self.parameter, ""))


@dataclass(frozen=True, slots=True)
class Page:
    """A public share page.

    address  its https URL, without a query.
    fields   the parameter for each field of a message that it can carry, in the query's order; a parameter for
             several fields has a line for each.
    limits   the limits of its parameters.
    """

    address: str
    fields: Mapping[str, str]
    limits: tuple[Limit, ...] = ()

    def url_for(self, message: Mapping[str, Any], fixed: Mapping[str, str] | None = None) -> str:
        """Return the URL of the page with a message in it.

        message  its fields; the kind does not matter.
        fixed    parameters that do not come from the message.

        Raises ParamError, whose message names the field, for one that the page cannot carry or that is over
        its limit; ArgumentError (LIMIT) for a URL over URL_LIMIT.
        """
        fields = fields_of(message, self.fields)
        parameters = self._parameters(fields)
        for limit in self.limits:
            count = limit.count(parameters)
            if count > limit.most:
                names = [name for name, parameter in self.fields.items() if parameter == limit.parameter]
                too_long = named(*(name for name in names if name in fields))
                raise refusal(too_long, f"has {count} {limit.unit}, of at most {limit.most}")
        url = f"{self.address}?{urlencode({**parameters, **(fixed or {})}, quote_via=quote, safe='')}"
        if len(url) > URL_LIMIT:
            why = f"the URL of the share page has {len(url)} bytes, of at most {URL_LIMIT}"
            raise ArgumentError(why, status=Status.LIMIT, code=_LIMIT_CODE)
        return url

    def _parameters(self, fields: Mapping[str, Any]) -> dict[str, str]:
        """Return the page's parameters that come from a message."""
        lines: dict[str, list[str]] = {}
        for name, parameter in self.fields.items():
            if name in fields:
                read = web_link if name == LINK else text
                lines.setdefault(parameter, []).append(read(named(name), fields[name]))
        return {parameter: "\n".join(texts) for parameter, texts in lines.items()}


class WebIntent(Sharer):
    """A provider that shares by opening a share page with the system opener. A subclass has page, name, endpoints.

    leave_out  names of fields that may be left out if the page cannot carry them, such as "thumbnail"; without
               it a message that has one is refused. Fields that are left out are logged.
    fixed      parameters of the page that do not come from the message; empty ones are dropped.

    It succeeds with null when the page has been opened, without a result from the page. It ends with PARAM or
    LIMIT for a field that the page cannot carry, otherwise with the result of opening the page's URL.
    """

    page: ClassVar[Page]

    def __init__(self, *, leave_out: Collection[str] = (), **fixed: str) -> None:
        super().__init__(leave_out=leave_out)
        self.carried = self.page.fields
        present = {name: value for name, value in fixed.items() if value != ""}
        self._fixed = {name: text(f"the page's '{name}'", value) for name, value in present.items()}

    def hand_off(self, request: Request, message: Mapping[str, Any]) -> None:
        """Open the page."""
        request.bus.open(self.page.url_for(message, self._fixed), timeout=None)
