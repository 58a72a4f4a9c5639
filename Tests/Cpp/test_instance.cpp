// The single instance in C++: two of one process.
#include "support.hpp"

using crosstie::bus;
using crosstie::instance;
using crosstie::value;

static std::string directory() { return "/tmp/crosstie-test-" + std::to_string(getpid()); }

static void a_url_opens_in_the_first_instance() {
    const std::string path = directory();
    std::atomic<int> opened{0};
    bus first_bus = bus::make({"first"}), second_bus = bus::make({"second"});
    auto route = first_bus.route("app://items/:number", [&](crosstie::request &asked) {
        ++opened;
        return value{{"number", asked.param("number", "")}, {"token", asked.user_info()["activation"]["token"]}};
    }, crosstie::route_options(CTIE_ROUTE_PUBLIC));
    crosstie::instance_options options;
    options.directory = path;
    instance first = instance::claim(first_bus, "com.example.app", options);
    CHECK(first.is_first());
    const value kept = first.hand({"app://items/1"}, value{{"token", "a"}});
    CHECK(kept[0]["status"] == CTIE_PENDING);
    first.ready();
    CHECK(await([&] { return opened == 1; }));
    const instance second = instance::claim(second_bus, "com.example.app", options);
    CHECK(!second.is_first());
    CHECK_THROWS(CTIE_E_INVALID, second.ready());
    const value handed = second.hand({"app://items/2"}, value{{"token", "b"}}, std::chrono::milliseconds(-1));
    CHECK(handed[0]["url"] == "app://items/2" && handed[0]["value"]["token"] == "b");
    CHECK_THROWS(CTIE_E_NO_ROUTE, second.hand({"app://nowhere"}));
    CHECK_STATUS(first.reset(), CTIE_OK);
    CHECK(second.hand()[0]["status"] == CTIE_PENDING && second.is_first());
    CHECK(!instance().is_first());
}

int main() {
    a_url_opens_in_the_first_instance();
    const std::string command = "rm -rf " + directory();
    CHECK(system(command.c_str()) == 0);
    return check_end();
}
