// A rule router: its table, a newer one from its server, and the three kinds of URL.
#include <crosstie.hpp>
#include <iostream>

using crosstie::origin;

int main() {
    auto bus = crosstie::bus::make();

    // [port]
    crosstie::rules_options lists;
    lists.public_schemes = {"daqun"};
    lists.private_schemes = {"daqun-app"};
    lists.route_hosts = {"route"};
    lists.web_hosts = {"m.daqun.example"};
    bus.load_rules_file("ports/rules.json", lists);
    bus.set_navigator([](crosstie::request &request) {
        std::cout << "  " << request.rule().read("target", "?") << " " << request.params().to_json() << "\n";
    });
    bus.set_system_opener([](crosstie::request &request) { std::cout << "  the system opens " << *request.url() << "\n"; });

    auto follow = [&](const char *url, origin from) {
        std::cout << (from == origin::local ? "local " : "remote ") << url << "\n";
        auto response = bus.try_open(url, from);
        if (!response) std::cout << "  " << crosstie::status_name(response.status()) << "\n";
    };
    follow("daqun://route/home/category_search?type=1&keywords=kw&fromVC=IMSessionVC", origin::local);
    follow("daqun://route/home/category_search?type=1&keywords=kw", origin::remote);
    follow("https://m.daqun.example/home/category_search?type=2", origin::remote);
    follow("daqun://route/home/category_search?type=all", origin::remote);
    follow("daqun://route/im/session?id=123&name=ginhoor", origin::local);

    bus.load_rules_file("ports/rules-pushed.json", lists);
    follow("daqun://route/im/session?id=123&name=ginhoor", origin::local);
    follow("daqun://route/im/session?id=123&name=ginhoor", origin::remote);
    auto old = bus.try_load_rules_file("ports/rules.json", lists);
    std::cout << "old table: " << crosstie::status_name(old.status()) << "\n";

    const crosstie::value type{{"type", 1}};
    std::cout << "link " << bus.generate_rule("route.home.category_search", type) << "\n"
              << "link " << bus.generate_rule("route.home.category_search", type, CTIE_RULES_WEB) << "\n";
    follow("https://elsewhere.example/home", origin::local);

    bus.allow("im:Session"); // the messenger's: its target is known by name alone
    bus.set_resolver("im", [](crosstie::request &request) -> crosstie::value {
        if (request.action() != "logout") throw crosstie::error(CTIE_E_NO_ACTION);
        return "user " + std::to_string(request.param("id", 0)) + " is logged out";
    });
    std::cout << bus.perform("im:Session", "logout", {{"id", 123}}).value().to<std::string>() << "\n";
    // [end]
}
