// A program that loads a plug-in, calls what that brought, and gives it back.
#include <crosstie.hpp>
#include <iostream>

int main(int, char **arguments) {
    auto bus = crosstie::bus::make();
    const std::string program = arguments[0];
    const std::string path = program.substr(0, program.rfind('/')) + "/greeter.so";

    std::cout << "components: " << bus.load_plugin(path) << "\n";
    for (const char *name : {"Ada", "Grace", ""}) {
        if (auto response = bus.try_call("greeter", "greet", {{"name", name}})) {
            std::cout << response->value().to<std::string>() << "\n";
        } else {
            std::cout << "failed: " << response.error().message() << " (" << response.error().code() << ")\n";
        }
    }
    bus.unload_plugin(path);
    std::cout << crosstie::status_name(bus.try_call("greeter", "greet").status()) << "\n";
}
