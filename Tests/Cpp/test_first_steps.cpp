// The first programs of a newcomer: handlers that return standard types, texts that do not last, handles that are moved
// and closed, and exceptions in completions.
#include <map>
#include <unordered_map>

#include "support.hpp"

using crosstie::bus;
using crosstie::request;
using crosstie::value;

static std::string url_of(const std::string &name) { return "app://" + name; }

static void handlers_return_standard_types() {
    const bus on = bus::make();
    const auto replies = [&](const char *name, auto handler) {
        on.route(url_of(name), std::move(handler)).keep();
        return on.open(url_of(name)).value();
    };
    CHECK(replies("text", [](request &) { return std::string("text"); }) == "text");
    CHECK(replies("view", [](request &asked) { return asked.url(); }) == "app://view/");
    CHECK(replies("literal", [](request &) { return "literal"; }) == "literal");
    CHECK(replies("flag", [](request &) { return true; }) == value(true));
    CHECK(replies("number", [](request &) { return 1.5F; }) == 1.5);
    CHECK(replies("size", [](request &) { return std::size_t(5); }) == 5);
    CHECK(replies("list", [](request &) { return std::vector<std::string>{"x", "y"}; })[1] == "y");
    CHECK(replies("map", [](request &) { return std::map<std::string, int>{{"a", 1}}; })["a"] == 1);
    CHECK(replies("hashed", [](request &) { return std::unordered_map<std::string, int>{{"a", 1}}; })["a"] == 1);
    CHECK(replies("some", [](request &) { return std::optional<int>(3); }) == 3);
    CHECK(replies("none", [](request &) -> std::optional<int> { return std::nullopt; }).is_null());
    CHECK(replies("nothing", [](request &) {}).is_null());
    CHECK(replies("owned", [number = std::make_unique<int>(7)](request &) { return *number; }) == 7);
    CHECK(replies("nested", [](request &asked) { return asked.bus().open(url_of("owned")).value(); }) == 7);
}

static void handlers_throw_anything() {
    const bus on = bus::make();
    on.route("app://thrown", [](request &) -> int { throw std::runtime_error("oops"); }).keep();
    on.route("app://number", [](request &) -> int { throw 5; }).keep();
    CHECK(on.try_open("app://thrown").error().message() == "oops");
    CHECK_STATUS(on.try_open("app://number").status(), CTIE_E_HANDLER);
}

static void texts_need_not_last() {
    const bus on = bus::make();
    on.route(std::string("app://users/") + ":id", [](request &asked) { return asked.param("id", 0) + 1; }).keep();
    const std::string_view longer = "app://users/4200";
    CHECK(on.open(longer.substr(0, longer.size() - 2)).value() == 43);
    CHECK(on.open(url_of("users/42")).value() == 43);
    value kept;
    {
        const auto response = on.open("app://users/1");
        kept = response.value();
    }
    CHECK(kept == 2);
}

static void handles_are_moved_and_closed() {
    bus first = bus::make();
    bus second = bus::make();
    auto route = second.route("app://a", [](request &) { return 1; });
    route = second.route("app://b", [](request &) { return 2; });
    CHECK_STATUS(second.try_open("app://a").status(), CTIE_E_NO_ROUTE);
    first = std::move(second);
    CHECK_STATUS(second.try_open("app://b").status(), CTIE_E_HANDLE);
    CHECK(first.open("app://b").value() == 2);
    first.close();
    CHECK_THROWS(CTIE_E_HANDLE, first.open("app://b"));
    CHECK_THROWS(CTIE_E_HANDLE, first.route("app://c", [](request &) { return 3; }).keep());
}

static std::atomic<int> strays{0};

static void completions_and_threads() {
    const bus on = bus::make();
    on.route("app://a", [](request &) { return 1; }).keep();
    crosstie::on_stray_exception([](const char *) noexcept { strays++; });
    auto call = on.open_async("app://a", crosstie::origin::local,
                              [](const crosstie::response_view &) { throw std::runtime_error("not caught"); });
    CHECK(call.wait().value() == 1);
    CHECK(await([] { return strays == 1; }));
    crosstie::on_stray_exception(nullptr);
    std::atomic<int> sum{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++) {
        threads.emplace_back([&] {
            for (int k = 0; k < 100; k++) sum += on.open("app://a").value().to<int>();
        });
    }
    for (std::thread &thread : threads) thread.join();
    CHECK(sum == 400);
}

int main() {
    handlers_return_standard_types();
    handlers_throw_anything();
    texts_need_not_last();
    handles_are_moved_and_closed();
    completions_and_threads();
    return check_end();
}
