/*
 * A process forks while the thread of its join begins to work: its children use the library, and nothing hangs. Each
 * round has a process of its own, because only a first use can hang.
 */
#include "joining.h"

enum { ROUNDS = 60, LONGEST_NS = 1500000 };

static bool is_served(ctie_bus *bus) {
    return ctie_component_call(bus, CTIE_TARGET("stock", "echo"), NULL, without_end(), NULL, NULL) == CTIE_OK;
}

static int join_in_child(void *unused CTIE_UNUSED) {
    alarm(100);
    ctie_bus *bus = make_bus();
    ctie_wormhole *wormhole = open_group();
    ctie_join *join = join_as(bus, wormhole, "child", NULL, "stock", 0);
    /* On a busy machine the parent's greeting may take longer than the joining waits for it. */
    AWAIT(is_served(bus));
    CHECK_STATUS(ctie_join_release(join), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    return 0;
}

/** Runs in a process that has not used the library before, so that first uses race with the fork. */
static int join_and_fork(void *delay) {
    ctie_bus *bus = make_bus();
    add_stock(bus);
    ctie_wormhole *wormhole = open_group();
    ctie_join *join = join_as(bus, wormhole, "parent", "stock", NULL, 0);
    nap_ns(*(int64_t *)delay);
    pid_t child[2] = {start_child(join_in_child, NULL), start_child(join_in_child, NULL)};
    for (int i = 0; i < 2; i++) CHECK(end_of_child(child[i]) == 0);
    CHECK_STATUS(ctie_join_release(join), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    return 0;
}

int main(void) {
    name_directory();
    board = share(sizeof *board);
    int rounds = test_rounds(ROUNDS);
    for (int i = 0; i < rounds; i++) {
        int64_t delay = (int64_t)i * LONGEST_NS / rounds;
        CHECK(end_of_child(start_child(join_and_fork, &delay)) == 0);
    }
    remove_directory();
    return check_end();
}
