// Joined buses in C++: two of one process reach each other by a group.
#include "support.hpp"

using crosstie::bus;
using crosstie::join;
using crosstie::list;
using crosstie::value;
using crosstie::wormhole;

static std::string directory() { return "/tmp/crosstie-test-" + std::to_string(getpid()); }

static wormhole open_group() {
    crosstie::wormhole_options options;
    const std::string path = directory();
    options.directory = path;
    options.name = "tester";
    return wormhole::open("test", std::move(options));
}

static void a_call_reaches_the_other_bus() {
    const wormhole group = open_group();
    bus shop = bus::make({"shop"}), stock = bus::make({"stock"});
    auto added = stock.add(crosstie::component("stock").action("count", [](crosstie::request &asked) {
        return value{{"peer", asked.peer()["name"]}, {"leaves", asked.is_leaving()}};
    }));
    std::atomic<int> admitted{0};
    crosstie::join_options exporting;
    exporting.name = "stock";
    exporting.exports = {"stock"};
    exporting.max_calls = 4;
    exporting.max_frame_size = 8192;
    exporting.flags = CTIE_JOIN_TRUSTED;
    exporting.admit = [&](const value &peer) {
        admitted += peer["name"] == "shop" ? 1 : 100;
        return true;
    };
    const join other = join::open(stock, group, std::move(exporting));
    crosstie::join_options importing;
    importing.name = "shop";
    importing.imports = {"*"};
    const join own = join::open(shop, group, std::move(importing));
    CHECK(own.peers()[0]["name"] == "stock" && own.peers()[0]["exports"] == list{"stock"});
    CHECK(shop.call("stock", "count").value() == value({{"peer", "shop"}, {"leaves", false}}));
    crosstie::request_options options;
    options.peer = "nobody";
    CHECK_THROWS(CTIE_E_NO_COMPONENT, shop.call("stock", "count", {}, std::move(options)));
    other.set_exports({"stock.count"});
    CHECK_THROWS(CTIE_E_IDENTIFIER, other.set_exports({"*"}));
    CHECK(admitted == 1);
}

int main() {
    a_call_reaches_the_other_bus();
    const std::string command = "rm -rf " + directory();
    CHECK(system(command.c_str()) == 0);
    return check_end();
}
