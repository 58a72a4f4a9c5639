/*
 * Callers killed at random moments, while their threads call: their requests are cancelled, and nothing of them stays
 * behind. Each of them shares memory with this process, or has a socket alone.
 */
#include "joining.h"

enum { KILLS = 200, CALLERS = 3 };

static ctie_bus *called_bus;

static void *call_on(void *argument) {
    static const char *const actions[] = {"echo", "fail", "step", "describe", "hang"};
    unsigned seed = (unsigned)(uintptr_t)argument + (unsigned)getpid();
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    for (;;) {
        ctie_target target = {CTIE_STR("stock"), ctie_str_from(actions[rand_r(&seed) % 5])};
        options.timeout_ms = rand_r(&seed) % 3 == 0 ? 1 : 20;
        if (rand_r(&seed) % 3 == 0) {
            ctie_component_call_async(called_bus, target, NULL, CTIE_COMPLETION(NULL, NULL), &options, NULL, NULL);
        } else {
            ctie_component_call(called_bus, target, NULL, &options, NULL, NULL);
        }
    }
    return NULL;
}

static int call_until_killed(void *flags) {
    pthread_t threads[CALLERS];
    called_bus = make_bus();
    join_as(called_bus, open_group(), "caller", NULL, "stock", *(uint32_t *)flags);
    board->ready++;
    for (int i = 0; i < CALLERS; i++) pthread_create(&threads[i], NULL, call_on, (void *)(uintptr_t)(i + 1));
    for (;;) pause();
    return 0;
}

int main(void) {
    unsigned seed = 7;
    name_directory();
    board = share(sizeof *board);
    ctie_bus *bus = make_bus();
    int threads = thread_count(), files = open_files();
    add_stock(bus);
    ctie_wormhole *wormhole = open_group();
    ctie_join *joined = join_as(bus, wormhole, "callee", "stock", NULL, 0);
    for (int i = 0; i < test_rounds(KILLS); i++) {
        uint32_t flags = i % 4 == 3 ? CTIE_JOIN_NO_SHARED_MEMORY : 0;
        int before = board->ready;
        pid_t child = start_child(call_until_killed, &flags);
        AWAIT(board->ready > before);
        nap_ns(rand_r(&seed) % 4000000);
        kill_child(child);
    }
    AWAIT(peer_count(joined) == 0);
    AWAIT(board->running == board->cancelled);
    CHECK(board->running > 0);
    AWAIT(shared_mappings() == 0);
    FIGURES(", %d cancelled", board->cancelled);
    return end_joined(joined, wormhole, bus, threads, files);
}
