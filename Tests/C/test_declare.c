/* Static components: declared by the macros, and by hand. */
#include "components.h"

static latch made = LATCH_INIT, ended = LATCH_INIT;

static void *make(void *user_data) {
    latch_add(user_data);
    return user_data;
}

static void end(void *instance) {
    (void)instance;
    latch_add(&ended);
}

static const ctie_component_options MADE = {
    .size = sizeof(ctie_component_options), .flags = CTIE_COMPONENT_LAZY};

CTIE_COMPONENT(home)

CTIE_ACTION(home, greet) {
    (void)user_data;
    CHECK_STATUS(ctie_request_reply(request, ctie_value_string(CTIE_STR("hello"))), CTIE_OK);
}

CTIE_ACTION_WITH(home, worker, "on-a-worker", CTIE_ACTION_WORKER_ONLY, "Runs elsewhere.") {
    reply_null(request, user_data);
}

CTIE_EVENT(home, terminate, CTIE_EVENT_WILL_TERMINATE) {
    (void)user_data;
    CHECK_STATUS(ctie_request_reply(request, ctie_value_bool(true)), CTIE_OK);
}

CTIE_COMPONENT_MADE(with_options, make, &made, end, &MADE)

CTIE_ACTION(with_options, go) {
    CHECK(user_data == &made);
    reply_null(request, NULL);
}

static ctie_bus *new_bus(uint32_t flags) {
    ctie_bus_options options = CTIE_BUS_OPTIONS_INIT;
    ctie_bus *bus = NULL;
    options.flags = flags;
    CHECK_STATUS(ctie_bus_new(&options, &bus, NULL), CTIE_OK);
    return bus;
}

static const ctie_value *listed(const ctie_value *list, const char *name) {
    for (size_t i = 0; i < ctie_value_count(list); i++) {
        ctie_str found = {NULL, 0};
        ctie_value_get_string(ctie_value_get(ctie_value_at(list, i), CTIE_STR("name")), &found);
        if (text_is(found, name)) { return ctie_value_at(list, i); }
    }
    return NULL;
}

static void a_bus_has_static_components_if_it_asks_for_them(void) {
    ctie_bus *with = new_bus(CTIE_BUS_STATIC), *without = new_bus(0);
    ctie_value *list = NULL, *received = NULL;
    bool is_static = false, any = false;
    CHECK_STATUS(call_now(with, "home", "greet"), CTIE_OK);
    CHECK_STATUS(call_now(with, "home", "on-a-worker"), CTIE_OK);
    CHECK_STATUS(call_now(with, "home", "worker"), CTIE_E_NO_ACTION);
    CHECK_STATUS(call_now(without, "home", "greet"), CTIE_E_NO_COMPONENT);
    CHECK_STATUS(ctie_component_list(with, &list), CTIE_OK);
    const ctie_value *home = listed(list, "home");
    CHECK(home != NULL && listed(list, "with_options") != NULL);
    CHECK_STATUS(ctie_value_get_bool(ctie_value_get(home, CTIE_STR("static")), &is_static), CTIE_OK);
    CHECK(is_static && ctie_value_count(ctie_value_get(home, CTIE_STR("actions"))) == 3);
    ctie_value_release(list);
    CHECK_STATUS(ctie_component_broadcast(with, CTIE_STR(CTIE_EVENT_WILL_TERMINATE), NULL, NULL, &received, NULL),
                 CTIE_OK);
    CHECK_STATUS(ctie_value_get_bool(ctie_value_get(received, CTIE_STR("any")), &any), CTIE_OK);
    CHECK(any);
    ctie_value_release(received);
    CHECK_STATUS(ctie_bus_close(with), CTIE_OK);
    CHECK_STATUS(ctie_bus_close(without), CTIE_OK);
}

static void each_bus_has_its_own(void) {
    ctie_bus *one = new_bus(CTIE_BUS_STATIC), *two = new_bus(CTIE_BUS_STATIC);
    int before = latch_count(&made), ended_before = latch_count(&ended);
    CHECK_STATUS(call_now(one, "with_options", "go"), CTIE_OK);
    CHECK_STATUS(call_now(one, "with_options", "go"), CTIE_OK);
    CHECK(latch_count(&made) == before + 1);
    CHECK_STATUS(call_now(two, "with_options", "go"), CTIE_OK);
    CHECK(latch_count(&made) == before + 2);
    CHECK_STATUS(ctie_component_remove(one, CTIE_STR("with_options"), NULL), CTIE_OK);
    CHECK(latch_count(&ended) == ended_before + 1);
    CHECK_STATUS(call_now(one, "with_options", "go"), CTIE_E_NO_COMPONENT);
    CHECK_STATUS(call_now(two, "with_options", "go"), CTIE_OK);
    CHECK_STATUS(ctie_bus_close(one), CTIE_OK);
    CHECK_STATUS(ctie_bus_close(two), CTIE_OK);
    CHECK(latch_count(&ended) == ended_before + 2);
}

/* ---- Declaring by hand ------------------------------------------------------------------------------- */

static const ctie_declared_action GO = {{{"go", 2}, reply_null, NULL, 0, {"", 0}}, NULL};
static const ctie_declared_action GO_TWICE = {{{"go", 2}, reply_null, NULL, 0, {"", 0}}, &GO};
static const ctie_declared_action NO_FUNCTION = {{{"go", 2}, NULL, NULL, 0, {"", 0}}, NULL};
static const ctie_declared_action NO_NAME = {{{"g o", 3}, reply_null, NULL, 0, {"", 0}}, NULL};

static ctie_declaration declaration(const char *name, const ctie_declared_action *actions) {
    return (ctie_declaration){sizeof(ctie_declaration), CTIE_DECLARATION_FORM, ctie_str_from(name), actions,
                              CTIE_INSTANCE(NULL), NULL};
}

static ctie_status declare(const char *name, const ctie_declared_action *actions) {
    ctie_declaration one = declaration(name, actions);
    return ctie_component_declare(&one, NULL);
}

static void a_declaration_reaches_the_buses_that_are_there(void) {
    static ctie_declaration late;
    ctie_bus *bus = new_bus(CTIE_BUS_STATIC), *without = new_bus(0);
    late = declaration("late", &GO);
    CHECK_STATUS(call_now(bus, "late", "go"), CTIE_E_NO_COMPONENT);
    CHECK_STATUS(ctie_component_declare(&late, NULL), CTIE_OK);
    CHECK_STATUS(call_now(bus, "late", "go"), CTIE_OK);
    CHECK_STATUS(call_now(without, "late", "go"), CTIE_E_NO_COMPONENT);
    CHECK_STATUS(ctie_component_declare(&late, NULL), CTIE_E_CONFLICT);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    CHECK_STATUS(ctie_bus_close(without), CTIE_OK);
}

static latch logged = LATCH_INIT;

static void count_line(int32_t level, ctie_str message, void *user_data) {
    (void)user_data;
    if (level >= CTIE_LOG_WARNING && message.size > 0) { latch_add(&logged); }
}

static void a_taken_name_is_logged_by_the_bus(void) {
    static ctie_declaration taken;
    ctie_bus *bus = new_bus(CTIE_BUS_STATIC);
    CHECK_STATUS(ctie_bus_set_log(bus, CTIE_LOGGER(count_line, NULL), NULL), CTIE_OK);
    add_action(bus, "taken", "own", reply_null, NULL, 0);
    taken = declaration("taken", &GO);
    CHECK_STATUS(ctie_component_declare(&taken, NULL), CTIE_OK);
    CHECK(latch_count(&logged) == 1);
    CHECK_STATUS(call_now(bus, "taken", "own"), CTIE_OK);
    CHECK_STATUS(call_now(bus, "taken", "go"), CTIE_E_NO_ACTION);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

static void refused_declarations_are_on_no_bus(void) {
    ctie_declaration other = declaration("refused", &GO);
    ctie_error *error = NULL;
    CHECK_STATUS(ctie_component_declare(NULL, NULL), CTIE_E_INVALID);
    other.form++;
    CHECK_STATUS(ctie_component_declare(&other, &error), CTIE_E_ABI);
    CHECK_STATUS(ctie_error_status(error), CTIE_E_ABI);
    ctie_error_release(error);
    other.form--;
    struct { ctie_declaration known; size_t appended; } newer = {other, 1};
    newer.known.size = sizeof newer;
    CHECK_STATUS(ctie_component_declare(&newer.known, NULL), CTIE_E_ABI);
    other.size = 8;
    CHECK_STATUS(ctie_component_declare(&other, NULL), CTIE_E_INVALID);
    CHECK_STATUS(declare("", &GO), CTIE_E_NO_NAME);
    CHECK_STATUS(declare("re fused", &GO), CTIE_E_IDENTIFIER);
    CHECK_STATUS(declare("refused", NULL), CTIE_E_NOT_COMPONENT);
    CHECK_STATUS(declare("refused", &GO_TWICE), CTIE_E_CONFLICT);
    CHECK_STATUS(declare("refused", &NO_FUNCTION), CTIE_E_INVALID);
    CHECK_STATUS(declare("refused", &NO_NAME), CTIE_E_IDENTIFIER);
    ctie_bus *bus = new_bus(CTIE_BUS_STATIC);
    CHECK_STATUS(call_now(bus, "refused", "go"), CTIE_E_NO_COMPONENT);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

int main(void) {
    a_bus_has_static_components_if_it_asks_for_them();
    each_bus_has_its_own();
    a_declaration_reaches_the_buses_that_are_there();
    a_taken_name_is_logged_by_the_bus();
    refused_declarations_are_on_no_bus();
    return check_end();
}
