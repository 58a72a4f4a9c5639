/* Declaring durable consumers: a sender makes the queue of a worker that has never run. */
#include "group.h"

#define JOBS CTIE_STR("jobs")
#define WORKER CTIE_STR("worker")

static ctie_wormhole *wormhole;
static atomic_int received;
static latch reported;

static void count(const ctie_message *message, void *user_data) {
    (void)user_data;
    if (ctie_message_kind(message) == CTIE_MESSAGE_VALUE) { atomic_fetch_add(&received, 1); }
    latch_add(&reported);
}

static void pass(int64_t number) {
    CHECK_STATUS(ctie_wormhole_send(wormhole, JOBS, ctie_value_int(number), NULL, NULL, NULL, NULL), CTIE_OK);
}

static ctie_listener *listen_as_worker(void) {
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    ctie_listener *listener = NULL;
    options.name = WORKER;
    options.flags = CTIE_LISTEN_QUEUE | CTIE_LISTEN_DURABLE;
    CHECK_STATUS(ctie_wormhole_listen(wormhole, JOBS, CTIE_RECEIVER(count, NULL), &options, &listener, NULL), CTIE_OK);
    return listener;
}

static void messages_after_declaring_wait(void) {
    CHECK_STATUS(ctie_wormhole_declare(wormhole, JOBS, WORKER, NULL, NULL), CTIE_OK);
    for (int number = 0; number < 10; number++) { pass(number); }
    ctie_listener *listener = listen_as_worker();
    latch_wait(&reported, 10);
    CHECK(atomic_load(&received) == 10);
    CHECK_STATUS(ctie_listener_release(listener), CTIE_OK);
}

static void other_options_are_a_conflict(void) {
    ctie_durable_options options = CTIE_DURABLE_OPTIONS_INIT;
    ctie_error *error = NULL;
    CHECK_STATUS(ctie_wormhole_declare(wormhole, JOBS, WORKER, &options, NULL), CTIE_OK);
    options.max_deliveries = 3;
    CHECK_STATUS(ctie_wormhole_declare(wormhole, JOBS, WORKER, &options, &error), CTIE_E_CONFLICT);
    CHECK(strstr(ctie_error_message(error).data, "max_deliveries") != NULL);
    ctie_error_release(error);
    options.flags = CTIE_DURABLE_CHANGE;
    CHECK_STATUS(ctie_wormhole_declare(wormhole, JOBS, WORKER, &options, NULL), CTIE_OK);
    options.flags = 0;
    CHECK_STATUS(ctie_wormhole_declare(wormhole, JOBS, WORKER, &options, NULL), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_declare(wormhole, JOBS, WORKER, NULL, NULL), CTIE_E_CONFLICT);
    CHECK_STATUS(ctie_wormhole_forget(wormhole, JOBS, WORKER, NULL), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_declare(wormhole, JOBS, WORKER, NULL, NULL), CTIE_OK);
}

static void numbers_out_of_range_are_refused(void) {
    const ctie_durable_options plain = CTIE_DURABLE_OPTIONS_INIT;
    ctie_durable_options options = plain;
    options.flags = 64;
    CHECK_STATUS(ctie_wormhole_declare(wormhole, JOBS, WORKER, &options, NULL), CTIE_E_INVALID);
    options = plain;
    options.when_full = 3;
    CHECK_STATUS(ctie_wormhole_declare(wormhole, JOBS, WORKER, &options, NULL), CTIE_E_INVALID);
    options = plain;
    options.backoff_factor = 0.5;
    CHECK_STATUS(ctie_wormhole_declare(wormhole, JOBS, WORKER, &options, NULL), CTIE_E_INVALID);
    options = plain;
    options.backoff_jitter = -1;
    CHECK_STATUS(ctie_wormhole_declare(wormhole, JOBS, WORKER, &options, NULL), CTIE_E_INVALID);
    options = plain;
    options.backoff_first_ms = 2000;
    options.backoff_most_ms = 1000;
    CHECK_STATUS(ctie_wormhole_declare(wormhole, JOBS, WORKER, &options, NULL), CTIE_E_INVALID);
    options = plain;
    options.dead_letter = CTIE_STR("no identifier");
    CHECK_STATUS(ctie_wormhole_declare(wormhole, JOBS, WORKER, &options, NULL), CTIE_E_IDENTIFIER);
    CHECK_STATUS(ctie_wormhole_declare(wormhole, JOBS, CTIE_STR(""), NULL, NULL), CTIE_E_LIMIT);
    CHECK_STATUS(ctie_wormhole_declare(wormhole, CTIE_STR("jobs..a"), WORKER, NULL, NULL), CTIE_E_IDENTIFIER);
}

static void destroying_everything_keeps_what_is_declared(void) {
    ctie_durable_options options = CTIE_DURABLE_OPTIONS_INIT;
    options.max_deliveries = 7;
    options.flags = CTIE_DURABLE_CHANGE;
    CHECK_STATUS(ctie_wormhole_declare(wormhole, JOBS, WORKER, &options, NULL), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_destroy_all(wormhole, NULL, NULL, NULL), CTIE_OK);
    options.flags = 0;
    CHECK_STATUS(ctie_wormhole_declare(wormhole, JOBS, WORKER, &options, NULL), CTIE_OK);
}

int main(void) {
    name_directory();
    wormhole = open_group();
    messages_after_declaring_wait();
    other_options_are_a_conflict();
    numbers_out_of_range_are_refused();
    destroying_everything_keeps_what_is_declared();
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
    return check_end();
}
