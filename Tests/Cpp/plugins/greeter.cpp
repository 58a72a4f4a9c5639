// A plug-in of the C++ tests: what it declares as it is loaded is the plug-in's.
#include <crosstie.hpp>

static const crosstie::declared_component greeter(
    crosstie::component("greeter")
        .action("greet", [](crosstie::request &asked) { return "hello " + asked.param("name", "you"); })
        .action("fail", [](crosstie::request &) { throw crosstie::error(CTIE_E_BUSY, "not now"); }));
