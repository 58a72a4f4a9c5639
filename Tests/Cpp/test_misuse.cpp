// Misuse that must not break anything: moved-from and consumed objects, methods of other classes, too many
// interceptors, structs that the library refuses, macros of other headers.
#define timeout(delay) the_timeout_of_curses(delay)
#include <crosstie.hpp>

#include "support.hpp"

using crosstie::bus;
using crosstie::component;
using crosstie::provider;
using crosstie::request;
using crosstie::value;

static std::atomic<int> alive{0};

template <class F>
static counted<F> mine(F f) {
    return counted<F>(alive, std::move(f));
}

static auto handles() { return mine([](request &asked) { asked.reply(1); }); }

/** Notes whether something fails with a status, and leaves no callable. */
#define REFUSED(expected, ...) \
    do { \
        CHECK_STATUS((__VA_ARGS__).status(), expected); \
        CHECK(alive == 0); \
    } while (0)

/* ---- Structs of newer headers -------------------------------------------------------------------- */

/** A runtime that has more than this library knows. */
struct newer_runtime {
    ctie_runtime known;
    std::size_t appended;
};
static const newer_runtime newer = {{sizeof(newer_runtime), nullptr, nullptr}, 1};

static provider launcher(const char *name) { return provider(name).platform("x").launch(handles()); }

static void what_a_newer_runtime_brings_is_destroyed_once() {
    const bus on = bus::make();
    REFUSED(CTIE_E_ABI, on.try_add_provider(launcher("p").runtime(&newer.known)));
    std::vector<provider> several;
    several.push_back(launcher("p"));
    several.push_back(launcher("q").runtime(&newer.known));
    several.push_back(launcher("r"));
    REFUSED(CTIE_E_ABI, on.try_set_providers(std::move(several)));
    CHECK(on.providers().size() == 0);
    REFUSED(CTIE_E_ABI, on.try_add(component("c").action("a", handles()).interceptor(handles()).runtime(&newer.known)));
    crosstie::route_options options;
    options.interceptors.push_back(handles());
    options.runtime = &newer.known;
    REFUSED(CTIE_E_ABI, on.try_route("app://x", handles(), std::move(options)));
}

/* ---- Too many interceptors ------------------------------------------------------------------------ */

template <class Options>
static Options with_interceptors(int count) {
    Options options;
    for (int i = 0; i < count; i++) {
        options.interceptors.push_back(mine([](request &asked) { asked.proceed(); }));
    }
    return options;
}

static void over_64_interceptors_are_refused() {
    const bus on = bus::make();
    {
        auto most = on.route("app://most", handles(), with_interceptors<crosstie::route_options>(64));
        CHECK(on.open("app://most").value() == 1);
    }
    const auto registered = [] { return with_interceptors<crosstie::handler_options>(65); };
    const auto asked = [] { return with_interceptors<crosstie::request_options>(65); };
    const auto local = crosstie::origin::local;
    REFUSED(CTIE_E_LIMIT, on.try_route("app://x", handles(), with_interceptors<crosstie::route_options>(65)));
    REFUSED(CTIE_E_LIMIT, on.try_set_unmatched(handles(), registered()));
    REFUSED(CTIE_E_LIMIT, on.try_open("app://x", local, asked()));
    REFUSED(CTIE_E_LIMIT, on.try_open_async("app://x", local, nullptr, asked()));
    REFUSED(CTIE_E_LIMIT, on.try_broadcast("e", nullptr, asked()));
    REFUSED(CTIE_E_LIMIT, on.try_provider_open_url("app://x", local, asked()));
    auto many = component("c").action("a", handles());
    for (int i = 0; i < 65; i++) many = std::move(many).interceptor(handles());
    CHECK_STATUS(on.try_add(std::move(many)).status(), CTIE_E_LIMIT);
}

/* ---- Methods --------------------------------------------------------------------------------------- */

struct padding {
    virtual ~padding() = default;
    int filler = 7;
};
struct named {
    int get(request &) const noexcept { return number; }
    int number = 5;
};
struct both : padding, named {
    int own(request &) noexcept { return filler; }
};

static void methods_are_of_what_the_factory_makes() {
    const bus on = bus::make();
    const auto makes = [] { return std::make_unique<both>(); };
    CHECK_STATUS(on.try_add(component("c").method<&both::own>("own")).status(), CTIE_E_INVALID);
    CHECK_STATUS(on.try_add(component("c").factory(makes).method<&both::get>("get")).status(), CTIE_E_INVALID);
    CHECK_STATUS(on.try_add(component("c").method<&named::get>("get").factory(makes)).status(), CTIE_E_INVALID);
    on.add(component("c").method<&both::get, both>("get").factory(makes).method<&both::own>("own")).keep();
    CHECK(on.call("c", "get").value() == 5 && on.call("c", "own").value() == 7);
    static const crosstie::declared_component declared(component("d").factory(makes).method<&both::get>("get"));
    CHECK_STATUS(declared.status(), CTIE_E_INVALID);
}

/* ---- Moved from, and given away -------------------------------------------------------------------- */

template <class T>
static void move_onto_itself(T &thing) {
    T &same = thing;
    thing = std::move(same);
}

static void builders_may_be_moved() {
    const bus on = bus::make();
    auto parts = component("c").doc("a text that is too long to lie within a string itself");
    parts = std::move(parts).action("a", handles());
    move_onto_itself(parts);
    component taken = std::move(parts);
    CHECK(alive == 1);
    parts = std::move(parts).action("b", handles()).factory([] { return std::make_unique<int>(1); });
    CHECK(alive == 1);
    CHECK_STATUS(on.try_add(std::move(parts)).status(), CTIE_E_INVALID);
    on.add(std::move(taken)).keep();
    CHECK(on.call("c", "a").value() == 1 && on.components()[0]["doc"].size() > 40);
    CHECK_STATUS(on.try_add(std::move(taken)).status(), CTIE_E_INVALID);

    auto shares = provider("p").platform("x");
    shares = std::move(shares).launch(handles()).installed([] { return true; });
    move_onto_itself(shares);
    provider other = std::move(shares);
    CHECK(alive == 2);
    shares = std::move(shares).launch(handles()).can_launch([](request &) { return true; });
    CHECK(alive == 2 && shares.take().destroy == nullptr);
    CHECK_STATUS(on.try_add_provider(std::move(shares)).status(), CTIE_E_INVALID);
    on.add_provider(std::move(other)).keep();
    CHECK(on.launch("x").value() == 1);
    CHECK_STATUS(on.try_add_provider(std::move(other)).status(), CTIE_E_INVALID);
    std::vector<provider> again;
    again.push_back(std::move(other));
    CHECK_STATUS(on.try_set_providers(std::move(again)).status(), CTIE_E_INVALID);
}

static void errors_keep_their_words() {
    crosstie::error first(CTIE_E_BUSY, "later", "byte 3");
    const crosstie::error second = std::move(first);
    CHECK(first.message() == "later" && std::string(first.what()) == "later" && first.location() == "byte 3");
    crosstie::error third(CTIE_E_LIMIT);
    third = std::move(first);
    CHECK(first.status() == CTIE_E_BUSY && third.message() == first.message() && second.code() == first.code());
}

static void nothing_to_be_called_is_nothing() {
    const bus on = bus::make();
    void (*const none)(request &) = nullptr;
    CHECK(!crosstie::handler(none) && !crosstie::handler(std::function<void(request &)>()));
    CHECK_STATUS(on.try_route("app://none", none).status(), CTIE_E_INVALID);
    CHECK(on.set_unmatched([](request &) { return 1; }) && on.set_unmatched(none));
    CHECK_STATUS(on.try_open("app://none").status(), CTIE_E_BLOCKED); // it has no routes
}

/* ---- What is thrown -------------------------------------------------------------------------------- */

static void what_is_thrown_keeps_what_can_be_kept() {
    const bus on = bus::make();
    const auto details = std::make_shared<value>(value{{"why", "x"}});
    on.route("app://busy", [](request &) { throw crosstie::error(CTIE_E_BUSY, "\xFF"); }).keep();
    on.route("app://own", [&](request &) { throw crosstie::error::failure(12, "\xFF", details); }).keep();
    on.route("app://odd", [](request &) { throw crosstie::error(-9999, "no such status"); }).keep();
    on.route("app://fine", [](request &) { return 1; }).keep();
    CHECK_STATUS(on.try_open("app://busy").status(), CTIE_E_BUSY);
    const auto own = on.try_open("app://own");
    CHECK(own.error().code() == 12 && *own.error().details() == *details);
    CHECK(own.error().message() == "the handler threw");
    CHECK(on.try_open("app://odd").error().message() == "no such status");
    CHECK_STATUS(on.try_open("app://odd").status(), CTIE_E_HANDLER);
    for (const char *said : {"spoilt", "\xFF"}) {
        auto spoils = on.intercept([&, said](request &asked) {
            asked.on_return([&, said](const crosstie::response_view &) {
                throw crosstie::error::failure(9, said, details);
            });
            asked.proceed();
        });
        const auto spoilt = on.try_open("app://fine");
        CHECK(spoilt.error().code() == 9 && *spoilt.error().details() == *details);
        CHECK(spoilt.error().message() == (said[0] == 's' ? "spoilt" : "the callback threw"));
    }
}

static std::atomic<int> strays{0};

static void what_a_listener_throws_does_not_vanish() {
    crosstie::on_stray_exception([](const char *message) noexcept {
        if (std::string_view(message) == "from the queue") strays++;
    });
    const auto group = crosstie::wormhole::open("plain-queue", CTIE_WORMHOLE_MEMORY);
    auto receives = group.listen("a", [](const crosstie::message &) { throw std::runtime_error("from the queue"); },
                              CTIE_LISTEN_QUEUE);
    group.send("a", 1);
    CHECK(await([] { return strays == 1; }));
    CHECK(receives.remove());
    crosstie::on_stray_exception(nullptr);
}

template <class Result>
static void names(const Result &got, crosstie::status expected, const char *what) {
    CHECK_STATUS(got.status(), expected);
    CHECK(!got && got.error().message().find(what) != std::string::npos);
}

/** Removals that find nothing: the error names it. */
static void removals_name_it() {
    const bus on = bus::make();
    names(on.try_remove_component("hone"), CTIE_E_NO_COMPONENT, "'hone'");
    names(on.try_remove_type("Hone"), CTIE_E_NO_COMPONENT, "'Hone'");
    names(on.try_remove_instance(&on), CTIE_E_NO_COMPONENT, "has this instance");
    names(on.try_move_provider("mial", 0), CTIE_E_NOT_FOUND, "'mial'");
    names(on.try_remove_provider("mial"), CTIE_E_NOT_FOUND, "'mial'");
    names(on.try_provider_log("mial", "line"), CTIE_E_NOT_FOUND, "'mial'");
    names(on.try_set_provider_log("mial", nullptr), CTIE_E_NOT_FOUND, "'mial'");
    names(on.try_unload_plugin("/nowhere/plugin.so"), CTIE_E_NOT_FOUND, "/nowhere/plugin.so");
    names(on.try_release_target("c:puts"), CTIE_E_DENIED, "'c:puts'");
    names(on.try_cancel_all("fats"), CTIE_E_NOT_FOUND, "'fats'");
    const auto group = crosstie::wormhole::open("names", CTIE_WORMHOLE_MEMORY);
    names(group.try_remove_listener("chat.a", "bagde"), CTIE_E_NOT_FOUND, "'bagde'");
    names(group.try_remove_listeners("chat.*"), CTIE_E_NOT_FOUND, "'chat.*'");
    const bus none;
    names(none.try_set_log(nullptr), CTIE_E_HANDLE, "bus handle");
}

static void durations_do_not_wrap() {
    crosstie::wormhole_options options(CTIE_WORMHOLE_MEMORY);
    options.timeout = std::chrono::milliseconds(std::int64_t(1) << 32);
    options.retain = -1ms;
    options.expires = -1ms;
    const auto group = crosstie::wormhole::open("durations", std::move(options));
    crosstie::send_options negative;
    negative.expires = negative.delay = -5ms;
    group.send("a", 1, negative);
    CHECK(group.message("a").value() == 1 && group.message("a").expires() == 0);
    using crosstie::detail::to_field;
    CHECK(to_field<std::uint32_t>(std::chrono::milliseconds(std::int64_t(1) << 32)) == UINT32_MAX);
    CHECK(to_field<std::uint32_t>(7ms) == 7 && to_field<std::uint32_t>(-7ms) == 0 && to_field<std::uint64_t>(7ms) == 7);
    CHECK(to_field<std::uint64_t>(std::chrono::milliseconds::max()) == INT64_MAX);
}

int main() {
    what_a_newer_runtime_brings_is_destroyed_once();
    over_64_interceptors_are_refused();
    CHECK(alive == 0);
    methods_are_of_what_the_factory_makes();
    builders_may_be_moved();
    errors_keep_their_words();
    nothing_to_be_called_is_nothing();
    what_is_thrown_keeps_what_can_be_kept();
    what_a_listener_throws_does_not_vanish();
    removals_name_it();
    durations_do_not_wrap();
    CHECK(alive == 0);
    return check_end();
}
