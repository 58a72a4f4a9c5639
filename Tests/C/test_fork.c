/* After a fork: handles from before are refused in the child, new ones work, and the parent goes on. */
#include "check.h"
#include "latch.h"

#include <sys/wait.h>
#include <unistd.h>

static latch destroyed = LATCH_INIT;
static ctie_request *kept;
static latch taken = LATCH_INIT;

static void reply_one(ctie_request *request, void *user_data) {
    (void)user_data;
    CHECK_STATUS(ctie_request_reply(request, ctie_value_int(1)), CTIE_OK);
}

static void keep(ctie_request *request, void *user_data) {
    (void)user_data;
    CHECK_STATUS(ctie_request_retain(request), CTIE_OK);
    kept = request;
    latch_add(&taken);
}

typedef struct before {
    ctie_bus *bus;
    ctie_registration *registration;
    ctie_call *call;
    ctie_response *response;
    ctie_value *value;
} before;

static before prepare(void) {
    before it = {0};
    it.value = ctie_value_string(CTIE_STR("made before the fork, and long enough not to be inline"));
    CHECK_STATUS(ctie_bus_new(NULL, &it.bus, NULL), CTIE_OK);
    CHECK_STATUS(ctie_route_add(it.bus, CTIE_STR("app://a"), CTIE_HANDLER_OWNED(reply_one, &destroyed, latch_destroy),
                                NULL, &it.registration, NULL), CTIE_OK);
    CHECK_STATUS(ctie_route_add(it.bus, CTIE_STR("app://keep"), CTIE_HANDLER(keep, NULL), NULL, NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_open_async(it.bus, CTIE_STR("app://keep"), 1, CTIE_COMPLETION(NULL, NULL), NULL, &it.call, NULL),
                 CTIE_OK);
    latch_wait(&taken, 1);
    CHECK_STATUS(ctie_open(it.bus, CTIE_STR("app://a"), 1, NULL, &it.response, NULL), CTIE_OK);
    return it;
}

static void old_handles_are_refused(before *it) {
    ctie_str text;
    ctie_value *routes = NULL;
    ctie_opened_by opener;
    ctie_bus *none = NULL;
    bool ended;
    CHECK_STATUS(ctie_bus_name(it->bus, &text), CTIE_E_FORKED);
    CHECK_STATUS(ctie_bus_retain(it->bus), CTIE_E_FORKED);
    CHECK_STATUS(ctie_open(it->bus, CTIE_STR("app://a"), 1, NULL, NULL, NULL), CTIE_E_FORKED);
    CHECK_STATUS(ctie_open_async(it->bus, CTIE_STR("app://a"), 1, CTIE_COMPLETION(NULL, NULL), NULL, NULL, NULL),
                 CTIE_E_FORKED);
    CHECK_STATUS(ctie_can_open(it->bus, CTIE_STR("app://a"), 1, CTIE_MATCH_DEFAULT, &opener), CTIE_E_FORKED);
    CHECK_STATUS(ctie_route_add(it->bus, CTIE_STR("app://b"), CTIE_HANDLER(reply_one, NULL), NULL, NULL, NULL),
                 CTIE_E_FORKED);
    CHECK_STATUS(ctie_route_remove(it->bus, CTIE_STR("app://a"), NULL), CTIE_E_FORKED);
    CHECK_STATUS(ctie_route_list(it->bus, &routes), CTIE_E_FORKED);
    CHECK_STATUS(ctie_request_is_ended(kept, &ended), CTIE_E_FORKED);
    CHECK_STATUS(ctie_request_bus(kept, &none), CTIE_E_FORKED);
    CHECK_STATUS(ctie_request_reply(kept, ctie_value_int(1)), CTIE_E_FORKED);
    CHECK_STATUS(ctie_call_wait(it->call, 0, NULL), CTIE_E_FORKED);
    CHECK_STATUS(ctie_call_cancel(it->call), CTIE_E_FORKED);
    CHECK_STATUS(ctie_response_status(it->response), CTIE_E_FORKED);

    CHECK_STATUS(ctie_registration_release(it->registration), CTIE_E_FORKED);
    CHECK_STATUS(ctie_request_release(kept), CTIE_E_FORKED);
    CHECK_STATUS(ctie_response_release(it->response), CTIE_E_FORKED);
    CHECK_STATUS(ctie_call_release(it->call), CTIE_E_FORKED);
    CHECK_STATUS(ctie_bus_close(it->bus), CTIE_E_FORKED);
    CHECK_STATUS(ctie_bus_release(it->bus), CTIE_E_FORKED);
    CHECK(latch_count(&destroyed) == 0);
}

/* `closing` is what closing answers: inside a callback the closing is put off in the child, too. */
static void new_handles_work(ctie_status closing) {
    ctie_bus *bus = NULL;
    ctie_call *call = NULL;
    ctie_response *response = NULL;
    CHECK_STATUS(ctie_bus_shared(CTIE_STR("fork"), &bus, NULL), CTIE_OK);
    CHECK_STATUS(ctie_route_add(bus, CTIE_STR("app://a"), CTIE_HANDLER(reply_one, NULL), NULL, NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_open(bus, CTIE_STR("app://a"), 1, NULL, NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_open_async(bus, CTIE_STR("app://a"), 1, CTIE_COMPLETION(NULL, NULL), NULL, &call, NULL), CTIE_OK);
    CHECK_STATUS(ctie_call_wait(call, -1, &response), CTIE_OK);
    CHECK_STATUS(ctie_response_status(response), CTIE_OK);
    CHECK_STATUS(ctie_response_release(response), CTIE_OK);
    CHECK_STATUS(ctie_call_release(call), CTIE_OK);
    CHECK_STATUS(ctie_bus_close(bus), closing);
}

/* Values are plain memory: they are as good in the child as they were. */
static void old_values_live(before *it) {
    ctie_str text;
    CHECK_STATUS(ctie_value_get_string(it->value, &text), CTIE_OK);
    CHECK(text.size > 50);
    ctie_value_release(ctie_value_retain(it->value));
}

static void child(before *it) {
    old_handles_are_refused(it);
    new_handles_work(CTIE_OK);
    old_values_live(it);
    alarm(0);
    _exit(checks_failed == 0 ? 0 : 1);
}

static void the_parent_goes_on(before *it) {
    CHECK_STATUS(ctie_open(it->bus, CTIE_STR("app://a"), 1, NULL, NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_request_reply(kept, ctie_value_int(1)), CTIE_OK);
    CHECK_STATUS(ctie_request_release(kept), CTIE_OK);
    CHECK_STATUS(ctie_call_wait(it->call, -1, NULL), CTIE_OK);
    CHECK_STATUS(ctie_call_release(it->call), CTIE_OK);
    CHECK_STATUS(ctie_response_status(it->response), CTIE_OK);
    CHECK_STATUS(ctie_response_release(it->response), CTIE_OK);
    CHECK_STATUS(ctie_registration_release(it->registration), CTIE_OK);
    CHECK(latch_count(&destroyed) == 1);
    CHECK_STATUS(ctie_bus_close(it->bus), CTIE_OK);
    ctie_value_release(it->value);
}

/* Forks out of a handler: in the child the request that runs belongs to the time before, too. */
static void fork_inside(ctie_request *request, void *user_data) {
    ctie_bus *bus = user_data;
    pid_t pid = fork();
    if (pid == 0) {
        alarm(60);
        ctie_str text;
        CHECK_STATUS(ctie_request_pattern(request, &text), CTIE_E_FORKED);
        CHECK_STATUS(ctie_bus_name(bus, &text), CTIE_E_FORKED);
        new_handles_work(CTIE_PENDING);
        _exit(checks_failed == 0 ? 0 : 1);
    }
    int status = -1;
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
    CHECK_STATUS(ctie_request_reply(request, ctie_value_int(1)), CTIE_OK);
}

static void a_handler_may_fork(void) {
    ctie_bus *bus = NULL;
    CHECK_STATUS(ctie_bus_new(NULL, &bus, NULL), CTIE_OK);
    CHECK_STATUS(ctie_route_add(bus, CTIE_STR("app://fork"), CTIE_HANDLER(fork_inside, bus), NULL, NULL, NULL),
                 CTIE_OK);
    CHECK_STATUS(ctie_open(bus, CTIE_STR("app://fork"), 1, NULL, NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

int main(void) {
    before it = prepare();
    pid_t pid = fork();
    if (pid == 0) {
        alarm(60);
        child(&it);
    }
    int status = -1;
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
    the_parent_goes_on(&it);
    a_handler_may_fork();
    return check_end();
}
