// The macros of declare.h in C++: static components, with options and a method of an object behind an action.
#include <cstring>

#include <crosstie.h>

#include "check.h"

namespace {
struct Counter {
    int count = 0;
    void add(ctie_request *request) { CHECK_STATUS(ctie_request_reply(request, ctie_value_int(++count)), CTIE_OK); }
};

Counter counter;

int64_t call(ctie_bus *bus, const char *component, const char *action) {
    ctie_response *response = nullptr;
    int64_t number = -1;
    CHECK_STATUS(ctie_component_call(bus, ctie_target{ctie_str_from(component), ctie_str_from(action)}, nullptr,
                                     nullptr, &response, nullptr), CTIE_OK);
    ctie_value_get_int(ctie_response_value(response), &number);
    CHECK_STATUS(ctie_response_release(response), CTIE_OK);
    return number;
}
} // namespace

CTIE_COMPONENT(plain)

CTIE_ACTION(plain, answer) {
    (void)user_data;
    CHECK_STATUS(ctie_request_reply(request, ctie_value_int(42)), CTIE_OK);
}

CTIE_COMPONENT_WITH(counting, &counter, nullptr)

CTIE_ACTION_WITH(counting, add, "add", 0, "Counts one more.") {
    static_cast<Counter *>(user_data)->add(request);
}

CTIE_EVENT(counting, warned, CTIE_EVENT_MEMORY_WARNING) {
    static_cast<Counter *>(user_data)->count = 0;
    (void)request;
}

int main() {
    ctie_bus_options options = CTIE_BUS_OPTIONS_INIT;
    ctie_bus *bus = nullptr;
    options.flags = CTIE_BUS_STATIC;
    CHECK_STATUS(ctie_bus_new(&options, &bus, nullptr), CTIE_OK);
    CHECK(call(bus, "plain", "answer") == 42);
    CHECK(call(bus, "counting", "add") == 1);
    CHECK(call(bus, "counting", "add") == 2);
    CHECK_STATUS(ctie_component_broadcast(bus, CTIE_STR(CTIE_EVENT_MEMORY_WARNING), nullptr, nullptr, nullptr, nullptr),
                 CTIE_OK);
    CHECK(call(bus, "counting", "add") == 1);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    return check_end();
}
