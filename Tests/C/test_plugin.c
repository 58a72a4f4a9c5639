/* Plug-ins: shared objects that bring components and take them away again. They are beside this program. */
#define _GNU_SOURCE
#include "components.h"

#include <dlfcn.h>
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>

static ctie_bus *bus, *other;

/* Where a plug-in lies; valid until the next. */
static const char *path_of(const char *name) {
    static char program[PATH_MAX], path[PATH_MAX + 64];
    snprintf(program, sizeof program, "%s", program_invocation_name);
    snprintf(path, sizeof path, "%s/plugins/%s.so", dirname(program), name);
    return path;
}

static ctie_status load(ctie_bus *into, const char *name, size_t *count) {
    return ctie_plugin_load(into, ctie_str_from(path_of(name)), count, NULL);
}

static ctie_status unload(ctie_bus *from, const char *name) {
    return ctie_plugin_unload(from, ctie_str_from(path_of(name)), NULL);
}

static void new_buses(void) {
    CHECK_STATUS(ctie_bus_new(NULL, &bus, NULL), CTIE_OK);
    CHECK_STATUS(ctie_bus_new(NULL, &other, NULL), CTIE_OK);
}

static void close_buses(void) {
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    CHECK_STATUS(ctie_bus_close(other), CTIE_OK);
}

static int64_t instances(ctie_bus *on) {
    ctie_response *response = NULL;
    int64_t count = -1;
    CHECK_STATUS(ctie_component_call(on, CTIE_TARGET("plugged", "instances"), NULL, NULL, &response, NULL), CTIE_OK);
    CHECK_STATUS(ctie_value_get_int(ctie_response_value(response), &count), CTIE_OK);
    CHECK_STATUS(ctie_response_release(response), CTIE_OK);
    return count;
}

static void a_plugin_brings_its_components(void) {
    size_t count = 0;
    ctie_response *response = NULL;
    ctie_str text;
    ctie_value *list = NULL, *received = NULL;
    int64_t hearers = 0;
    new_buses();
    CHECK_STATUS(load(bus, "good", &count), CTIE_OK);
    CHECK(count == 1);
    CHECK_STATUS(ctie_component_call(bus, CTIE_TARGET("plugged", "greet"), NULL, NULL, &response, NULL), CTIE_OK);
    CHECK_STATUS(ctie_value_get_string(ctie_response_value(response), &text), CTIE_OK);
    CHECK(text_is(text, "hello from a plug-in"));
    CHECK_STATUS(ctie_response_release(response), CTIE_OK);
    CHECK_STATUS(ctie_component_broadcast(bus, CTIE_STR(CTIE_EVENT_DID_FINISH_LAUNCHING), NULL, NULL, &received, NULL),
                 CTIE_OK);
    CHECK_STATUS(ctie_value_get_int(ctie_value_get(received, CTIE_STR("count")), &hearers), CTIE_OK);
    CHECK(hearers == 1);
    ctie_value_release(received);
    CHECK_STATUS(ctie_component_list(bus, &list), CTIE_OK);
    CHECK(ctie_value_count(list) == 1);
    CHECK_STATUS(ctie_value_get_string(ctie_value_get(ctie_value_at(list, 0), CTIE_STR("doc")), &text), CTIE_OK);
    CHECK(text_is(text, "Comes and goes."));
    ctie_value_release(list);
    CHECK_STATUS(call_now(other, "plugged", "greet"), CTIE_E_NO_COMPONENT);
    close_buses();
}

static void each_bus_has_it_once(void) {
    new_buses();
    CHECK_STATUS(load(bus, "good", NULL), CTIE_OK);
    CHECK_STATUS(load(bus, "good", NULL), CTIE_E_ALREADY);
    CHECK(instances(bus) == 1);
    CHECK_STATUS(load(other, "good", NULL), CTIE_OK);
    CHECK(instances(other) == 2);
    CHECK_STATUS(unload(bus, "good"), CTIE_OK);
    CHECK_STATUS(call_now(bus, "plugged", "greet"), CTIE_E_NO_COMPONENT);
    CHECK(instances(other) == 1);
    CHECK_STATUS(unload(bus, "good"), CTIE_E_NOT_FOUND);
    CHECK_STATUS(load(bus, "good", NULL), CTIE_OK);
    CHECK(instances(bus) == 2);
    close_buses();
}

static void it_stays_mapped(void) {
    new_buses();
    CHECK_STATUS(load(bus, "good", NULL), CTIE_OK);
    CHECK_STATUS(unload(bus, "good"), CTIE_OK);
    void *mapped = dlopen(path_of("good"), RTLD_NOW | RTLD_NOLOAD);
    CHECK(mapped != NULL);
    if (mapped != NULL) { dlclose(mapped); }
    close_buses();
}

static void all_its_components_or_none(void) {
    size_t count = 9;
    new_buses();
    add_action(bus, "second", "go", reply_null, NULL, 0);
    CHECK_STATUS(load(bus, "two", &count), CTIE_E_CONFLICT);
    CHECK_STATUS(call_now(bus, "first", "go"), CTIE_E_NO_COMPONENT);
    CHECK_STATUS(call_now(bus, "second", "go"), CTIE_OK);
    CHECK_STATUS(unload(bus, "two"), CTIE_E_NOT_FOUND);
    CHECK_STATUS(ctie_component_remove(bus, CTIE_STR("second"), NULL), CTIE_OK);
    CHECK_STATUS(load(bus, "two", &count), CTIE_OK);
    CHECK(count == 2);
    CHECK_STATUS(call_now(bus, "first", "go"), CTIE_OK);
    CHECK_STATUS(call_now(bus, "second", "go"), CTIE_OK);
    CHECK_STATUS(unload(bus, "two"), CTIE_OK);
    CHECK_STATUS(call_now(bus, "first", "go"), CTIE_E_NO_COMPONENT);
    CHECK_STATUS(call_now(bus, "second", "go"), CTIE_E_NO_COMPONENT);
    CHECK_STATUS(load(other, "malformed", NULL), CTIE_E_IDENTIFIER);
    CHECK_STATUS(call_now(other, "wellformed", "go"), CTIE_E_NO_COMPONENT);
    close_buses();
}

static void its_component_may_be_removed_before_it(void) {
    new_buses();
    CHECK_STATUS(load(bus, "two", NULL), CTIE_OK);
    CHECK_STATUS(ctie_component_remove(bus, CTIE_STR("first"), NULL), CTIE_OK);
    CHECK_STATUS(unload(bus, "two"), CTIE_OK);
    CHECK_STATUS(call_now(bus, "second", "go"), CTIE_E_NO_COMPONENT);
    close_buses();
}

static void other_shared_objects_are_refused(void) {
    ctie_error *error = NULL;
    char long_path[5000];
    memset(long_path, 'a', sizeof long_path);
    new_buses();
    for (int twice = 0; twice < 2; twice++) {
        CHECK_STATUS(load(bus, "other_form", NULL), CTIE_E_ABI);
        CHECK_STATUS(load(bus, "empty", NULL), CTIE_E_NOT_COMPONENT);
        CHECK_STATUS(load(bus, "malformed", NULL), CTIE_E_IDENTIFIER);
    }
    CHECK_STATUS(ctie_plugin_load(bus, CTIE_STR("/nowhere/plugin.so"), NULL, &error), CTIE_E_SYSTEM);
    CHECK(ctie_error_message(error).size > 0);
    ctie_error_release(error);
    CHECK_STATUS(ctie_plugin_load(bus, CTIE_STR("/etc/passwd"), NULL, NULL), CTIE_E_SYSTEM);
    CHECK_STATUS(ctie_plugin_load(bus, CTIE_STR(""), NULL, NULL), CTIE_E_INVALID);
    CHECK_STATUS(ctie_plugin_load(bus, (ctie_str){long_path, sizeof long_path}, NULL, NULL), CTIE_E_LIMIT);
    CHECK_STATUS(ctie_plugin_load(bus, (ctie_str){"a\0b", 3}, NULL, NULL), CTIE_E_INVALID);
    CHECK_STATUS(ctie_plugin_unload(bus, CTIE_STR("/nowhere/plugin.so"), NULL), CTIE_E_NOT_FOUND);
    close_buses();
}

/* ---- Within callbacks ------------------------------------------------------------------------------- */

static void load_and_unload(ctie_request *request, void *user_data) {
    (void)user_data;
    CHECK_STATUS(load(bus, "good", NULL), CTIE_OK);
    CHECK(instances(bus) == 1);
    CHECK(unload(bus, "good") >= CTIE_OK);
    reply_null(request, NULL);
}

static void a_handler_may_load_and_unload(void) {
    new_buses();
    add_action(bus, "a", "go", load_and_unload, NULL, 0);
    CHECK_STATUS(call_now(bus, "a", "go"), CTIE_OK);
    CHECK_STATUS(call_now(bus, "plugged", "greet"), CTIE_E_NO_COMPONENT);
    CHECK_STATUS(load(bus, "good", NULL), CTIE_OK);
    CHECK(instances(bus) == 1);
    close_buses();
}

/* ---- A function of a plug-in is performed without having been declared --------------------------------- */

static void a_symbol_of_a_library_is_performed(void) {
    char target[PATH_MAX + 64];
    ctie_response *response = NULL;
    ctie_str selector;
    snprintf(target, sizeof target, "c:%s:good_performed", path_of("good"));
    new_buses();
    CHECK_STATUS(ctie_perform(bus, (ctie_target){ctie_str_from(target), CTIE_STR("go")}, NULL, NULL, NULL, NULL),
                 CTIE_E_DENIED);
    CHECK_STATUS(ctie_performer_allow(bus, ctie_str_from(target), NULL), CTIE_OK);
    CHECK_STATUS(ctie_perform(bus, (ctie_target){ctie_str_from(target), CTIE_STR("go")}, NULL, NULL, &response, NULL),
                 CTIE_OK);
    CHECK_STATUS(ctie_value_get_string(ctie_response_value(response), &selector), CTIE_OK);
    CHECK(text_is(selector, "go"));
    CHECK_STATUS(ctie_response_release(response), CTIE_OK);
    CHECK_STATUS(ctie_performer_allow(bus, CTIE_STR("c:/nowhere.so:symbol"), NULL), CTIE_OK);
    CHECK_STATUS(ctie_perform(bus, CTIE_TARGET("c:/nowhere.so:symbol", "go"), NULL, NULL, NULL, NULL),
                 CTIE_E_NO_TARGET);
    close_buses();
}

int main(void) {
    a_plugin_brings_its_components();
    each_bus_has_it_once();
    it_stays_mapped();
    all_its_components_or_none();
    its_component_may_be_removed_before_it();
    other_shared_objects_are_refused();
    a_handler_may_load_and_unload();
    a_symbol_of_a_library_is_performed();
    return check_end();
}
