/* The words for a failure: each names the thing, and those of a request are made when they are asked for. */
#include "check.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is(ctie_str text, const char *expected) {
    bool same = text.size == strlen(expected) && memcmp(text.data, expected, text.size) == 0;
    if (!same) fprintf(stderr, "not \"%s\" but \"%.*s\"\n", expected, (int)text.size, text.data);
    return same;
}

static bool holds(ctie_str text, const char *part) {
    size_t size = strlen(part);
    for (size_t at = 0; at + size <= text.size; at++) {
        if (memcmp(text.data + at, part, size) == 0) return true;
    }
    return false;
}

static void nothing(ctie_request *request, void *user_data) {
    (void)request;
    (void)user_data;
}

static ctie_bus *bus_with(const char *pattern, uint32_t flags, ctie_registration **registration) {
    ctie_bus *bus = NULL;
    ctie_route_options options = CTIE_ROUTE_OPTIONS_INIT;
    options.flags = flags;
    CHECK(ctie_bus_new(NULL, &bus, NULL) == CTIE_OK);
    CHECK(ctie_route_add(bus, ctie_str_from(pattern), CTIE_HANDLER(nothing, NULL), &options, registration, NULL) ==
          CTIE_OK);
    return bus;
}

/* The response and the error say the same, and say it again. */
static void both_say_it(void) {
    ctie_bus *bus = bus_with("app://users/:id", 0, NULL);
    ctie_response *response = NULL;
    ctie_error *error = NULL;
    CHECK(ctie_open(bus, CTIE_STR("app://user/1?secret=1"), CTIE_ORIGIN_LOCAL, NULL, &response, &error) ==
          CTIE_E_NO_ROUTE);
    const char *words = "no route matches app://user/1; the nearest pattern is app://users/:id";
    CHECK(ctie_error_status(error) == CTIE_E_NO_ROUTE);
    CHECK(is(ctie_error_message(error), words));
    CHECK(is(ctie_response_message(response), words));
    CHECK(ctie_response_message(response).data == ctie_error_message(error).data);
    CHECK(ctie_error_location(error).size == 0);
    ctie_response_release(response);
    CHECK(is(ctie_error_message(error), words));
    ctie_error_release(error);
    ctie_bus_release(bus);
}

/* A name removed meanwhile is not quoted; a text that the request retained is. */
static void after_the_bus(void) {
    ctie_registration *registration = NULL;
    ctie_bus *bus = bus_with("app://users/:id", 0, &registration);
    ctie_error *missed = NULL, *denied = NULL;
    CHECK(ctie_open(bus, CTIE_STR("app://user/1"), CTIE_ORIGIN_LOCAL, NULL, NULL, &missed) == CTIE_E_NO_ROUTE);
    CHECK(ctie_open(bus, CTIE_STR("app://users/1"), CTIE_ORIGIN_REMOTE, NULL, NULL, &denied) == CTIE_E_DENIED);
    CHECK(ctie_registration_release(registration) == CTIE_OK);
    CHECK(holds(ctie_error_message(denied), "app://users/1 matches a pattern, which is not public"));
    ctie_bus_release(bus);
    CHECK(is(ctie_error_message(missed), "no route matches app://user/1"));
    ctie_error_release(missed);
    ctie_error_release(denied);
}

static void *read_message(void *error) {
    return (void *)(uintptr_t)ctie_error_message(error).size;
}

/* Threads may ask at the same time. */
static void many_ask(void) {
    ctie_bus *bus = bus_with("app://users/:id", 0, NULL);
    for (int round = 0; round < 200; round++) {
        ctie_error *error = NULL;
        pthread_t threads[4];
        CHECK(ctie_open(bus, CTIE_STR("app://user/1"), CTIE_ORIGIN_LOCAL, NULL, NULL, &error) == CTIE_E_NO_ROUTE);
        for (int i = 0; i < 4; i++) CHECK(pthread_create(&threads[i], NULL, read_message, error) == 0);
        for (int i = 0; i < 4; i++) {
            void *size = NULL;
            pthread_join(threads[i], &size);
            CHECK((uintptr_t)size == strlen("no route matches app://user/1; the nearest pattern is app://users/:id"));
        }
        ctie_error_release(error);
    }
    ctie_bus_release(bus);
}

static void arguments_are_named(void) {
    ctie_bus *bus = bus_with("app://users/:id", 0, NULL);
    ctie_error *error = NULL;
    ctie_route_options options = CTIE_ROUTE_OPTIONS_INIT;
    options.flags = 0x40000000;
    CHECK(ctie_route_add(bus, CTIE_STR("app://x"), CTIE_HANDLER(nothing, NULL), &options, NULL, &error) ==
          CTIE_E_INVALID);
    CHECK(is(ctie_error_message(error), "unknown or misplaced flags: 0x40000000"));
    CHECK(is(ctie_error_location(error), "options.flags"));
    ctie_error_release(error);
    CHECK(ctie_bus_new(NULL, NULL, &error) == CTIE_E_INVALID);
    CHECK(is(ctie_error_message(error), "out is NULL"));
    ctie_error_release(error);
    CHECK(ctie_open((ctie_bus *)8, CTIE_STR("app://x"), CTIE_ORIGIN_LOCAL, NULL, NULL, &error) == CTIE_E_HANDLE);
    CHECK(is(ctie_error_message(error), "invalid or released bus handle"));
    ctie_error_release(error);
    ctie_bus_release(bus);
}

/* The error of a failure, with both parts in its message. */
static void says(ctie_status got, ctie_status wanted, ctie_error *error, const char *part, const char *other) {
    CHECK(got == wanted);
    if (!holds(ctie_error_message(error), part) || !holds(ctie_error_message(error), other)) {
        fprintf(stderr, "\"%s\" or \"%s\" is not in \"%.*s\"\n", part, other, (int)ctie_error_message(error).size,
                ctie_error_message(error).data);
        CHECK(!"named");
    }
    ctie_error_release(error);
}

static void write_file(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    CHECK(file != NULL);
    if (file == NULL) return;
    fputs(text, file);
    fclose(file);
}

static ctie_status open_in(const char *path, uint32_t flags, ctie_error **error) {
    ctie_wormhole *wormhole = NULL;
    ctie_wormhole_options options = CTIE_WORMHOLE_OPTIONS_INIT;
    options.directory = ctie_str_from(path);
    options.flags = flags;
    ctie_status status = ctie_wormhole_open(CTIE_STR("words"), &options, &wormhole, error);
    ctie_wormhole_release(wormhole);
    return status;
}

/* A file or directory that cannot be read is named, with the system's reason. */
static void paths_are_named(void) {
    char directory[] = "/tmp/crosstie-words-XXXXXX";
    char file[128], below[128], group[128], data[128], missing[128];
    CHECK(mkdtemp(directory) != NULL);
    snprintf(file, sizeof file, "%s/file", directory);
    snprintf(below, sizeof below, "%s/file/below", directory);
    snprintf(group, sizeof group, "%s/group", directory);
    snprintf(data, sizeof data, "%s/group/data.mdb", directory);
    snprintf(missing, sizeof missing, "%s/missing", directory);
    write_file(file, "no shared object");
    ctie_bus *bus = bus_with("app://users/:id", 0, NULL);
    ctie_error *error = NULL;
    ctie_status got = ctie_rules_load_file(bus, ctie_str_from(missing), NULL, &error);
    says(got, CTIE_E_SYSTEM, error, missing, "No such file or directory");
    got = ctie_rules_load_file(bus, ctie_str_from(below), NULL, &error);
    says(got, CTIE_E_SYSTEM, error, below, "Not a directory");
    got = ctie_rules_load_file(bus, ctie_str_from(directory), NULL, &error);
    says(got, CTIE_E_SYSTEM, error, directory, "is no regular file");
    got = ctie_plugin_load(bus, ctie_str_from(missing), NULL, &error);
    says(got, CTIE_E_SYSTEM, error, missing, "No such file or directory");
    got = ctie_plugin_load(bus, ctie_str_from(file), NULL, &error);
    says(got, CTIE_E_SYSTEM, error, file, "file too short");
    got = open_in(below, 0, &error);
    says(got, CTIE_E_SYSTEM, error, below, "Not a directory");
    got = open_in(file, 0, &error);
    says(got, CTIE_E_UNSAFE, error, file, "no directory");
    CHECK(mkdir(group, 0700) == 0 && mkdir(data, 0700) == 0);
    got = open_in(group, 0, &error);
    says(got, CTIE_E_UNSAFE, error, group, "data.mdb");
    rmdir(data);
    rmdir(group);
    unlink(file);
    ctie_bus_release(bus);
}

/* A number that an option may not have is named. */
static void numbers_are_named(void) {
    ctie_bus *bus = bus_with("app://users/:id", 0, NULL);
    ctie_error *error = NULL;
    ctie_request_options request = CTIE_REQUEST_OPTIONS_INIT;
    request.priority = 7;
    ctie_status got = ctie_open(bus, CTIE_STR("app://users/1"), CTIE_ORIGIN_LOCAL, &request, NULL, &error);
    says(got, CTIE_E_INVALID, error, "7 is no priority", "CTIE_PRIORITY_HIGH");
    request = (ctie_request_options)CTIE_REQUEST_OPTIONS_INIT;
    request.mode = 9;
    got = ctie_open(bus, CTIE_STR("app://users/1"), CTIE_ORIGIN_LOCAL, &request, NULL, &error);
    says(got, CTIE_E_INVALID, error, "match mode 9", "");
    request = (ctie_request_options)CTIE_REQUEST_OPTIONS_INIT;
    request.size = 17;
    got = ctie_open(bus, CTIE_STR("app://users/1"), CTIE_ORIGIN_LOCAL, &request, NULL, &error);
    says(got, CTIE_E_INVALID, error, "ctie_request_options", "17 bytes");
    ctie_interceptor_options interceptor = CTIE_INTERCEPTOR_OPTIONS_INIT;
    interceptor.kinds = 0x40000;
    got = ctie_interceptor_add(bus, CTIE_HANDLER(nothing, NULL), &interceptor, NULL, &error);
    says(got, CTIE_E_INVALID, error, "0x40000", "kinds");
    ctie_str none = {NULL, 5};
    got = ctie_component_call(bus, CTIE_OF(ctie_target, CTIE_STR("a"), none), NULL, NULL, NULL, &error);
    says(got, CTIE_E_INVALID, error, "target.action is NULL", "");
    got = ctie_component_call(bus, CTIE_OF(ctie_target, none, CTIE_STR("a")), NULL, NULL, NULL, &error);
    says(got, CTIE_E_INVALID, error, "target.name is NULL", "");
    ctie_bus_release(bus);
}

/* A removal, and a call for one thing, names what it has not found. */
static void removals_name_it(void) {
    ctie_bus *bus = bus_with("app://users/:id", 0, NULL);
    ctie_error *error = NULL;
    int instance = 0;
    ctie_status got = ctie_component_remove(bus, CTIE_STR("hone"), &error);
    says(got, CTIE_E_NO_COMPONENT, error, "'hone'", "");
    got = ctie_component_remove_type(bus, CTIE_STR("Hone"), &error);
    says(got, CTIE_E_NO_COMPONENT, error, "'Hone'", "type");
    got = ctie_component_remove_instance(bus, &instance, &error);
    says(got, CTIE_E_NO_COMPONENT, error, "has this instance", "");
    got = ctie_component_remove_instance(bus, NULL, &error);
    says(got, CTIE_E_INVALID, error, "instance is NULL", "");
    got = ctie_provider_move(bus, CTIE_STR("mial"), 0, &error);
    says(got, CTIE_E_NOT_FOUND, error, "there is no provider 'mial'", "");
    got = ctie_provider_remove(bus, CTIE_STR("mial"), &error);
    says(got, CTIE_E_NOT_FOUND, error, "there is no provider 'mial'", "");
    got = ctie_provider_log(bus, CTIE_STR("mial"), CTIE_STR("line"), NULL, NULL, 0, &error);
    says(got, CTIE_E_NOT_FOUND, error, "there is no provider 'mial'", "");
    got = ctie_provider_log(bus, CTIE_STR("mial"), (ctie_str){NULL, 5}, NULL, NULL, 0, &error);
    says(got, CTIE_E_INVALID, error, "message", "");
    got = ctie_plugin_unload(bus, CTIE_STR("/nowhere/plugin.so"), &error);
    says(got, CTIE_E_NOT_FOUND, error, "/nowhere/plugin.so", "");
    got = ctie_performer_release(bus, CTIE_STR("c:puts"), &error);
    says(got, CTIE_E_DENIED, error, "'c:puts'", "allow-list");
    got = ctie_performer_release(bus, (ctie_str){NULL, 5}, &error);
    says(got, CTIE_E_INVALID, error, "target is NULL", "");
    got = ctie_performer_release(NULL, CTIE_STR("c:puts"), &error);
    says(got, CTIE_E_HANDLE, error, "bus handle", "");
    got = ctie_dispatcher_cancel_all(bus, CTIE_STR("fats"), NULL, &error);
    says(got, CTIE_E_NOT_FOUND, error, "'fats'", "dispatcher");
    ctie_bus_release(bus);
    got = ctie_component_remove(bus, CTIE_STR("home"), &error);
    says(got, CTIE_E_HANDLE, error, "invalid or released bus handle", "");
}

/* A listener that is not bound is named, also after the wormhole has been closed. */
static void listeners_are_named(void) {
    ctie_wormhole *wormhole = NULL;
    ctie_wormhole_options options = CTIE_WORMHOLE_OPTIONS_INIT;
    options.flags = CTIE_WORMHOLE_MEMORY;
    CHECK(ctie_wormhole_open(CTIE_STR("listeners"), &options, &wormhole, NULL) == CTIE_OK);
    ctie_error *error = NULL;
    ctie_status got = ctie_wormhole_remove_listener(wormhole, CTIE_STR("chat.a"), CTIE_STR("bagde"), &error);
    says(got, CTIE_E_NOT_FOUND, error, "'bagde'", "'chat.a'");
    got = ctie_wormhole_remove_listener(wormhole, CTIE_STR(""), CTIE_STR("bagde"), &error);
    says(got, CTIE_E_NOT_FOUND, error, "'bagde'", "members");
    got = ctie_wormhole_remove_listener(wormhole, CTIE_STR("chat.a"), (ctie_str){NULL, 5}, &error);
    says(got, CTIE_E_INVALID, error, "name is NULL", "");
    got = ctie_wormhole_remove_listeners(wormhole, CTIE_STR("chat.*"), &error);
    says(got, CTIE_E_NOT_FOUND, error, "'chat.*'", "");
    got = ctie_wormhole_remove_listeners(wormhole, (ctie_str){NULL, 5}, &error);
    says(got, CTIE_E_INVALID, error, "identifier is NULL", "");
    ctie_wormhole_release(wormhole);
    got = ctie_wormhole_remove_listeners(wormhole, CTIE_STR("chat.*"), &error);
    says(got, CTIE_E_HANDLE, error, "handle", "");
}

/* Each status has a sentence of its own. */
static void statuses_differ(void) {
    for (ctie_status a = CTIE_PENDING; a >= CTIE_STATUS_LAST_; a--) {
        CHECK(strlen(ctie_status_message(a)) > 4);
        for (ctie_status b = CTIE_PENDING; b > a; b--) CHECK(strcmp(ctie_status_message(a), ctie_status_message(b)) != 0);
    }
}

int main(void) {
    both_say_it();
    after_the_bus();
    many_ask();
    arguments_are_named();
    paths_are_named();
    numbers_are_named();
    removals_name_it();
    listeners_are_named();
    statuses_differ();
    return check_end();
}
