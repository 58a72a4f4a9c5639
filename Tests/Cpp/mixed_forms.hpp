// Functions that the two files of test_mixed_forms.cpp share: C types alone, for each has C++ types of its own.
#ifndef TESTS_CPP_MIXED_FORMS_HPP
#define TESTS_CPP_MIXED_FORMS_HPP

#include <crosstie.hpp>

/** Adds a route, app://theirs, whose handler throws. */
void throwing_route(ctie_bus *bus);
/** Whether opening app://nowhere throws there as it should. */
bool throws_there(ctie_bus *bus);

#endif
