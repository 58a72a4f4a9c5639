// Components: of callables and of objects, declared and from plug-ins; events; providers, sharing, performing.
#include "support.hpp"

using crosstie::bus;
using crosstie::component;
using crosstie::list;
using crosstie::request;
using crosstie::value;

struct counter {
    counter() { alive++; }
    ~counter() { alive--; }
    value add(request &asked) { return count += asked.param("by", 1); }
    void describe(const request &asked) const { asked.reply(count); }
    int fail(request &) { throw crosstie::error::failure(4, "method"); }
    int count = 0;
    static inline int alive = 0;
};

static const crosstie::declared_component declared(
    component("declared")
        .action("who", [](request &asked) { return asked.action() == "who" ? asked.target() : "nobody"; })
        .doc("Known before main()."));

static void callables_are_actions(const bus &on) {
    auto clock = on.add(component("clock")
                            .action("now", [](request &asked) { return value{{"zone", asked.param("zone", "none")}}; },
                                    0, "The time.")
                            .action("late", [](request &) { throw std::runtime_error("late"); })
                            .priority(3)
                            .type("clocks")
                            .doc("Tells the time."));
    CHECK(on.call("clock", "now", {{"zone", "UTC"}}).value() == value({{"zone", "UTC"}}));
    CHECK(on.call("clock", "now").value() == value({{"zone", "none"}}));
    CHECK(on.try_call("clock", "late").error().message() == "late");
    CHECK_THROWS(CTIE_E_NO_ACTION, on.call("clock", "soon"));
    CHECK_THROWS(CTIE_E_NO_COMPONENT, on.call("watch", "now"));
    const value listed = on.components()[0];
    CHECK(listed["name"] == "clock" && listed["language"] == "c++" && listed["type"] == "clocks" &&
          listed["priority"] == 3);
    CHECK(on.remove_component("clock"));
    CHECK_THROWS(CTIE_E_HANDLE, clock.remove());
    on.add(component("clock").type("clocks").action("now", [](request &) { return 1; })).keep();
    CHECK(on.remove_type("clocks"));
}

static void objects_are_components(const bus &on) {
    auto counts = on.add(component("counter")
                             .factory([] { return std::make_unique<counter>(); })
                             .method<&counter::add>("add")
                             .method<&counter::describe>("tell", 0, "How many.")
                             .method<&counter::fail>("fail")
                             .action("who", [](request &) { return "closure"; })
                             .flags(CTIE_COMPONENT_LAZY));
    CHECK(counter::alive == 0);
    CHECK(on.call("counter", "add", {{"by", 5}}).value() == 5 && on.call("counter", "add").value() == 6);
    CHECK(counter::alive == 1 && on.call("counter", "tell").value() == 6 &&
          on.call("counter", "who").value() == "closure");
    CHECK(on.try_call("counter", "fail").error().code() == 4);
    CHECK(counts.remove() && counter::alive == 0);
}

static void events_are_received(const bus &on) {
    std::string received;
    auto first = on.add(component("first").event("woke", [&received](request &) { received += "1"; }).priority(2));
    auto second = on.add(component("second").event("woke", [&received](request &) {
        received += "2";
        throw std::runtime_error("tired");
    }));
    const value report = on.broadcast("woke");
    CHECK(received == "12" && report["count"] == 2 && report["failures"][0]["message"] == "tired");
    CHECK(on.broadcast_async("woke").wait().value()["count"] == 2 && received == "1212");
}

static void static_components_are_declared() {
    CHECK_STATUS(declared.status(), CTIE_OK);
    crosstie::bus_options options;
    options.flags = CTIE_BUS_STATIC;
    const bus on = bus::make(options);
    CHECK(on.call("declared", "who").value() == "declared");
    static const crosstie::declared_component again(component("declared").action("a", [](request &) {}));
    static const crosstie::declared_component nameless(component("").action("a", [](request &) {}));
    static const crosstie::declared_component intercepted(component("x").interceptor([](request &) {}));
    CHECK(again.status() == CTIE_E_CONFLICT && nameless.status() == CTIE_E_NO_NAME);
    CHECK(intercepted.status() == CTIE_E_INVALID);
}

static void plugins_bring_components(const bus &on, const std::string &directory) {
    const std::string path = directory + "/plugins/greeter.so";
    CHECK(on.load_plugin(path) == 1);
    CHECK(on.call("greeter", "greet", {{"name", "Ada"}}).value() == "hello Ada");
    CHECK(on.try_call("greeter", "fail").error().message() == "not now");
    CHECK(on.try_call("greeter", "fail").status() == CTIE_E_BUSY);
    CHECK_THROWS(CTIE_E_ALREADY, on.load_plugin(path));
    CHECK(on.unload_plugin(path));
    CHECK_THROWS(CTIE_E_NO_COMPONENT, on.call("greeter", "greet"));
    CHECK_THROWS(CTIE_E_SYSTEM, on.load_plugin("/nowhere.so"));
}

static void providers_share_and_sign_in(const bus &on) {
    std::string logged;
    auto one = on.add_provider(crosstie::provider("one")
                                   .share([](request &asked) { asked.reply(); })
                                   .endpoint("post", {CTIE_SHARE_KIND_TEXT})
                                   .platform("house")
                                   .oauth([](request &) { return value{{"token", "t"}}; })
                                   .launch([](request &asked) { asked.refuse(CTIE_E_USER_CANCELLED); })
                                   .app_id("houseapp")
                                   .open_url([](request &asked) { asked.reply(asked.url().value_or("")); }));
    on.add_provider(crosstie::provider("two").share([](request &) { throw std::runtime_error("two"); })
                        .endpoint("odd", {"own"})
                        .can_share([](request &asked) { return asked.target() == "odd"; })).keep();
    CHECK(on.share("post", {{"identifier", CTIE_SHARE_KIND_TEXT}, {"text", "hi"}}).ok());
    CHECK(on.try_share("odd", {{"identifier", "own"}}).error().message() == "two");
    CHECK(on.try_share("none", {{"identifier", "own"}}).status() == CTIE_E_NO_HANDLER);
    CHECK(on.oauth("house").value() == value({{"token", "t"}}));
    CHECK_THROWS(CTIE_E_USER_CANCELLED, on.launch("house"));
    CHECK(on.provider_open_url("houseapp://back", crosstie::origin::local) &&
          !on.provider_open_url("other://x", crosstie::origin::local));
    CHECK(!on.provider_open_activity({{"activityType", "x"}}, crosstie::origin::local));
    CHECK(on.share_async("post", {{"identifier", CTIE_SHARE_KIND_TEXT}, {"text", "hi"}}).wait().ok());
    CHECK(on.oauth_async("house").wait().ok() &&
          on.launch_async("house").try_wait().status() == CTIE_E_USER_CANCELLED);
    on.set_provider_log("one",
            [&logged](std::string_view message, std::string_view file, std::string_view, std::int32_t line) {
        logged = std::string(file) + ":" + std::to_string(line) + " " + std::string(message);
    });
    on.provider_log("one", "said", "here", nullptr, 5);
    CHECK(logged == "here:5 said");
    on.move_provider("two", 0);
    CHECK(on.providers()[0]["name"] == "two" && one.remove() && on.providers().size() == 1);
    CHECK(on.remove_provider("two"));
    std::vector<crosstie::provider> others;
    others.push_back(crosstie::provider("three").platform("house").launch([](request &) { return 3; }));
    CHECK(on.set_providers(std::move(others)) && on.launch("house").value() == 3);
    auto system = on.add_system_provider();
    CHECK(on.providers()[1]["name"] == "system");
}

extern "C" void cpp_target(ctie_request *raw, void *) { (void)request(raw).try_reply(request(raw).action()); }

static void targets_are_performed(const bus &on) {
    CHECK_THROWS(CTIE_E_DENIED, on.perform("c:cpp_target", "go"));
    on.allow("c:cpp_target");
    CHECK(on.perform("c:cpp_target", "go").value() == "go");
    CHECK(on.perform_async("c:cpp_target", "later").wait().value() == "later");
    on.set_resolver("own", [](request &asked) {
        if (asked.flags() & CTIE_REQUEST_RELEASE) return value("released");
        if (asked.action() != "go") throw crosstie::error(CTIE_E_NO_ACTION);
        return value(asked.target());
    });
    on.allow("own:thing");
    CHECK(on.perform("own:thing", "go").value() == "own:thing");
    CHECK_THROWS(CTIE_E_NO_ACTION, on.perform("own:thing", "stop"));
    on.set_fallback([](request &) { return "fallback"; });
    CHECK(on.perform("own:thing", "stop").value() == "fallback");
    CHECK(on.try_release_target("own:thing").has_value());
}

int main(int, char **arguments) {
    const std::string program = arguments[0];
    const bus on = bus::make();
    callables_are_actions(on);
    objects_are_components(on);
    events_are_received(on);
    static_components_are_declared();
    plugins_bring_components(on, program.substr(0, program.rfind('/')));
    providers_share_and_sign_in(on);
    targets_are_performed(on);
    return check_end();
}
