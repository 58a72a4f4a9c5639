// The file of test_mixed_forms.cpp that is compiled with exceptions.
#include <stdexcept>

#include "mixed_forms.hpp"

static crosstie::value fail(crosstie::request &) { throw std::runtime_error("thrown there"); }

void throwing_route(ctie_bus *bus) { crosstie::bus_view(bus).route("app://theirs", &fail).keep(); }

bool throws_there(ctie_bus *bus) {
    try {
        crosstie::bus_view(bus).open("app://nowhere");
    } catch (const crosstie::error &caught) {
        return caught.status() == CTIE_E_NO_ROUTE;
    }
    return false;
}
