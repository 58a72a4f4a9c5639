// Routes, requests, rules, interceptors, logs and the rest of a bus.
#include "support.hpp"

using crosstie::bus;
using crosstie::handler;
using crosstie::list;
using crosstie::origin;
using crosstie::request;
using crosstie::value;

/** Options without a deadline: on a machine that has much else to do none fails for that. */
static crosstie::request_options without_limit() { return {-1ms}; }

static void handlers_answer(const bus &on) {
    on.route("app://value/:id", [](request &asked) { return value{{"id", asked.param("id", 0)}}; }).keep();
    on.route("app://text", [](const request &) { return "text"; }).keep();
    on.route("app://self", [](request &asked) { asked.reply(list{1, 2}); }).keep();
    on.route("app://nothing", [](request &) {}).keep();
    on.route("app://fail", [](request &asked) { asked.fail(7, "no", {{"why", "x"}}); }).keep();
    on.route("app://deny", [](request &asked) { asked.deny("not you"); }).keep();
    on.route("app://refuse", [](request &asked) { asked.refuse(CTIE_E_BUSY); }).keep();
    on.route("app://empty", [](request &) { return value::empty(); }).keep();
    CHECK(on.open("app://value/42").value() == value({{"id", 42}}));
    CHECK(on.open("app://text").value() == "text");
    CHECK(on.open("app://self").value() == list({1, 2}) && on.open("app://self").code() == 1);
    CHECK(on.open("app://nothing").value().is_null() && on.open("app://nothing").ok());
    CHECK_THROWS(CTIE_E_DENIED, on.open("app://deny"));
    CHECK_THROWS(CTIE_E_BUSY, on.open("app://refuse"));
    CHECK_THROWS(CTIE_E_INVALID, on.open("app://empty"));
    CHECK_THROWS(CTIE_E_NO_ROUTE, on.open("app://none"));
    const auto failed = on.try_open("app://fail");
    CHECK_STATUS(failed.status(), CTIE_E_HANDLER);
    CHECK(failed.error().code() == 7 && failed.error().message() == "no");
    CHECK(failed.error().details() != nullptr && *failed.error().details() == value({{"why", "x"}}));
    const auto malformed = on.try_open("app://%zz");
    CHECK(!malformed && malformed.status() == CTIE_E_URL && malformed.error().location().find("byte") == 0);
}

static void throwing(const bus &on, const char *url, handler fn) { on.route(url, std::move(fn)).keep(); }

static void exceptions_become_failures(const bus &on) {
    throwing(on, "app://status", [](request &) { throw crosstie::error(CTIE_E_BUSY, "later", "byte 3"); });
    throwing(on, "app://failure", [](request &) {
        throw crosstie::error::failure(12, "mine", std::make_shared<value>(list{1}));
    });
    throwing(on, "app://standard", [](request &) -> value { throw std::runtime_error("standard"); });
    throwing(on, "app://odd", [](request &) { throw 3; });
    throwing(on, "app://garbled", [](request &) { throw std::runtime_error("\xFF"); });
    throwing(on, "app://long", [](request &) { throw std::runtime_error(std::string(70000, 'x')); });
    throwing(on, "app://memory", [](request &) { throw std::bad_alloc(); });
    throwing(on, "app://answered", [](request &asked) {
        asked.reply(1);
        throw std::runtime_error("too late");
    });
    throwing(on, "app://inner", [&on](request &) { return on.open("app://failure").value(); });
    auto opened = on.try_open("app://status");
    CHECK(opened.status() == CTIE_E_BUSY && opened.error().message() == "later");
    opened = on.try_open("app://failure");
    CHECK(opened.status() == CTIE_E_HANDLER && opened.error().code() == 12 && opened.error().message() == "mine");
    CHECK(*opened.error().details() == list{1});
    opened = on.try_open("app://standard");
    CHECK(opened.status() == CTIE_E_HANDLER && opened.error().code() == -1 && opened.error().message() == "standard");
    CHECK(on.try_open("app://odd").status() == CTIE_E_HANDLER);
    CHECK(on.try_open("app://garbled").error().message() == "the handler threw");
    CHECK(on.try_open("app://long").error().message() == "the handler threw");
    CHECK(on.try_open("app://memory").status() == CTIE_E_NO_MEMORY);
    CHECK(on.open("app://answered").value() == 1);
    opened = on.try_open("app://inner");
    CHECK(opened.error().code() == 12 && opened.error().message() == "mine" && *opened.error().details() == list{1});
}

static void parameters_are_listed(const bus &on) {
    on.route("app://each/:id<int>/:name", [](request &asked) {
        std::string all;
        asked.each_param([&all](std::string_view name, std::string_view text, const value &other) {
            all += std::string(name) + "=" + std::string(text) + (other ? other.to_json() : "") + ";";
            return name != "n";
        });
        CHECK(all == "id=5;name=x;n=[\"1\",\"2\"];");
        try {
            asked.each_param([](std::string_view, std::string_view, const value &) -> bool { throw 5; });
            CHECK(!"nothing was thrown");
        } catch (int thrown) {
            CHECK(thrown == 5);
        }
        CHECK(asked.try_each_param([](auto...) { return true; }).has_value());
    }).keep();
    on.open("app://each/5/x?n=1&n=2&last=1", origin::local, without_limit());
}

static void requests_are_asked(const bus &on) {
    on.route("app://ask/:id<int>/:name", [&on](request &asked) {
        CHECK(asked.kind() == crosstie::request_kind::open && asked.origin() == origin::local);
        CHECK(asked.pattern() == "app://ask/:id<int>/:name" && asked.unmatched().empty());
        CHECK(asked.url() == "app://ask/5/x?flag=true&n=1&n=2&half=0.5&word=5" &&
              !asked.url(crosstie::url_part::fragment));
        CHECK(asked.url(crosstie::url_part::scheme) == "app");
        CHECK(asked.param<int>("id") == 5 && asked.param<bool>("flag") == true && asked.param("half", 0.0) == 0.5);
        CHECK(asked.param("word", "") == "5" && asked.param("word", 0) == 5 && asked.param("none", "d") == "d");
        CHECK(!asked.param<int>("name") && !asked.param<int>("n") && asked.text("name") == "x" && !asked.text("n"));
        CHECK(asked.query_all("n") == list({"1", "2"}) && asked.query_at(1)->first == "n" && !asked.query_at(9));
        CHECK(asked.path_param_at(1)->second == "x" && !asked.path_param_at(2));
        CHECK(asked.params()["id"] == 5 && !asked.rule() && !asked.arguments());
        CHECK(asked.user_info() == value({{"who", "me"}}) && asked.raw_user_info() == asked.user_info());
        CHECK(asked.bus().name() == "shop" && asked.bus().get() == on.get());
        CHECK(!asked.is_ended() && !asked.is_cancelled() && asked.time_left() == -1 && asked.flags() == 0);
        CHECK(asked.target().empty() && asked.action().empty());
    }).keep();
    const char *const url = "app://ask/5/x?flag=true&n=1&n=2&half=0.5&word=5";
    crosstie::request_options options = without_limit();
    options.user_info = {{"who", "me"}};
    on.open(url, origin::local, std::move(options));
    on.open(url, origin::local, {value{{"who", "me"}}, -1ms});
    on.route("app://who", [](request &asked) { return asked.user_info()["who"]; }).keep();
    const value me{{"who", "me"}};
    CHECK(on.open("app://who", origin::local, {{"who", "you"}}).value() == "you");
    CHECK(on.open("app://who", origin::local, me).value() == "me");
    on.route("app://number", [](request &asked) { return asked.param("n", 7); }).keep();
    CHECK(on.open("app://number?n=-12").value() == -12 && on.open("app://number?n=1e1").value() == 7);
    CHECK(on.open("app://number?n=5%20").value() == 7 && on.open("app://number?n=%205").value() == 7);
    CHECK(on.open("app://number?n=5%0A").value() == 7 && on.open("app://number?n=").value() == 7);
    on.route("app://half", [](request &asked) { return asked.param("n", 7.0); }).keep();
    CHECK(on.open("app://half?n=0." + std::string(398, '0')).value() == 0.0);
    CHECK(on.open("app://half?n=0." + std::string(399, '0')).value() == 7.0);
    on.route("app://left", [](request &asked) { return asked.time_left() > 0 && asked.time_left() <= 90000; }).keep();
    CHECK(on.open("app://left", origin::local, {90s}).value() == true);
    CHECK(request(nullptr).time_left() == 0);
}

static void a_bus_matches_by_its_mode() {
    crosstie::bus_options nearest("near");
    nearest.mode = crosstie::match::nearest;
    nearest.default_scheme = "near";
    const bus on = bus::make(nearest);
    on.route("/d", [](request &) { return 1; }).keep();
    on.route("near://a", [](request &asked) { return value(asked.unmatched()); }).keep();
    CHECK(on.open("near://a/b/c").value() == "/b/c");
    CHECK(on.open("/d").value() == 1 && on.open("near:///d").value() == 1);
    CHECK(on.open("near://a").value() == "" && on.can_open("near://a/b") == crosstie::opened_by::route);
    const auto exact = crosstie::match::exact;
    CHECK(on.can_open("near://a/b", origin::local, exact) == crosstie::opened_by::none);
    crosstie::request_options options = without_limit();
    options.mode = exact;
    CHECK_STATUS(on.try_open("near://a/b", origin::local, std::move(options)).status(), CTIE_E_NO_ROUTE);
    const bus plain = bus::make({"plain", CTIE_BUS_STATS});
    CHECK(plain.name() == "plain" && plain.try_stats().has_value());
    plain.route("plain://a", [](request &) {}).keep();
    CHECK(plain.can_open("plain://a/b") == crosstie::opened_by::none);
}

static void interceptors_have_an_order_and_kinds() {
    const bus on = bus::make();
    std::string order;
    const auto notes = [&order](char mark) {
        return [&order, mark](request &asked) {
            order += mark;
            asked.proceed();
        };
    };
    crosstie::interceptor_options calls(1);
    calls.kinds = CTIE_INTERCEPT_CALL;
    auto last = on.intercept(notes('z'), 5);
    auto first = on.intercept(notes('a'), -5);
    auto middle = on.intercept(notes('m'));
    auto only_calls = on.intercept(notes('c'), calls);
    on.add_dispatcher("slow");
    crosstie::interceptor_options slow(2);
    slow.dispatcher = "slow";
    auto only_slow = on.intercept(notes('s'), slow);
    on.route("app://x", [](request &) {}).keep();
    on.add(crosstie::component("c").action("x", [](request &) { return 1; }).dispatcher("slow")).keep();
    on.open("app://x", origin::local, without_limit());
    CHECK(order == "amz");
    order.clear();
    on.call_async("c", "x", nullptr, nullptr, without_limit()).wait();
    CHECK(order == "amcsz");
}

static void routes_come_and_go(const bus &on) {
    {
        auto mine = on.route("app://mine", [](request &) {}, CTIE_ROUTE_PUBLIC);
        CHECK(on.can_open("app://mine", origin::remote) == crosstie::opened_by::route);
        CHECK_THROWS(CTIE_E_CONFLICT, on.route("app://mine", [](request &) {}).keep());
        auto moved = std::move(mine);
        CHECK(!mine && moved && on.can_open("app://mine") == crosstie::opened_by::route);
    }
    CHECK(on.can_open("app://mine") == crosstie::opened_by::none);
    crosstie::route_options named;
    named.name = "one";
    named.remark = "for a test";
    auto kept = on.route("app://one/:id", [](request &) {}, std::move(named));
    CHECK(on.generate("app://one/:id", {{"id", 3}}) == "app://one/3");
    CHECK(on.generate_named("one", {{"id", 3}}, {{"q", "a b"}}).find("app://one/3?q=a") == 0);
    CHECK_THROWS(CTIE_E_NOT_FOUND, on.generate_named("two"));
    bool listed = false;
    for (const value &route : on.routes().items()) listed = listed || route["name"] == "one";
    CHECK(listed && kept.remove() && on.can_open("app://one/3") == crosstie::opened_by::none);
    on.route("app://other", [](request &) {}).keep();
    CHECK(on.remove_route("app://other"));
    CHECK_THROWS(CTIE_E_NOT_FOUND, on.remove_route("app://other"));
    CHECK_THROWS(CTIE_E_PATTERN, on.route("app://:", [](request &) {}).keep());
}

static void interceptors_see_requests(const bus &on) {
    on.route("app://seen", [](request &asked) { return asked.arguments().read("who", "nobody"); }).keep();
    {
        auto first = on.intercept([](request &asked) {
            asked.set_params({{"who", "first"}});
            asked.on_return([](const crosstie::response_view &back) {
                back.replace(back.value().to<std::string>() + " and back");
            });
            asked.proceed();
        }, 5);
        CHECK(on.open("app://seen").value() == "first and back");
    }
    {
        auto rewrites = on.intercept([](request &asked) {
            if (asked.url() == "app://unseen/") asked.rewrite("app://seen");
            else asked.proceed();
        });
        CHECK(on.open("app://unseen").value() == "nobody");
    }
    {
        auto throws = on.intercept([](request &) { throw crosstie::error(CTIE_E_DENIED, "stop"); });
        CHECK(on.try_open("app://seen").error().message() == "stop");
    }
    {
        auto spoils = on.intercept([](request &asked) {
            asked.on_return([](const crosstie::response_view &) { throw crosstie::error::failure(9, "spoilt"); });
            asked.proceed();
        });
        CHECK(on.try_open("app://seen").error().code() == 9);
    }
    crosstie::request_options options = without_limit();
    options.interceptors.push_back([](request &asked) {
        asked.set_user_info({{"x", 1}});
        asked.proceed();
    });
    options.interceptors.push_back([](request &asked) { asked.reply(asked.user_info()["x"]); });
    CHECK(on.open("app://seen", origin::local, std::move(options)).value() == 1);
}

static void rules_lead_to_handlers(const bus &on) {
    const char *const table = R"({"format": 1, "version": "1.0.0", "publicSchemes": ["shop"], "privateSchemes": [],
                                  "routeHosts": ["route"], "webHosts": [],
                                  "rules": [{"id": "item", "host": "route", "path": "/items/:id",
                                             "visibility": "public",
                                             "params": {"id": "int"}, "target": "c:show"}]})";
    const auto loaded = on.try_load_rules(table);
    if (!loaded) fprintf(stderr, "    %s at %s\n", loaded.error().what(), loaded.error().location().c_str());
    CHECK(loaded.has_value());
    auto handles = on.handle_rule("item", [](request &asked) { return asked.params()["id"]; });
    CHECK(on.open("shop://route/items/5", origin::remote).value() == 5);
    CHECK(on.generate_rule("item", {{"id", 7}}).find("/items/7") != std::string::npos);
    CHECK(on.rules()["version"] == "1.0.0" && !crosstie::convert_rules(table).empty());
    CHECK(handles.remove() && on.set_navigator([](request &asked) { return asked.rule()["id"]; }));
    CHECK(on.open("shop://route/items/5", origin::remote).value() == "item");
    CHECK(on.set_navigator(nullptr));
    on.unload_rules();
    CHECK_THROWS(CTIE_E_NOT_FOUND, on.rules());
    CHECK_THROWS(CTIE_E_FORMAT, on.load_rules("{"));
    CHECK_THROWS(CTIE_E_SYSTEM, on.load_rules_file("/nowhere/rules.json"));
    CHECK_THROWS(CTIE_E_SYSTEM, crosstie::convert_rules_file("/nowhere/rules.json"));
}

static void what_nobody_takes_is_taken(const bus &on) {
    CHECK(on.set_unmatched([](request &asked) { return asked.url().value_or(""); }));
    CHECK(on.open("app://nobody").value() == "app://nobody/");
    CHECK(on.set_unmatched(nullptr));
    crosstie::system_opener_options options;
    options.schemes = {"mailto"};
    CHECK(on.set_system_opener([](request &) { return "opened"; }, options));
    CHECK(on.open("https://example.org").value() == "opened" && on.open("mailto:a@b").value() == "opened");
    CHECK(on.can_open("https://example.org") == crosstie::opened_by::system);
    CHECK(on.set_system_opener(nullptr, CTIE_SYSTEM_OPENER_OFF));
}

static void a_bus_describes_itself() {
    std::string line;
    crosstie::bus_options options("counting");
    options.flags = CTIE_BUS_STATS;
    const bus on = bus::make(options);
    CHECK(on.set_log([&line](std::int32_t, std::string_view message) { line = message; }));
    on.route("app://one", [](request &asked) {
        asked.reply(1);
    }).keep();
    on.open("app://one");
    CHECK(on.stats().size() >= 1 && on.stats()[0].read("count", 0) >= 0);
    on.add_dispatcher("slow", {2, 8});
    CHECK_THROWS(CTIE_E_CONFLICT, on.add_dispatcher("slow"));
    CHECK(on.cancel_all("slow") == 0);
    CHECK_THROWS(CTIE_E_NOT_FOUND, on.cancel_all("none"));
    CHECK(on.clear_routes());
    CHECK_THROWS(CTIE_E_BLOCKED, on.open("app://one"));
}

static void buses_are_shared_and_moved() {
    bus first = bus::shared("common");
    const bus second = bus::shared("common");
    CHECK(first.get() == second.get());
    bus third = bus::retain(first);
    CHECK_STATUS(first.reset(), CTIE_OK);
    CHECK(!first && third.name() == "common");
    CHECK_THROWS(CTIE_E_HANDLE, first.open("app://x"));
    CHECK_STATUS(first.try_name().status(), CTIE_E_HANDLE);
    CHECK(first.try_route("app://x", [](request &) {}).status() == CTIE_E_HANDLE);
    first = std::move(third);
    CHECK(first.name() == "common" && first.close());
    CHECK_THROWS(CTIE_E_HANDLE, second.name());
}

int main() {
    CHECK(crosstie::version() == CTIE_VERSION);
    const bus on = bus::make({"shop"});
    handlers_answer(on);
    exceptions_become_failures(on);
    parameters_are_listed(on);
    requests_are_asked(on);
    a_bus_matches_by_its_mode();
    interceptors_have_an_order_and_kinds();
    routes_come_and_go(on);
    interceptors_see_requests(on);
    rules_lead_to_handlers(on);
    what_nobody_takes_is_taken(on);
    a_bus_describes_itself();
    buses_are_shared_and_moved();
    return check_end();
}
