"""Rule tables: the URLs that remote origins may open, and their targets."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence

from . import _crosstie
from ._bus_view import Listing
from ._decorators import check_function
from ._failures import error_of, not_found
from ._homes import publish
from ._resolver import serve_python
from ._signature import read_signature
from ._status import Status
from ._typing import TYPE_CHECKING, overload

if TYPE_CHECKING:
    from typing import Any, TypeAlias, TypeVar

    from ._interceptors import InterceptorList

    _HandlerT = TypeVar("_HandlerT", bound=Callable[..., object])


RuleSource: TypeAlias = Mapping[str, "Any"] | str | bytes | os.PathLike[str]


def convert_rules(
    source: RuleSource,
    /,
    *,
    platform: str = "",
    public_schemes: Sequence[str] = (),
    private_schemes: Sequence[str] = (),
    route_hosts: Sequence[str] = (),
    web_hosts: Sequence[str] = (),
) -> dict[str, Any]:
    """Read a rule document of either form and return it in the current one, without loading it.

    The arguments and exceptions are those of `bus.rules.load()`.
    """
    json, path = _source(source)
    document: dict[str, Any] = _crosstie.from_json(
        _crosstie._convert_rules(
            json,
            path,
            platform=platform,
            public_schemes=public_schemes,
            private_schemes=private_schemes,
            route_hosts=route_hosts,
            web_hosts=web_hosts,
        )
    )
    return document


def _source(source: RuleSource) -> tuple[str | bytes | None, str | None]:
    """Return a document's JSON, or its path; the other is None."""
    if isinstance(source, os.PathLike):
        return None, os.fspath(source)
    if isinstance(source, str) and _is_path(source):
        raise error_of(Status.FORMAT, f"a str must be JSON text; to load a file, pass pathlib.Path({source!r})")
    return _crosstie.to_json(dict(source)) if isinstance(source, Mapping) else source, None


def _is_path(text: str) -> bool:
    """Return whether a text is the path of a file rather than JSON."""
    if text.lstrip()[:1] in ("{", "["):
        return False
    return text.endswith(".json") or os.path.isfile(text)


class Rules(Listing[dict[str, "Any"]]):
    """The rule table of a bus, and the handlers of its rules: `bus.rules`.

        bus.rules.load(pathlib.Path("rules.json"))
        bus.rules["search"]["visibility"]    # a rule, as the document has it
        bus.rules.url_for("search", words="tea")

    Iteration gives the rules of the loaded table; without a table there are none. `@bus.rule(id)` is the usual way to
    add a rule's handler.
    """

    __slots__ = ()
    _kinds = ("rule", "navigator")

    def _list(self) -> list[dict[str, Any]]:
        return (self.document or {"rules": []})["rules"]  # type: ignore[no-any-return]

    def _name_of(self, info: dict[str, Any]) -> str:
        return info["id"]  # type: ignore[no-any-return]

    def load(
        self,
        source: RuleSource,
        /,
        *,
        platform: str = "",
        public_schemes: Sequence[str] = (),
        private_schemes: Sequence[str] = (),
        route_hosts: Sequence[str] = (),
        web_hosts: Sequence[str] = (),
        rollback: bool = False,
    ) -> None:
        """Load a rule table, which replaces the previous one as a whole.

        source           a dict, its JSON text in str or bytes, or the path of a file as a pathlib.Path.
        platform         the platform whose `targets` of a rule apply; empty: "linux".
        public_schemes   this and the next three are the lists that a document of the older form does not have; for any
                         other document they are ignored.
        private_schemes
        route_hosts
        web_hosts
        rollback         whether it may have a lower version than the loaded table.

        A document that is refused changes nothing; the exception's `location` is the position of the error in it. Raises
        FormatError, PatternError, ParamError, ConflictError, VersionError for a lower version than the loaded one,
        ArgumentError for exceeding a limit, and StoreError for a file that cannot be read or is not a regular one. A FIFO
        or a device is never read, nor is /dev/stdin unless it is a regular file.
        """
        json, path = _source(source)
        serve_python(self._bus)  # a rule may perform any allowed target in Python
        self._bus._load_rules(
            json,
            path,
            platform=platform,
            public_schemes=public_schemes,
            private_schemes=private_schemes,
            route_hosts=route_hosts,
            web_hosts=web_hosts,
            rollback=rollback,
        )

    def unload(self) -> None:
        """Remove the rule table; a table of any version may be loaded next.

        The bus no longer has the table's schemes and web hosts, and routes for its rules are routes like any other.
        Handlers of rules remain. Raises NotFoundError if none is loaded.
        """
        self._bus._unload_rules()

    @property
    def document(self) -> dict[str, Any] | None:
        """The document of the loaded rule table, in the current form; None without one."""
        return self._bus._rules()

    def add(
        self,
        id: str,
        handler: Callable[..., object],
        /,
        *,
        worker_only: bool = False,
        interceptors: InterceptorList = (),
    ) -> _crosstie.Registration:
        """Register the handler of a rule by the rule's id, in the current table and any later one; return its Registration.

        The rule decides which URLs of which origins reach the handler. The handler is called as a route's handler is, with
        the parameters that the rule declares and no others. A parameter without an annotation has the rule's type, and
        one with a default keeps it.
        """
        plan = read_signature(handler, None, worker_only=worker_only)
        return self._bus._handle_rule(id, handler, plan, worker_only=worker_only, interceptors=tuple(interceptors))

    def remove(self, what: str | _crosstie.Registration | Callable[..., object], /) -> None:
        """Remove the handler of a rule by the rule's id, or by its Registration; the rule itself remains in the table.

        A function is removed from all rules that it handles, and from `navigator()`. Raises NotFoundError.
        """
        if not isinstance(what, str):
            self._remove(what)
            return
        found = [each for each in self._registered() if each.kind == "rule" and each.name == what]
        if not found:
            raise not_found(f"the rule {what!r} has no handler from Python")
        for registration in found:
            registration.remove()

    @overload
    def navigator(self, handler: _HandlerT, /) -> _HandlerT: ...

    @overload
    def navigator(
        self, handler: None = None, /, *, worker_only: bool = False, interceptors: InterceptorList = ()
    ) -> Callable[[_HandlerT], _HandlerT]: ...

    def navigator(
        self,
        handler: _HandlerT | None = None,
        /,
        *,
        worker_only: bool = False,
        interceptors: InterceptorList = (),
    ) -> object:
        """Make the decorated function the handler of every rule that has none of its own, and return it.

        `request.rule` has the rule's target and presentation, `request.params` the parameters. It replaces the previous
        navigator; `remove(function)` removes it. The arguments are those of `add()`.
        """

        def decorate(handler: _HandlerT) -> _HandlerT:
            check_function(handler, "@bus.rules.navigator")
            plan = read_signature(handler, None, worker_only=worker_only)
            self._bus._set_navigator(handler, plan, worker_only=worker_only, interceptors=tuple(interceptors))
            return handler

        return decorate if handler is None else decorate(handler)

    def url_for(
        self,
        id: str,
        params: Mapping[str, Any] | None = None,
        /,
        *,
        web: bool = False,
        private: bool = False,
        by_target: bool = False,
        **named: Any,
    ) -> str:
        """Return the URL that reaches a rule with these parameters; undeclared ones go into the query.

        id         the rule's id, or its target.
        params     parameters by name, beside or instead of keywords.
        web        whether to make an https URL on the first web host, rather than one with the first public scheme.
        private    whether to use the first private scheme, which remote origins may not open.
        by_target  whether `id` is a target: the first rule with it is used.

        Raises NotFoundError, ParamError for a parameter that is missing or not allowed there, or ArgumentError for a
        private web link.
        """
        return self._bus._generate_for_rule(id, {**(params or {}), **named}, web, private, by_target)


publish(__name__, globals())
