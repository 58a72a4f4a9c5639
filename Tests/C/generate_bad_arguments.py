"""Writes a C program that calls every function of the headers with every kind of bad argument.

One argument at a time is bad, the others are good ones from the fixture in bad_arguments.h. A parameter of a type
that this script or the fixture does not know is an error, so no function can be forgotten.
"""

import json
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / ".ci"))
import headers

GOOD_TEXT = {
    "action": "go",
    "bytes": "bytes",
    "component": "home",
    "endpoint": "com.example.endpoint",
    "application": "com.example.bad",
    "event": "receives",
    "group": "bad.arguments",
    "id": "some.rule",
    "identifier": "some.identifier",
    "json": '{"version":"1.0.0","rules":[]}',
    "key": "id",
    "message": "message",
    "name": "name",
    "path": "/nowhere/rules.json",
    "pattern": "app://unheard/:of",
    "platform": "com.example.platform",
    "prefix": "x",
    "reason": "reason",
    "provider": "provider",
    "selector": "go",
    "target": "x:y",
    "text": "[1]",
    "type": "Type",
    "url": "app://users/42",
}
BAD_TEXT = [
    ("is NULL with a size", "{NULL, 5}"),
    ("has the largest size", "{filler, SIZE_MAX}"),
    ("has half the largest size", "{filler, SIZE_MAX / 2}"),
    ("is NULL with the largest size", "{NULL, SIZE_MAX}"),
    ("is a lone continuation byte", '{"a\\x80", 2}'),
    ("is an overlong encoding", '{"\\xc0\\xaf", 2}'),
    ("is a surrogate", '{"\\xed\\xa0\\x80", 3}'),
    ("is cut off in a character", '{"a\\xe2\\x82", 3}'),
    ("is beyond Unicode", '{"\\xf4\\x90\\x80\\x80", 4}'),
]
BAD_LIST = [
    ("is NULL with a count", "{NULL, 3}"),
    ("has the largest count", "{&good.text, SIZE_MAX}"),
    ("has half the largest count", "{&good.text, SIZE_MAX / 2}"),
    ("has a count whose size in bytes is past the largest", "{&good.text, SIZE_MAX / 16 + 2}"),
    ("is misaligned", "{(const ctie_str *)(const void *)(foreign_memory + 1), 1}"),
]
BAD_ACTIONS = [
    ("are NULL with a count", "NULL", "1"),
    ("are misaligned", "(const ctie_action *)(const void *)(foreign_memory + 1)", "1"),
    ("have the largest count", "&good.action", "SIZE_MAX"),
    ("have a count whose size in bytes is past the largest", "&good.action", "SIZE_MAX / sizeof(ctie_action) + 2"),
    ("are none", "&good.action", "0"),
    ("are one too many", "many_actions", "1025"),
    ("are twice the same", "many_actions", "2"),
]
BAD_INTERCEPTORS = [
    ("are NULL with a count", "NULL", "1"),
    ("are misaligned", "(const ctie_handler *)(const void *)(foreign_memory + 1)", "1"),
    ("have the largest count", "&good.interceptor", "SIZE_MAX"),
    ("have a count whose size in bytes is past the largest", "&good.interceptor", "SIZE_MAX / 24 + 2"),
    ("have no function", "&(ctie_handler){NULL, NULL, NULL}", "1"),
    ("are one too many", "many_interceptors", "65"),
]
BAD_ENDPOINTS = [
    ("are NULL with a count", "NULL", "1"),
    ("are misaligned", "(const ctie_provider_endpoint *)(const void *)(foreign_memory + 1)", "1"),
    ("have the largest count", "&good.endpoint", "SIZE_MAX"),
    ("have a count whose size in bytes is past the largest", "&good.endpoint", "SIZE_MAX / 32 + 2"),
    ("are one too many", "&good.endpoint", "CTIE_PROVIDERS_MAX + 1"),
]
BAD_MESSAGES = [
    ("are NULL with a count", "NULL", "1"),
    ("are misaligned", "(const ctie_outgoing *)(const void *)(foreign_memory + 1)", "1"),
    ("have the largest count", "&good.outgoing", "SIZE_MAX"),
    ("have a count whose size in bytes is past the largest", "&good.outgoing", "SIZE_MAX / sizeof(ctie_outgoing) + 2"),
    ("are none", "&good.outgoing", "0"),
    ("are one too many", "&good.outgoing", "CTIE_WORMHOLE_MAX_MESSAGES + 1"),
]
ODD_TEXT = [("is empty", "{NULL, 0}"), ("is empty, not NULL", "{filler, 0}"), ("is a NUL", '{"\\0", 1}')]
EXTREMES = {
    "int": ["INT32_MIN", "-1", "INT32_MAX"],
    "int32_t": ["INT32_MIN", "-1", "INT32_MAX"],
    "int64_t": ["INT64_MIN", "INT64_MAX"],
    "uint32_t": ["UINT32_MAX"],
    "uint64_t": ["UINT64_MAX"],
    "size_t": ["SIZE_MAX", "SIZE_MAX / 2", "SIZE_MAX / 32 + 1"],
}
# Numbers for which every value is allowed or answered without an error.
ANY_NUMBER = {
    "origin", "code", "status", "timeout_ms", "value", "order", "priority", "max_queued", "max_queued_size",
    "retain_ms", "retain_count", "retain_size", "position", "line", "sequence", "time", "expires_ms", "not_before",
}
# Structs of functions that must be there.
WITH_FUNCTIONS = {"ctie_engine", "ctie_runtime", "ctie_transport"}
# Arrays that are spoilt together with the number of their items.
COUNTS = {"messages": "count"}
# The targets of the good requests.
GOOD_TARGET = {"ctie_component_call": '{"home", 4}', "ctie_perform": '{"x:y", 3}'}
# Texts that may hold any bytes, or whose malformedness is an answer and no error.
ANY_TEXT = {
    ("ctie_value_bytes", "bytes"),
    ("ctie_can_open", "url"),
    ("ctie_can_open_anywhere", "url"),
    ("ctie_provider_open_url", "url"),
    ("ctie_component_call_async", "target.name"),
    ("ctie_component_call_async", "target.action"),
    ("ctie_request_query_all", "key"),
    ("ctie_wormhole_options", "directory"),
    ("ctie_message_reject", "reason"),
}
# Functions that a call takes without data to destroy.
VISITS = {"ctie_param_visit_fn"}
# Parameters that receive an object and that a caller may omit.
NULL_ANYWHERE = {"ctie_registration * *", "ctie_response * *", "ctie_call * *"}
# Functions whose `out` says something also where they fail.
ANSWERS_ANYWAY = {
    "ctie_provider_open_url", "ctie_provider_open_activity", "ctie_wormhole_retry", "ctie_wormhole_drop",
}

interface = headers.parse()
opaque = {}  # type name: whether it is a checked handle
for path in headers.INCLUDE.glob("crosstie/*.h"):
    for match in re.finditer(r"/\*\*((?:(?!\*/).)*)\*/\s*typedef struct (\w+) \2;", path.read_text(), re.S):
        opaque[match[2]] = "checked handle" in match[1]


# Callbacks as one value: a function, its data and what destroys that.
CALLBACKS = {name for name, fields in interface.structs.items() if fields[0] == f"{name}_fn fn"}


def short(name):
    return name.removeprefix("ctie_")


def allows_null(function, parameter):
    """Whether the documentation allows NULL for a parameter."""
    if function.name.endswith("_release") or parameter.type in NULL_ANYWHERE:
        return True
    if parameter.name == "options" or (parameter.type == "ctie_completion" and function.name.endswith("_async")):
        return True
    same = re.match(r"as (?:for )?(ctie_\w+)\(\)", parameter.doc)
    if same:
        other = next(f for f in interface.functions if f.name == same[1])
        return any(allows_null(other, p) for p in other.parameters if p.name == parameter.name)
    elsewhere = re.search(r"(?:Everything else|[Pp]arameters)[^.]*? as (?:for )?(ctie_\w+)\(\)", function.doc)
    if not parameter.doc and elsewhere:
        other = next(f for f in interface.functions if f.name == elsewhere[1])
        return any(allows_null(other, p) for p in other.parameters if p.name == parameter.name)
    said = re.sub(r"(@return|@par Errors).*?(?=@par |@since|$)|CTIE_E_INVALID when [^;.]*", "", function.doc)
    if re.search(rf"NULL for `?{parameter.name}\b|`{parameter.name}`[^.;]*\bNULL", said):
        return True
    shared = re.search(rf"@param (\w+, )*{parameter.name}, |@param (\w+, )+{parameter.name}\b", said)
    return not shared and re.search(r"\bNULL\b(?! after)", parameter.doc) is not None


def borrowed(function, parameter):
    if parameter.type in NULL_ANYWHERE or parameter.name == "error":
        return False
    return "borrowed" in (parameter.doc or function.doc)


class Bad:
    """One bad argument: statements that prepare it, its expression, whether an error must come, and what is checked."""

    def __init__(self, label, expression, fails=True, setup=(), check=""):
        self.label, self.expression, self.fails, self.setup, self.check = label, expression, fails, setup, check


def bad_handles(kind, null_fails):
    live = f"(uintptr_t)good.{short(kind)}"
    other = "good.registration" if kind == "ctie_bus" else "good.bus"
    yield Bad("is NULL", "NULL", null_fails)
    yield Bad("is stale", f"stale.{short(kind)}")
    yield Bad("is a handle of another kind", f"({kind} *)(void *){other}")
    yield Bad("is some memory", f"({kind} *)(void *)foreign_memory")
    for label, bits in [
        ("is of another generation", f"{live} + ((uintptr_t)2 << 32)"),
        ("is of an even generation", f"{live} ^ ((uintptr_t)1 << 32)"),
        ("has an index beyond all", f"{live} | 0xfffff0u"),
        ("is a misaligned handle", f"{live} + 1"),
        ("is a small number", "8"),
        ("has all bits set", "UINTPTR_MAX"),
        ("has an even generation and no index", "0x10000008u"),
    ]:
        yield Bad(label, f"({kind} *)({bits})")


def bad_texts(owner, name, wrap):
    for label, literal in BAD_TEXT:
        yield label, wrap(literal), (owner, name) not in ANY_TEXT
    for label, literal in ODD_TEXT:
        yield label, wrap(literal), False


def bad_fields(kind):
    """label, C statement that spoils `options`, whether an error must come; for each field of a struct."""
    for declaration in interface.structs[kind][1:]:
        match = re.fullmatch(r"(const )?(\w+) (\*?)(\w+)", declaration)
        if not match:
            continue  # a function pointer: the fixture's is NULL or good, and C cannot check others
        _, type_name, star, name = match.groups()
        if name == "interceptors":
            for label, value, count in BAD_INTERCEPTORS:
                yield f"{name} {label}", f"options.{name} = {value}; options.interceptor_count = {count};", True
        elif name == "endpoints":
            for label, value, count in BAD_ENDPOINTS:
                yield f"{name} {label}", f"options.{name} = {value}; options.endpoint_count = {count};", True
        elif type_name == "ctie_str_list":
            yield from bad_lists(kind, name)
        elif type_name == "ctie_str":
            for label, value, fails in bad_texts(kind, name, lambda literal: f"(ctie_str){literal}"):
                yield f"{name} {label}", f"options.{name} = {value};", fails
        elif star and opaque.get(type_name):
            for bad in bad_handles(type_name, False):
                yield f"{name} {bad.label}", f"options.{name} = {bad.expression};", bad.fails
        elif star and type_name in interface.sized:
            for size in ("0", "1", "sizeof(size_t)"):
                setup = f"{type_name} inner = good.{short(type_name)}; inner.size = {size}; options.{name} = &inner;"
                yield f"{name} has the size {size}", setup, True
            if type_name in WITH_FUNCTIONS:
                setup = f"{type_name} inner = {{.size = sizeof({type_name})}}; options.{name} = &inner;"
                yield f"{name} has no functions", setup, True
            misaligned = f"options.{name} = ({type_name} *)(void *)(foreign_memory + 1);"
            yield f"{name} is misaligned", misaligned, True
        elif not star and interface.integers.get(type_name, type_name) in EXTREMES:
            for extreme in EXTREMES[interface.integers.get(type_name, type_name)]:
                yield f"{name} is {extreme}", f"options.{name} = {extreme};", name not in ANY_NUMBER


def bad_lists(owner, name):
    for label, value in BAD_LIST:
        yield f"{name} {label}", f"options.{name} = (ctie_str_list){value};", True
    for label, value, fails in bad_texts(owner, name, lambda literal: f"(ctie_str){literal}"):
        spoil = f"ctie_str item = {value}; options.{name} = (ctie_str_list){{&item, 1}};"
        yield f"a text of {name} {label}", spoil, fails


def bad_structs(kind, null_fails):
    copy = f"{kind} options = good.{short(kind)};"
    yield Bad("is NULL", "NULL", null_fails)
    for size in ("0", "1", "sizeof(size_t)"):
        yield Bad(f"has the size {size}", "&options", True, [copy, f"options.size = {size};"])
    yield Bad("has the largest size", "&options", False, [copy, "options.size = SIZE_MAX;"])
    pad = [f"char raw[sizeof({kind}) + 1];", f"memcpy(raw + 1, &good.{short(kind)}, sizeof({kind}));"]
    yield Bad("is misaligned", f"(const {kind} *)(const void *)(raw + 1)", True, pad)
    yield from other_sizes(kind)
    for label, statement, fails in bad_fields(kind):
        yield Bad(f"has a bad field: {label}", "&options", fails, [copy, statement])


def callback(kind, changed=()):
    """A callback that is good but for the fields that are changed."""
    good = {f"{kind}_fn fn": f"good_{short(kind)}_fn", "void *user_data": "&destroyed[case_number]"}
    good |= {"ctie_destroy_fn destroy": "good_destroy_fn", **dict(changed)}
    return f"(({kind}){{{', '.join(good.get(field, 'NULL') for field in interface.structs[kind])}}})"


def target(name, action='{"go", 2}'):
    return f"((ctie_target){{{name}, {action}}})"


def good_target(function):
    return GOOD_TARGET[function.name.removesuffix("_async")]


def bad_targets(function):
    for label, value, fails in bad_texts(function.name, "target.name", str):
        yield Bad(f"has a name that {label}", target(value), fails)
    for label, value, fails in bad_texts(function.name, "target.action", str):
        yield Bad(f"has an action that {label}", target(good_target(function), value), fails)


def field_name(declaration):
    """ "void(*enter)(void *token)" -> "enter" """
    return (re.search(r"\(\*(\w+)\)", declaration) or re.search(r"(\w+)$", declaration))[1]


def other_sizes(kind):
    """The struct as older and newer headers have it: bytes beyond it are not read."""
    good = f"good.{short(kind)}"

    def sized(size, after):
        return [f"_Alignas(16) unsigned char raw[sizeof({kind}) + 16];", f"memset(raw, {after}, sizeof raw);",
                f"size_t size = {size};", f"memcpy(raw, &{good}, size < sizeof {good} ? size : sizeof {good});",
                "memcpy(raw, &size, sizeof size);"]

    def bad(label, setup, fails, check):
        return Bad(label, f"(const {kind} *)(const void *)raw", fails, setup, check)

    for name in map(field_name, interface.structs[kind][1:]):
        end = f"offsetof({kind}, {name}) + sizeof {good}.{name}"
        yield bad(f"ends with {name}", sized(end, 0xFF), False, "expect_size(error, true);")
        for cut in (f"{end} - 1", f"{end} - (sizeof {good}.{name} == 4 ? 2 : 4)"):
            yield bad(f"ends within {name}", sized(cut, 0xFF), True, "expect_size(error, false);")
    longer = f"sizeof({kind}) + 16"
    yield bad("is longer by zeros", sized(longer, 0), False, "expect_size(error, true);")
    setup = sized(longer, 0) + ["raw[sizeof raw - 1] = 1;"]
    yield bad("is longer and says something", setup, True, "expect_newer(status);")


def bad_action_lists():
    """label, actions, statements before."""
    for label, value, count in BAD_ACTIONS:
        yield Bad(label, f"((ctie_action_list){{{value}, {count}}})")
    one = "((ctie_action_list){&item, 1})"
    copy = "ctie_action item = good.action;"
    for field, statement in [("fn", "item.fn = NULL;"), ("flags", "item.flags = UINT32_MAX;")]:
        yield Bad(f"have a bad {field}", one, True, [copy, statement])
    for field in ("name", "doc"):
        for label, value, fails in bad_texts("ctie_action", field, lambda literal: f"(ctie_str){literal}"):
            yield Bad(f"have a {field} that {label}", one, fails, [copy, f"item.{field} = {value};"])


def bad_message_lists():
    """label, messages, how many of them, statements before."""
    for label, value, count in BAD_MESSAGES:
        yield Bad(label, f"{value}, {count}")
    for label, value, fails in bad_texts("ctie_outgoing", "identifier", lambda literal: f"(ctie_str){literal}"):
        setup = [f"ctie_outgoing item = {{{value}, ctie_value_retain(good.value)}};"]
        yield Bad(f"have an identifier that {label}", "&item, 1", fails, setup)


def bad_numbers(function, parameter, kind):
    for extreme in EXTREMES[kind]:
        fails = parameter.name not in ANY_NUMBER
        yield Bad(f"is {extreme}", f"({parameter.type}){extreme}", fails)


def bad_arguments(function, parameter):
    kind, name = parameter.type, parameter.name
    null_fails = not allows_null(function, parameter)
    pointee = re.sub(r"^const ", "", kind).removesuffix(" *")
    if kind == "ctie_str":
        for label, value, fails in bad_texts(function.name, name, lambda literal: f"((ctie_str){literal})"):
            yield Bad(label, value, fails)
    elif kind in CALLBACKS:
        yield Bad("has no function", callback(kind, {f"{kind}_fn fn": "NULL"}), null_fails)
    elif kind == "ctie_target":
        yield from bad_targets(function)
    elif kind == "ctie_action_list":
        yield from bad_action_lists()
    elif kind == "ctie_str_list":
        for label, value in BAD_LIST:
            yield Bad(label, f"((ctie_str_list){value})")
    elif kind == "const ctie_outgoing *":
        yield from bad_message_lists()
    elif kind in VISITS:
        yield Bad("is NULL", "NULL")
    elif kind.endswith("*") and opaque.get(pointee):
        yield from bad_handles(pointee, null_fails)
    elif kind.endswith("*") and pointee in interface.sized:
        yield from bad_structs(pointee, null_fails)
    elif kind.endswith("*"):
        if name != "error":
            yield Bad("is NULL", "NULL", null_fails)
    elif kind == "ctie_foreign_id":
        yield Bad("is 0", "0")
        yield Bad("is UINT32_MAX", "UINT32_MAX")
    elif interface.integers.get(kind, kind) in EXTREMES:
        yield from bad_numbers(function, parameter, interface.integers.get(kind, kind))
    elif kind not in ("bool", "double"):
        sys.exit(f"{function.name}: what is a bad '{kind}' ({name})?")


class Argument:
    """A good argument: a declaration, the expression, what is checked after the call, and what to do then."""

    def __init__(self, function, parameter):
        self.before = self.check = self.after = ""
        self.expression = self.choose(function, parameter, parameter.type, parameter.name)

    def choose(self, function, parameter, kind, name):
        pointee = re.sub(r"^const ", "", kind).removesuffix(" *")
        if kind == "ctie_str":
            if name not in GOOD_TEXT:
                sys.exit(f"{function.name}: what is a good text for '{name}'?")
            return f"CTIE_STR({json.dumps(GOOD_TEXT[name])})"
        if kind in CALLBACKS:
            return callback(kind)
        if kind in VISITS:
            return f"good_{short(kind)}"
        if kind == "void *" and name == "user_data":
            return "foreign_memory"
        if kind == "ctie_target":
            return target(good_target(function))
        if kind == "ctie_action_list":
            return "((ctie_action_list){&good.action, 1})"
        if kind == "ctie_str_list":
            return "((ctie_str_list){&good.text, 1})"
        if name in ("object", "instance") and pointee not in opaque:
            return "foreign_memory"
        if pointee in opaque and kind.endswith(" *"):
            taken = "taken" in parameter.doc or function.name == "ctie_value_release"
            return f"ctie_value_retain(good.{short(pointee)})" if taken else f"good.{short(pointee)}"
        if pointee in interface.sized or pointee in ("ctie_pair", "ctie_outgoing", "ctie_value *const"):
            return f"&good.{short(pointee).replace(' *const', '_item')}"
        if kind.endswith("*"):
            return self.out(function, parameter, kind, name)
        return {"size_t": "1", "ctie_foreign_id": "1", "ctie_origin": "CTIE_ORIGIN_LOCAL", "bool": "true"}.get(kind, "0")

    def out(self, function, parameter, kind, name):
        target = kind.removesuffix("*").strip()
        owned = target.removesuffix(" *")
        is_owned = owned in opaque and not kind.startswith("const") and not borrowed(function, parameter)
        if re.fullmatch(r"const \w+", target):
            self.before = f"{target} {name} = 0;"
        elif is_owned:
            self.before = f"{target} {name} = ({target})(void *)foreign_memory;"
            self.check = f"expect_set({name});" if name != "error" else ""
        else:
            self.before = f"{target} {name}; memset(&{name}, 0x5a, sizeof {name});"
            if function.name not in ANSWERS_ANYWAY:
                self.check = f"expect_kept(&{name}, sizeof {name}, status);"
        if is_owned:
            self.after = f"ctie_{short(owned)}_release({name});"
        return f"&{name}"


def normal(kind):
    """ "ctie_bus **" -> "ctie_bus * *", so that one star at a time can be taken off."""
    return re.sub(r"\s*\*(?!const)", " *", interface.pointers.get(kind, kind))


def emit_case(function, parameter, bad):
    arguments = {p.name: Argument(function, p) for p in function.parameters}
    if parameter.name in COUNTS:
        del arguments[COUNTS[parameter.name]]  # it comes with them
    spoilt = arguments[parameter.name]
    spoilt.expression, spoilt.before = bad.expression, " ".join(bad.setup)
    spoilt.check = spoilt.after = ""
    call = f"{function.name}({', '.join(a.expression for a in arguments.values())})"
    label = f'"{function.name}: {parameter.name} {bad.label}"'
    print(f"    begin({label});\n    {{")
    for argument in arguments.values():
        if argument.before:
            print(f"        {argument.before}")
    for line in check_lines(function, arguments, call, bad.fails):
        print(f"        {line}")
    if bad.check:
        print(f"        {bad.check}")
    for argument in arguments.values():
        if argument.after:
            print(f"        {argument.after}")
    print("    }")


def check_lines(function, arguments, call, fails):
    must = "true" if fails else "false"
    if function.result == "ctie_status":
        yield f"ctie_status status = {call};"
        yield f"expect_status(status, {must});"
        if "error" in arguments and arguments["error"].before:
            yield "expect_error(error, status);"
        if any("ctie_destroy_fn destroy" in interface.structs.get(p.type, ()) for p in function.parameters):
            yield "expect_destroyed(status);"
        yield from (argument.check for argument in arguments.values() if argument.check)
    elif function.result.endswith("*"):
        yield f"{function.result}result = {call};"
        yield f"expect_pointer(result, {must});"
        owned = re.sub(r"^const ", "", function.result).removesuffix(" *")
        if owned in opaque and not function.result.startswith("const") and "borrowed" not in function.doc:
            yield f"ctie_{short(owned)}_release(result);"
    elif function.result == "ctie_str":
        yield f"expect_text({call});"
    else:
        yield f"(void){call};" if function.result != "void" else f"{call};"


def main():
    cases = 0
    print('/* Written by generate_bad_arguments.py from the headers. */\n#include "bad_arguments.h"')
    for function in interface.functions:
        for parameter in function.parameters:
            parameter.type = normal(parameter.type)
        print(f"\nstatic void test_{function.name}(void) {{")
        for parameter in function.parameters:
            for bad in bad_arguments(function, parameter):
                emit_case(function, parameter, bad)
                cases += 1
        print("}")
    print("\nint main(void) {\n    set_up();")
    for function in interface.functions:
        print(f"    test_{function.name}();")
    print(f"    return tear_down({len(interface.functions)}, {cases});\n}}")


main()
