"""Rule tables: which URLs outsiders may open, and what they reach."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar, overload

from . import _crosstie
from ._decorating import check_function
from ._errors import not_found
from ._interceptors import InterceptorList
from ._listing import Listing
from ._resolver import serve_python
from ._signature import read_signature

HandlerT = TypeVar("HandlerT", bound=Callable[..., object])

RuleSource: TypeAlias = Mapping[str, Any] | str | bytes | os.PathLike[str]


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
    """Read a rule document of either form and give it in the current one, without loading it.

    The arguments, and what is raised for a document that is refused or a file that cannot be read, are those of
    `bus.rules.load()`.
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
    """A document's JSON, or its path."""
    return (None, os.fspath(source)) if isinstance(source, os.PathLike) else (_json(source), None)


def _json(source: Mapping[str, Any] | str | bytes) -> str | bytes:
    return _crosstie.to_json(dict(source)) if isinstance(source, Mapping) else source


class Rules(Listing[dict[str, Any]]):
    """The rule table of a bus, and the handlers of its rules: `bus.rules`.

        bus.rules.load(pathlib.Path("rules.json"))
        bus.rules["search"]["visibility"]    # a rule, as the document has it
        bus.rules.url_for("search", words="tea")

    To walk through it gives the rules of the table that is loaded, none when none is. `@bus.rule(id)` is the usual way
    to add a rule's handler.
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
        """Load a rule table, which takes the place of the one before as a whole.

        source           a dict, the JSON text of one in str or bytes, or a path (a pathlib.Path) of a file.
        platform         which of a rule's `targets` counts; empty: "linux".
        public_schemes   these four are the lists of a document of the older form,
        private_schemes  which has none; for any other document they are ignored.
        route_hosts
        web_hosts
        rollback         whether it may have a lower version than the table that is loaded.

        A document that is refused changes nothing; `where` of the exception is the place in it. Raises FormatError,
        PatternError, ParamError, ConflictError, VersionError for a lower version than the one that is loaded,
        ArgumentError for what is over a limit, and StoreError for a file that cannot be read or is no regular one:
        a FIFO is not waited for, a device not read, nor /dev/stdin unless a regular file stands behind it.
        """
        json, path = _source(source)
        serve_python(self._bus)  # only the allow-list is between a rule and what it performs
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
        """Take the rule table away; a table of any version may be loaded next.

        Its schemes and web hosts are no longer the bus's, and routes that are for its rules are what they were registered
        as. Handlers of rules stay. Raises NotFoundError if none is loaded.
        """
        self._bus._unload_rules()

    @property
    def document(self) -> dict[str, Any] | None:
        """The document of the rule table that is loaded, in the current form; None when none is."""
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
        """Register the handler of the rule of an id, in whatever table is loaded now or later; return its Registration.

        The rule says which URLs reach it and who may open them. It is called as a route's handler is, with what the
        rule declares and nothing else; parameters without an annotation come as the rule declares them, and with a
        default keep that.
        """
        plan = read_signature(handler, None, worker_only=worker_only)
        return self._bus._handle_rule(id, handler, plan, worker_only=worker_only, interceptors=tuple(interceptors))

    def remove(self, what: str | _crosstie.Registration | Callable[..., object], /) -> None:
        """Remove the handler of a rule by the rule's id, or by its Registration; the rule itself stays in the table.

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
    def navigator(self, handler: HandlerT, /) -> HandlerT: ...

    @overload
    def navigator(
        self, handler: None = None, /, *, worker_only: bool = False, interceptors: InterceptorList = ()
    ) -> Callable[[HandlerT], HandlerT]: ...

    def navigator(
        self,
        handler: HandlerT | None = None,
        /,
        *,
        worker_only: bool = False,
        interceptors: InterceptorList = (),
    ) -> object:
        """Make the decorated function the handler of every rule that has none of its own, and return it.

        `request.rule` says what the rule's target is and how to show it, `request.params` with what. The one
        before it is removed; `remove(function)` takes it away. The arguments are as for `add()`.
        """

        def decorate(handler: HandlerT) -> HandlerT:
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
        """The URL that reaches a rule with these parameters: those it does not declare go into the query.

        id         the rule's, or its target.
        params     by name, beside or instead of keywords.
        web        an https URL on the first web host; otherwise one of the first public scheme.
        private    one of the first private scheme, which remote origins may not use.
        by_target  whether `id` is a target: then of the first rule that has it.

        Raises NotFoundError, ParamError for a parameter that is missing or cannot stand there, or ArgumentError for
        a web link that is private.
        """
        return self._bus._generate_for_rule(id, {**(params or {}), **named}, web, private, by_target)
