// A program of two files, of which this one is compiled without exceptions and type information, and the other with both.
// Inline functions of one name would be merged by the linker, and what the other one throws would end the program.
#include "mixed_forms.hpp"

#include "check.h"

static crosstie::value reply(crosstie::request &) { return 1; }

static int lines = 0;
static void count_line(std::int32_t, std::string_view) { lines++; }

int main() {
    crosstie::bus bus = *crosstie::bus::try_make({"mixed"});
    // The same types of callables as in the other file.
    crosstie::registration ours = *bus.try_route("app://ours", &reply);
    CHECK(bus.try_set_log(&count_line).has_value());
    throwing_route(bus.get());
    CHECK(bus.try_open("app://ours")->value() == crosstie::value(1));
    auto thrown = bus.try_open("app://theirs");
    CHECK(!thrown && thrown.error().status() == CTIE_E_HANDLER && thrown.error().message() == "thrown there");
    CHECK(throws_there(bus.get()));
    return check_end();
}
