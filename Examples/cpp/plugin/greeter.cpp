// A plug-in in C++: a component that every program has which loads this shared object, whatever language that is in.
#include <atomic>
#include <crosstie.hpp>

namespace {

class greeter {
public:
    crosstie::value greet(crosstie::request &request) {
        const std::string name = request.param("name", "");
        if (name.empty()) throw crosstie::error::failure(1, "nobody to greet");
        return "hello " + name + ", you are number " + std::to_string(++count_);
    }

private:
    std::atomic<int> count_{0}; // calls may come on several threads
};

} // namespace

static const crosstie::declared_component declared(crosstie::component("greeter")
                                                       .factory([] { return std::make_unique<greeter>(); })
                                                       .method<&greeter::greet>("greet", 0, "Greets somebody by name.")
                                                       .doc("A plug-in in C++."));
