// Callables are destroyed exactly once: after their use, when what they were for is refused, and with what they throw.
#include <functional>
#include <mutex>

#include "support.hpp"

using crosstie::bus;
using crosstie::request;
using crosstie::value;
using crosstie::wormhole;

static std::atomic<int> alive{0};

/** A callable that is counted. */
template <class F>
static counted<F> mine(F f) {
    return counted<F>(alive, std::move(f));
}

static auto handles() { return mine([](request &asked) { asked.reply(1); }); }

static void handlers_go_with_what_holds_them() {
    {
        const bus on = bus::make();
        {
            auto route = on.route("app://one", handles());
            CHECK(alive == 1);
            on.open("app://one");
        }
        CHECK(alive == 0);
        on.route("app://one", handles()).keep();
        on.route("app://one", handles(), CTIE_ROUTE_REPLACE).keep();
        CHECK(alive == 1);
        on.set_unmatched(handles());
        on.set_unmatched(handles());
        on.set_unmatched(nullptr);
        CHECK(alive == 1);
        on.set_log(mine([](std::int32_t, std::string_view) {}));
        on.set_system_opener(handles());
        on.set_resolver("test", handles());
        on.set_fallback(handles());
        on.set_navigator(handles());
        on.handle_rule("one", handles()).keep();
        on.intercept(mine([](request &asked) { asked.proceed(); })).keep();
        on.add(crosstie::component("clock").action("now", handles()).event("tick", handles())).keep();
        auto signs_in = crosstie::provider("p").platform("x").oauth(handles());
        on.add_provider(std::move(signs_in).installed(mine([] { return true; }))).keep();
        on.set_provider_log("p", mine([](std::string_view, std::string_view, std::string_view, std::int32_t) {}));
        CHECK(alive == 13);
    }
    CHECK(alive == 0);
}

/** Expects a failure: with a status, and with no callable left. */
static void refused(crosstie::status got, crosstie::status expected) {
    CHECK_STATUS(got, expected);
    CHECK(alive == 0);
}

static crosstie::request_options full_options() {
    crosstie::request_options options;
    options.interceptors.push_back(mine([](request &asked) { asked.proceed(); }));
    options.progress = mine([](const value &) {});
    return options;
}

static crosstie::route_options full_route() {
    crosstie::route_options options;
    options.interceptors.push_back(handles());
    return options;
}

static crosstie::handler_options full_handler() {
    crosstie::handler_options options;
    options.interceptors.push_back(handles());
    return options;
}

static auto completes() { return mine([](const crosstie::response_view &) {}); }
static auto receives() { return mine([](const crosstie::message &) {}); }

/** Each function that takes a callable, asked of a bus that there is not. */
static void dead_handles_leave_nothing() {
    const bus none;
    const auto dead = CTIE_E_HANDLE;
    refused(none.try_route("app://x", handles(), full_route()).status(), dead);
    refused(none.try_set_unmatched(handles(), full_handler()).status(), dead);
    refused(none.try_set_navigator(handles(), full_handler()).status(), dead);
    refused(none.try_handle_rule("one", handles(), full_handler()).status(), dead);
    refused(none.try_set_system_opener(handles()).status(), dead);
    refused(none.try_set_resolver("test", handles(), full_handler()).status(), dead);
    refused(none.try_set_fallback(handles(), full_handler()).status(), dead);
    refused(none.try_intercept(handles()).status(), dead);
    refused(none.try_set_log(mine([](std::int32_t, std::string_view) {})).status(), dead);
    refused(none.try_add(crosstie::component("c").action("a", handles()).interceptor(handles())).status(), dead);
    refused(none.try_add_provider(crosstie::provider("p").platform("x").launch(handles())).status(), dead);
    refused(none.try_set_provider_log("p", [](std::string_view, std::string_view, std::string_view, std::int32_t) {})
                .status(), dead);
    refused(none.try_open("app://x", crosstie::origin::local, full_options()).status(), dead);
    refused(none.try_open_async("app://x", crosstie::origin::local, completes(), full_options()).status(), dead);
    refused(none.try_call("c", "a", nullptr, full_options()).status(), dead);
    refused(none.try_call_async("c", "a", nullptr, completes(), full_options()).status(), dead);
    refused(none.try_broadcast("e", nullptr, full_options()).status(), dead);
    refused(none.try_broadcast_async("e", nullptr, completes(), full_options()).status(), dead);
    refused(none.try_perform("c:x", "", nullptr, full_options()).status(), dead);
    refused(none.try_perform_async("c:x", "", nullptr, completes(), full_options()).status(), dead);
    refused(none.try_share("e", {{"identifier", "x"}}, full_options()).status(), dead);
    refused(none.try_share_async("e", {{"identifier", "x"}}, completes(), full_options()).status(), dead);
    refused(none.try_oauth_async("p", nullptr, completes(), full_options()).status(), dead);
    refused(none.try_launch_async("p", nullptr, completes(), full_options()).status(), dead);
    refused(none.try_provider_open_url("app://x", crosstie::origin::local, full_options()).status(), dead);
    const request nobody(nullptr);
    refused(nobody.try_on_cancel(mine([] {})).status(), dead);
    refused(nobody.try_on_return(completes()).status(), dead);
    const wormhole closed;
    refused(closed.try_listen("a", receives()).status(), dead);
    refused(closed.try_listen_members(receives()).status(), dead);
}

static void refusals_leave_nothing() {
    const bus on = bus::make();
    refused(on.try_route("app://:", handles(), full_route()).status(), CTIE_E_PATTERN);
    refused(on.try_handle_rule("no name", handles(), full_handler()).status(), CTIE_E_IDENTIFIER);
    refused(on.try_set_resolver("c", handles(), full_handler()).status(), CTIE_E_CONFLICT);
    refused(on.try_add(crosstie::component("").action("a", handles())).status(), CTIE_E_NO_NAME);
    refused(on.try_add(crosstie::component("c").interceptor(handles())).status(), CTIE_E_NOT_COMPONENT);
    refused(on.try_add_provider(crosstie::provider("no name").platform("x").launch(handles())).status(),
            CTIE_E_IDENTIFIER);
    std::vector<crosstie::provider> twice;
    twice.push_back(crosstie::provider("p").platform("x").launch(handles()));
    twice.push_back(crosstie::provider("p").platform("x").launch(handles()));
    refused(on.try_set_providers(std::move(twice)).status(), CTIE_E_CONFLICT);
    refused(on.try_open_async("%", crosstie::origin::local, completes(), full_options()).status(), CTIE_E_URL);
    refused(on.try_call("none", "a", nullptr, full_options()).status(), CTIE_E_NO_COMPONENT);
    crosstie::wormhole_options options;
    options.log = mine([](std::int32_t, std::string_view) {});
    refused(wormhole::try_open("no name", std::move(options)).status(), CTIE_E_IDENTIFIER);
    const wormhole open = wormhole::open("group", CTIE_WORMHOLE_MEMORY);
    refused(open.try_listen("no name", receives()).status(), CTIE_E_IDENTIFIER);
    refused(open.try_listen("a", receives(), 1u << 20).status(), CTIE_E_INVALID);
}

static void components_that_were_never_added_leave_nothing() {
    { auto unused = crosstie::component("c").action("a",
                                                    handles()).factory(mine([] { return std::make_unique<int>(3); })); }
    { auto unused = crosstie::provider("p").share(handles()).can_share(mine([](request &) { return true; })); }
    CHECK(alive == 0);
}

static void callables_are_moved_not_copied() {
    const bus on = bus::make();
    auto number = std::make_unique<int>(5);
    on.route("app://moved", [number = std::move(number)](request &) { return ++*number; }).keep();
    CHECK(on.open("app://moved").value() == 6 && on.open("app://moved").value() == 7);
    int calls = 0;
    const std::function<void(request &)> shared = [&calls](request &) { calls++; };
    on.route("app://copied", shared).keep();
    on.open("app://copied");
    CHECK(calls == 1);
}

static void a_copy_that_throws_leaves_nothing() {
    struct sour {
        sour() = default;
        sour(const sour &) { throw std::runtime_error("no copy"); }
        void operator()(request &) const {}
    };
    const bus on = bus::make();
    const sour original;
    bool thrown = false;
    try {
        on.route("app://sour", original).keep();
    } catch (const std::runtime_error &) {
        thrown = true;
    }
    CHECK(thrown && on.can_open("app://sour") == crosstie::opened_by::none);
}

static std::mutex strays_lock;
static std::vector<std::string> strays;

static void note_stray(const char *message) noexcept {
    const std::lock_guard<std::mutex> guard(strays_lock);
    strays.emplace_back(message);
}

static bool has_strayed(const char *message) {
    const std::lock_guard<std::mutex> guard(strays_lock);
    for (const std::string &each : strays) {
        if (each == message) return true;
    }
    return false;
}

static void exceptions_without_a_caller_are_reported() {
    crosstie::on_stray_exception(note_stray);
    {
        const bus on = bus::make();
        on.route("app://one", [](request &asked) {
            asked.progress(1);
            asked.reply();
        }).keep();
        crosstie::request_options options(-1ms);
        options.progress = [](const value &) { throw std::runtime_error("progress"); };
        on.open_async("app://one", crosstie::origin::local,
                      [](const crosstie::response_view &) { throw std::runtime_error("completion"); },
                          std::move(options))
            .wait();
        CHECK(await([] { return has_strayed("completion") && has_strayed("progress"); }));
        on.add_provider(crosstie::provider("p").platform("x").launch(handles()).installed([]() -> bool {
              throw crosstie::error(CTIE_E_BUSY, "state");
          })).keep();
        CHECK_THROWS(CTIE_E_NOT_INSTALLED, on.launch("x"));
        CHECK(has_strayed("state"));
        auto broken = [&on] {
            return on.try_add(crosstie::component("c").action("a", handles()).factory(
                []() -> std::unique_ptr<int> { throw std::runtime_error("factory"); }));
        };
        CHECK_STATUS(broken().status(), CTIE_E_NOT_COMPONENT);
        CHECK(has_strayed("factory"));
        const wormhole group = wormhole::open("group", CTIE_WORMHOLE_MEMORY);
        auto listens = group.listen("a", [](const crosstie::message &) { throw std::runtime_error("state listener"); });
        CHECK(await([] { return has_strayed("state listener"); }));
    }
    crosstie::on_stray_exception(nullptr);
    CHECK(alive == 0);
}

int main() {
    handlers_go_with_what_holds_them();
    dead_handles_leave_nothing();
    refusals_leave_nothing();
    components_that_were_never_added_leave_nothing();
    callables_are_moved_not_copied();
    a_copy_that_throws_leaves_nothing();
    exceptions_without_a_caller_are_reported();
    return check_end();
}
