/* Progress: a caller gets it before its request has ended, and never after. */
#include "story.h"

static void progress_of_a_synchronous_caller(void) {
    story own = STORY_INIT;
    ctie_request_options options = following(&own, NULL);
    new_bus();
    add("app://x", report_three, NULL);
    CHECK_STATUS(ctie_open(bus, CTIE_STR("app://x"), 1, &options, NULL, NULL), CTIE_OK);
    expect_three(&own, false);
    CHECK(pthread_equal(own.thread, pthread_self()) && latch_count(&own.destroyed) == 1);
    CHECK_STATUS(ctie_open(bus, CTIE_STR("app://x"), 1, NULL, NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

static void progress_comes_before_the_completion(void) {
    story own = STORY_INIT;
    new_bus();
    add("app://x", report_three, NULL);
    CHECK_STATUS(start("app://x", &own, NULL), CTIE_OK);
    latch_wait(&own.destroyed, 2);
    expect_three(&own, true);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

static void refused_callbacks_are_destroyed_once(void) {
    story own = STORY_INIT;
    ctie_request_options options = following(&own, (ctie_loop *)bus);
    new_bus();
    CHECK_STATUS(ctie_open(bus, CTIE_STR("app://x"), 1, &options, NULL, NULL), CTIE_E_HANDLE);
    CHECK(latch_count(&own.destroyed) == 1);
    options.loop = NULL;
    CHECK_STATUS(ctie_open(NULL, CTIE_STR("app://x"), 1, &options, NULL, NULL), CTIE_E_HANDLE);
    CHECK_STATUS(ctie_open(bus, CTIE_STR("app://x y"), 1, &options, NULL, NULL), CTIE_E_URL);
    CHECK_STATUS(ctie_open_async(bus, CTIE_STR("app://x y"), 1, CTIE_COMPLETION(NULL, NULL), &options, NULL, NULL),
                 CTIE_E_URL);
    CHECK(latch_count(&own.destroyed) == 4);
    options.interceptor_count = 1;
    CHECK_STATUS(ctie_open(bus, CTIE_STR("app://x"), 1, &options, NULL, NULL), CTIE_E_INVALID);
    options.interceptor_count = 0;
    options.progress.fn = NULL;
    CHECK_STATUS(ctie_open(bus, CTIE_STR("app://x"), 1, &options, NULL, NULL), CTIE_E_BLOCKED);
    CHECK(latch_count(&own.destroyed) == 6);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

static void completed_slowly(ctie_response *response, void *user_data) {
    (void)response;
    slow *own = user_data;
    CHECK(atomic_load(&own->has_left));
    latch_add(&own->ended);
}

static void no_progress_after_the_end(void) {
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    new_bus();
    for (int is_async = 0; is_async < 2; is_async++) {
        slow own = {LATCH_INIT, LATCH_INIT, LATCH_INIT, false};
        char url[] = "app://0";
        url[6] += (char)is_async;
        options.progress = CTIE_PROGRESS(receive_slowly, &own);
        add(url, keep_for_two, &own);
        if (is_async) {
            CHECK_STATUS(ctie_open_async(bus, ctie_str_from(url), 1, CTIE_COMPLETION(completed_slowly, &own), &options,
                                         NULL, NULL), CTIE_OK);
            latch_wait(&own.ended, 1);
        } else {
            CHECK_STATUS(ctie_open(bus, ctie_str_from(url), 1, &options, NULL, NULL), CTIE_OK);
            CHECK(atomic_load(&own.has_left));
        }
        pthread_join(reporter, NULL);
        pthread_join(ender, NULL);
    }
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

int main(void) {
    progress_of_a_synchronous_caller();
    progress_comes_before_the_completion();
    refused_callbacks_are_destroyed_once();
    no_progress_after_the_end();
    return check_end();
}
