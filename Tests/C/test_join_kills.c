/*
 * Callees killed at random moments while threads call them: each call ends exactly once, with an answer or because its
 * peer ended; nothing stays behind.
 */
#include "joining.h"

#define KILLS 200
#define CALLERS 3

static ctie_bus *bus;
static ctie_join *joined;
static _Atomic int shall_end, answered, ended, missing, other, completed, started;

static void count_status(ctie_status status) {
    if (status == CTIE_OK || status == CTIE_E_HANDLER) answered++;
    else if (status == CTIE_E_PEER_GONE) ended++;
    else if (status == CTIE_E_NO_COMPONENT) missing++;
    else if (other++ < 5) fprintf(stderr, "    a call ended with %s\n", ctie_status_name(status));
}

static void note_completion(ctie_response *response, void *user_data CTIE_UNUSED) {
    count_status(ctie_response_status(response));
    completed++;
}

static void ignore_progress(const ctie_value *value CTIE_UNUSED, void *user_data CTIE_UNUSED) {}

static void call_at_random(unsigned *seed) {
    static const char *const actions[] = {"echo", "fail", "step", "describe"};
    ctie_target target = {CTIE_STR("stock"), ctie_str_from(actions[rand_r(seed) % 4])};
    ctie_request_options options = *without_end();
    options.progress = CTIE_PROGRESS(ignore_progress, NULL);
    if (rand_r(seed) % 2 == 0) {
        count_status(ctie_component_call(bus, target, NULL, &options, NULL, NULL));
        return;
    }
    ctie_call *call = NULL;
    started++;
    CHECK_STATUS(ctie_component_call_async(bus, target, NULL, CTIE_COMPLETION(note_completion, NULL), &options, &call,
                                           NULL), CTIE_OK);
    ctie_call_wait(call, -1, NULL);
    ctie_call_release(call);
}

static void *call_on(void *argument) {
    unsigned seed = (unsigned)(uintptr_t)argument;
    while (!shall_end) call_at_random(&seed);
    return NULL;
}

static void kill_some(int kills) {
    unsigned seed = 5;
    for (int i = 0; i < kills; i++) {
        pid_t child = start_stock("victim", 0);
        nap_ns(rand_r(&seed) % 3000000);
        kill_child(child);
    }
}

int main(void) {
    pthread_t threads[CALLERS];
    name_directory();
    board = share(sizeof *board);
    bus = make_bus();
    int thread_count_before = thread_count(), files = open_files();
    ctie_wormhole *wormhole = open_group();
    joined = join_as(bus, wormhole, "caller", NULL, "stock", 0);
    for (int i = 0; i < CALLERS; i++) pthread_create(&threads[i], NULL, call_on, (void *)(uintptr_t)(i + 1));
    kill_some(test_rounds(KILLS));
    shall_end = 1;
    for (int i = 0; i < CALLERS; i++) pthread_join(threads[i], NULL);
    AWAIT(completed == started);
    AWAIT(peer_count(joined) == 0);
    AWAIT(shared_mappings() == 0);
    CHECK(answered > 0 && other == 0);
    FIGURES(", %d answered, %d without their peer", (int)answered, (int)ended);
    return end_joined(joined, wormhole, bus, thread_count_before, files);
}
