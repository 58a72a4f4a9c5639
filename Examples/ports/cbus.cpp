// The home component of CBus's document.
#include <crosstie.hpp>
#include <future>
#include <iostream>
#include <thread>

// [port]
static crosstie::value test_action(crosstie::request &) {
    return {{"status", "success"}, {"message", "from testAction"}};
}

static void async_action(crosstie::request &request) {
    std::thread([kept = request.keep()] { kept.reply({{"status", "success"}}); }).detach();
}

static const crosstie::declared_component home(
    crosstie::component("home").action("testAction", test_action).action("asyncAction", async_action));

static void show(const crosstie::response_view &response) {
    if (!response.ok()) return;
    std::cout << response.value().read("status", "?") << ": " << response.value().read("message", "no message") << "\n";
}

int main() {
    crosstie::bus_options options;
    options.flags = CTIE_BUS_STATIC;
    auto bus = crosstie::bus::make(options);
    show(bus.call("home", "testAction", {{"name", "cbus"}}));
    std::promise<void> done;
    bus.call_async("home", "asyncAction", nullptr, [&](const crosstie::response_view &response) {
        show(response);
        done.set_value();
    });
    done.get_future().wait();
}
// [end]
