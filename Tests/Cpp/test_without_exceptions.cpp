// The headers in a program without exceptions and type information: the throwing functions are absent.
#include <crosstie.hpp>
#include <thread>

#include "check.h"

#if CROSSTIE_EXCEPTIONS
#error "to be compiled with -fno-exceptions"
#endif

using crosstie::bus;
using crosstie::request;
using crosstie::result;
using crosstie::value;

template <class T, class = void>
struct throws : std::false_type {};
template <class T>
struct throws<T, std::void_t<decltype(std::declval<T>().open("app://x"))>> : std::true_type {};
static_assert(!throws<bus>::value, "open() throws, so there is try_open() alone");

struct counter {
    value add(request &) { return ++count; }
    int count = 0;
};

static void values_that_cannot_be_are_empty() {
    CHECK(!value("\xFF") && !value(UINT64_MAX) && !(value{{"a", value("\xFF")}}) && !crosstie::list{value("\xFF")});
    CHECK_STATUS(value::try_from(std::string("\xFF")).status(), CTIE_E_INVALID);
    const value made{{"a", crosstie::list{1, "two"}}};
    CHECK(made.read("a.1", "none") == "two" && made.read("a.5", 7) == 7);
    CHECK(made.try_to<int>().status() == CTIE_E_TYPE && made["b"].try_to<int>().status() == CTIE_E_NOT_FOUND);
    CHECK(made.try_to_json()->as<std::string>() == R"({"a":[1,"two"]})");
    const result<value> malformed = value::try_from_json("[1,");
    CHECK(!malformed && malformed.status() == CTIE_E_FORMAT && !malformed.error().location().empty());
}

static void requests_are_made_and_refused() {
    result<bus> made = bus::try_make({"plain"});
    CHECK(made.has_value());
    const bus on = *std::move(made);
    auto route = on.try_route("app://users/:id", [](request &asked) { return asked.param("id", 0); });
    CHECK(route.has_value() && on.try_open("app://users/42")->value() == 42);
    CHECK(on.try_open("app://none").status() == CTIE_E_NO_ROUTE);
    auto bad = on.try_route("app://bad", [](request &) { return value("\xFF"); });
    CHECK(bad.has_value() && on.try_open("app://bad").status() == CTIE_E_INVALID);
    auto component = on.try_add(crosstie::component("counter")
                                    .factory([] { return std::make_unique<counter>(); })
                                    .method<&counter::add>("add"));
    CHECK(component.has_value() && on.try_call("counter", "add")->value() == 1);
    auto call = on.try_call_async("counter", "add", nullptr, [](const crosstie::response_view &) {});
    CHECK(call.has_value() && call->try_wait()->value() == 2);
    CHECK(route->try_remove().value_or(false));
}

static void messages_are_passed() {
    auto group = crosstie::wormhole::try_open("plain", CTIE_WORMHOLE_MEMORY);
    CHECK(group.has_value());
    std::atomic<int> received{0};
    auto listens = group->try_listen("a", [&received](const crosstie::message &reported) {
        received = reported.value().as<int>().value_or(0);
    });
    CHECK(listens.has_value() && group->try_send("a", 5)->sequence == 1);
    for (int i = 0; i < 60000 && received != 5; i++) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    CHECK(received == 5 && group->try_message("a")->value() == 5);
    CHECK(group->try_message("b").status() == CTIE_E_NOT_FOUND);
}

int main() {
    values_that_cannot_be_are_empty();
    requests_are_made_and_refused();
    messages_are_passed();
    return check_end();
}
