// A bus, a route, and a URL opened on it.
#include <crosstie.hpp>
#include <iostream>

int main() {
    auto bus = crosstie::bus::make({"shop"});
    auto users = bus.route("app://users/:id", [](crosstie::request &request) {
        return crosstie::value{{"id", request.param("id", 0)}, {"tab", request.param("tab", "profile")}};
    });

    std::cout << bus.open("app://users/42?tab=posts").value().to_json() << "\n";
    try {
        bus.open("app://nobody");
    } catch (const crosstie::error &error) {
        std::cout << crosstie::status_name(error.status()) << ": " << error.what() << "\n";
    }
}
