// The home component of CBus's document.
#include <crosstie.hpp>
#include <future>
#include <iostream>
#include <thread>

static std::thread worker;

// [port]
static crosstie::value test_action(crosstie::request &) {
    return {{"status", "success"}, {"message", "from testAction"}};
}

static void async_action(crosstie::request &request) {
    worker = std::thread([kept = request.retain()] { kept.reply({{"status", "success"}}); });
}

static const crosstie::declared_component home(
    crosstie::component("home").action("testAction", test_action).action("asyncAction", async_action));

static void show(const crosstie::response_view &response) {
    if (!response.ok()) return;
    std::cout << response.value().read("status", "?") << ": " << response.value().read("message", "no message") << "\n";
}
// [end]

int main() {
    std::promise<void> done; // outlives the bus, so that a running handler may still set it
    auto bus = crosstie::bus::make({"home", CTIE_BUS_STATIC});

    // [port]
    show(bus.call("home", "testAction", {{"name", "cbus"}}));
    bus.call_async("home", "asyncAction", nullptr, [&](const crosstie::response_view &response) {
        show(response);
        done.set_value();
    });
    done.get_future().wait();
    // [end]
    worker.join();
}
