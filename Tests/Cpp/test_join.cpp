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

// True where a join accepts a wormhole as an expression of this type.
template <class Wormhole, class = void> struct joins : std::false_type {};
template <class Wormhole>
struct joins<Wormhole, std::void_t<decltype(join::try_open(std::declval<bus &>(), std::declval<Wormhole>(), {}))>>
    : std::true_type {};
static_assert(joins<wormhole &>::value && joins<const wormhole &>::value && joins<crosstie::wormhole_view>::value);
static_assert(!joins<wormhole>::value, "a temporary would be closed before the join");

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

static void a_url_and_an_event_reach_the_other_bus() {
    const wormhole group = open_group();
    bus shop = bus::make({"shop"}), stock = bus::make({"stock"});
    auto route = stock.route("app://items/:id", [](crosstie::request &asked) { return asked.peer()["name"]; },
                             CTIE_ROUTE_PUBLIC);
    auto added = stock.add(crosstie::component("list")
                               .action("saved", [](crosstie::request &) { return true; }, CTIE_ACTION_EVENT)
                               .action("count", [](crosstie::request &) { return 5; }, CTIE_ACTION_IDEMPOTENT)
                               .flags(CTIE_COMPONENT_EXPORTED));
    std::atomic<int> seen{0};
    crosstie::join_options importing;
    importing.name = "shop";
    importing.imports = {"*"};
    const join own = join::open(shop, group, std::move(importing));
    own.set_listener([&](ctie_peer_event event, const value &peer) {
        seen += event == CTIE_PEER_JOINED && peer["name"] == "stock" ? 1 : 100;
    });
    crosstie::join_options exporting;
    exporting.name = "stock";
    exporting.exports = {"app://items/*", "event:saved"};
    const join other = join::open(stock, group, std::move(exporting));
    while (seen == 0) usleep(1000);
    CHECK(shop.open("app://items/5").value() == "shop");
    CHECK(shop.can_open_anywhere("app://items/5") == crosstie::opened_by::peer);
    CHECK(shop.can_open("app://items/5") == crosstie::opened_by::none);
    CHECK(shop.broadcast("saved")["count"] == 1 && shop.broadcast("saved")["any"] == true);
    CHECK(shop.call("list", "count").value() == 5);
    const value found = shop.components_anywhere();
    CHECK(found.size() == 1 && found[0]["name"] == "list" && found[0]["peer"]["name"] == "stock");
    own.set_listener({});
    CHECK(seen == 1);
}

int main() {
    a_call_reaches_the_other_bus();
    a_url_and_an_event_reach_the_other_bus();
    const std::string command = "rm -rf " + directory();
    CHECK(system(command.c_str()) == 0);
    return check_end();
}
