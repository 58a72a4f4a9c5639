// The application of MGJRouter's README.
#include <crosstie.hpp>
#include <future>
#include <iostream>

// [port]
#define TEMPLATE_URL "mgj://search/:keyword"

static void log_user(crosstie::request &request) {
    std::cout << "user " << request.user_info().read("user_id", 0) << "\n";
}
static void log_url(crosstie::request &request) { std::cout << "opened " << *request.url() << "\n"; }
// [end]

int main() {
    // These two outlive the bus, so that a running handler may still set them.
    std::promise<crosstie::retained_request> shown;
    std::promise<void> done;
    auto bus = crosstie::bus::make();

    // [port]
    bus.route("mgj://foo/bar", log_user).keep();
    bus.open("mgj://foo/bar");

    bus.route("mgj://category/家居", log_url).keep();
    bus.open("mgj://category/家居");

    bus.route("mgj://category/travel", log_user).keep();
    bus.open("mgj://category/travel", crosstie::origin::local, {{"user_id", 1900}});

    bus.route("mgj://search/:query", [](crosstie::request &request) {
        std::cout << "query " << request.param("query", "") << ", color " << request.param("color", "") << "\n";
    }).keep();
    bus.open("mgj://search/bicycle?color=red");

    bus.route("mgj://", log_url).keep();
    bus.open("mgj://search/travel/china?has_travelled=0");

    bus.route("mgj://detail", [&](crosstie::request &request) {
        std::cout << "matched, and done in a while\n";
        shown.set_value(request.retain());
    }).keep();
    bus.open_async("mgj://detail", crosstie::origin::local, [&](const crosstie::response_view &) {
        std::cout << "open is done\n";
        done.set_value();
    });
    shown.get_future().get().reply(); // the page is there
    done.get_future().wait();

    bus.route(TEMPLATE_URL, [](crosstie::request &request) {
        std::cout << "keyword " << request.param("keyword", "") << "\n";
    }, CTIE_ROUTE_REPLACE).keep();
    bus.open(bus.generate(TEMPLATE_URL, crosstie::list{"Hangzhou"}));

    bus.route("mgj://search_top_bar", [](crosstie::request &) { return "a search bar"; }).keep();
    std::cout << "got " << bus.open("mgj://search_top_bar").value().to<std::string>() << "\n";
    // [end]
}
