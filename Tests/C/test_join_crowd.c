/*
 * 64 processes that join a group and leave it at random, each with 8 components: calls end with an answer, or because nobody
 * has the component, its process has ended or left, or is busy.
 */
#include "joining.h"

enum { PROCESSES = 64, COMPONENTS = 8, CALLS = 12, JOINS = 2 };

static char names[COMPONENTS][8];

static struct counts {
    _Atomic int answered, ended_early, busy, missing, other, ended;
} *counts;

static void count_one(ctie_status status) {
    switch (status) {
    case CTIE_OK: counts->answered++; break;
    case CTIE_E_PEER_GONE: counts->ended_early++; break;
    case CTIE_E_BUSY: counts->busy++; break;
    case CTIE_E_NO_COMPONENT: counts->missing++; break;
    default:
        if (counts->other++ < 5) fprintf(stderr, "    a call ended with %s\n", ctie_status_name(status));
    }
}

static void call_some(ctie_bus *bus, unsigned *seed) {
    ctie_request_options options = *without_end();
    options.flags = CTIE_REQUEST_ELSEWHERE;
    for (int i = 0; i < CALLS; i++) {
        ctie_target target = {ctie_str_from(names[(unsigned)rand_r(seed) % COMPONENTS]), CTIE_STR("echo")};
        count_one(ctie_component_call(bus, target, NULL, &options, NULL, NULL));
    }
}

/** Joins with components of its choice, calls others, and leaves; again and again. */
static int come_and_go(void *argument) {
    unsigned seed = *(unsigned *)argument;
    ctie_bus *bus = make_bus();
    ctie_wormhole *group = open_group();
    for (int i = 0; i < COMPONENTS; i++) add_action(bus, names[i], "echo", echo, NULL, 0);
    for (int i = test_rounds(JOINS); i > 0; i--) {
        ctie_str exports[COMPONENTS], all = CTIE_STR("*");
        ctie_join_options options = CTIE_JOIN_OPTIONS_INIT;
        ctie_join *join = NULL;
        size_t count = 0;
        for (int each = 0; each < COMPONENTS; each++) {
            if (rand_r(&seed) % 2 == 0) exports[count++] = ctie_str_from(names[each]);
        }
        options.exports = (ctie_str_list){exports, count};
        options.imports = (ctie_str_list){&all, 1};
        CHECK_STATUS(ctie_bus_join(bus, group, &options, &join, NULL), CTIE_OK);
        call_some(bus, &seed);
        /* Some leave with their bus, at its end. */
        if (i > 1 || rand_r(&seed) % 2 == 0) CHECK_STATUS(ctie_join_release(join), CTIE_OK);
    }
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(group), CTIE_OK);
    counts->ended++;
    return 0;
}

int main(void) {
    pid_t children[PROCESSES];
    name_directory();
    board = share(sizeof *board);
    counts = share(sizeof *counts);
    for (int i = 0; i < COMPONENTS; i++) snprintf(names[i], sizeof names[i], "c%d", i);
    ctie_wormhole *group = open_group();
    for (unsigned i = 0; i < PROCESSES; i++) {
        unsigned seed = i + 1;
        children[i] = start_child(come_and_go, &seed);
    }
    for (int i = 0; i < PROCESSES; i++) CHECK(end_of_child(children[i]) == 0);
    CHECK(counts->ended == PROCESSES);
    CHECK(counts->other == 0 && counts->answered > 0);
    FIGURES(", %d answered, %d ended, %d busy, %d missing", counts->answered, counts->ended_early, counts->busy, counts->missing);
    CHECK_STATUS(ctie_wormhole_release(group), CTIE_OK);
    remove_directory();
    return check_end();
}
