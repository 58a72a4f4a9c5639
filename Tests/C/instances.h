/* Instances of an application in a directory of this program's own, for tests of the single instance. */
#ifndef INSTANCES_H
#define INSTANCES_H

#include "components.h"
#include "group.h"

#include <crosstie/convenience.h>
#include <dirent.h>

#define APPLICATION "com.example.app"

/** The memory by which the processes of a test agree. */
static struct board {
    _Atomic int first;      /* first instances that have claimed */
    _Atomic int shall_end;
    _Atomic int opened;     /* URLs that handlers have opened */
    _Atomic int wrong;      /* of them, out of order */
    _Atomic int go;
} *board;

static inline ctie_bus *make_bus(void) {
    ctie_bus *bus = NULL;
    CHECK_STATUS(ctie_bus_new(NULL, &bus, NULL), CTIE_OK);
    return bus;
}

static inline ctie_status claim_status(ctie_bus *bus, const char *application, ctie_instance **out) {
    ctie_instance_options options = CTIE_INSTANCE_OPTIONS_INIT;
    options.directory = ctie_str_from(directory);
    return ctie_instance_claim(bus, ctie_str_from(application), &options, out, NULL);
}

static inline ctie_instance *claim(ctie_bus *bus) {
    ctie_instance *instance = NULL;
    CHECK_STATUS(claim_status(bus, APPLICATION, &instance), CTIE_OK);
    return instance;
}

static inline bool is_first(const ctie_instance *instance) {
    bool first = false;
    CHECK_STATUS(ctie_instance_is_first(instance, &first), CTIE_OK);
    return first;
}

/** Hands over one URL; NULL for none. */
static inline ctie_status hand(ctie_instance *instance, const char *url, int64_t timeout_ms, ctie_value **answers) {
    ctie_str one = ctie_str_from(url);
    return ctie_instance_hand(instance, (ctie_str_list){&one, url != NULL}, NULL, timeout_ms, answers, NULL);
}

/** The status of an answer. */
static inline int64_t answer_status(const ctie_value *answers, size_t index) {
    return int_at(ctie_value_at(answers, index), "status");
}

static inline ctie_str answer_message(const ctie_value *answers, size_t index) {
    ctie_str message = {NULL, 0};
    ctie_value_get_string(ctie_value_get(ctie_value_at(answers, index), CTIE_STR("message")), &message);
    return message;
}

static inline bool text_has(ctie_str text, const char *part) {
    return text.size != 0 && memmem(text.data, text.size, part, strlen(part)) != NULL;
}

static inline void add_route(ctie_bus *bus, const char *pattern, ctie_handler_fn fn, bool is_public) {
    ctie_route_options options = CTIE_ROUTE_OPTIONS_INIT;
    if (is_public) options.flags = CTIE_ROUTE_PUBLIC;
    CHECK_STATUS(ctie_route_add(bus, ctie_str_from(pattern), CTIE_HANDLER(fn, NULL), &options, NULL, NULL), CTIE_OK);
}

/* ---- The other process --------------------------------------------------------------------------- */

/** app://items/:number replies with the number and what came along; it counts, and expects the numbers in order. */
static inline void open_item(ctie_request *request, void *user_data CTIE_UNUSED) {
    const ctie_value *info = NULL;
    ctie_origin origin = CTIE_ORIGIN_LOCAL;
    ctie_str number = {NULL, 0};
    CHECK_STATUS(ctie_request_origin(request, &origin), CTIE_OK);
    CHECK_STATUS(ctie_request_user_info(request, &info), CTIE_OK);
    CHECK_STATUS(ctie_request_param(request, CTIE_STR("number"), &number), CTIE_OK);
    int64_t value = strtol(number.data, NULL, 10);
    if (value != board->opened) board->wrong++;
    board->opened++;
    ctie_request_reply(request, CTIE_MAP("number", ctie_value_int(value), "origin", ctie_value_int(origin), "pid",
                                         ctie_value_int(getpid()), "info", ctie_value_retain(info)));
}

static inline void fail_item(ctie_request *request, void *user_data CTIE_UNUSED) {
    ctie_request_fail(request, 7, ctie_value_null(), CTIE_STR("no such item"));
}

/** Ends its process as a crash does. */
static inline void die(ctie_request *request CTIE_UNUSED, void *user_data CTIE_UNUSED) {
    board->opened++;
    kill(getpid(), SIGKILL);
}

static inline void hang(ctie_request *request, void *user_data CTIE_UNUSED) {
    CHECK_STATUS(ctie_request_retain(request), CTIE_OK);
    board->opened++;
}

static inline void add_routes(ctie_bus *bus) {
    add_route(bus, "app://items/:number", open_item, true);
    add_route(bus, "app://missing", fail_item, true);
    add_route(bus, "app://private", open_item, false);
    add_route(bus, "app://die", die, true);
    add_route(bus, "app://hang", hang, true);
}

/** A first instance, which is ready if `argument` says so, or else once `board->go` is set. */
static inline int serve(void *argument) {
    ctie_bus *bus = make_bus();
    ctie_instance *instance = claim(bus);
    CHECK(is_first(instance));
    board->first++;
    while (argument == NULL && !board->go) nap_ns(200000);
    add_routes(bus);
    CHECK_STATUS(ctie_instance_ready(instance, NULL), CTIE_OK);
    while (!board->shall_end) nap_ns(200000);
    CHECK_STATUS(ctie_instance_release(instance), CTIE_OK);
    CHECK_STATUS(ctie_bus_release(bus), CTIE_OK);
    return 0;
}

static inline pid_t start_first(bool is_ready) {
    board->first = board->opened = board->wrong = board->go = board->shall_end = 0;
    pid_t child = start_child(serve, is_ready ? board : NULL);
    AWAIT(board->first == 1);
    return child;
}

static inline void end_first(pid_t child) {
    board->shall_end = 1;
    CHECK(end_of_child(child) == 0);
}

static inline int open_files(void) {
    int count = 0;
    DIR *files = opendir("/proc/self/fd");
    if (files == NULL) return -1;
    for (struct dirent *each; (each = readdir(files)) != NULL;) count += each->d_name[0] != '.';
    closedir(files);
    return count;
}

#endif
