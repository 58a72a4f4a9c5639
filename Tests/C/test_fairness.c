/* Two processes and one lock: a process that sends without pause does not keep the other from its turns. */
#include "check.h"
#include "group.h"

#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>

#define TURNS 100
#define BATCH 1000
/* So many batches may be passed meanwhile: with fairness it is one for a turn, without it twelve to nineteen. */
#define BATCHES (TURNS * 5)

static _Atomic int *turns;

static void pass_without_pause(uint32_t flags) {
    static ctie_outgoing messages[BATCH];
    ctie_wormhole_options options = group_options(flags);
    ctie_wormhole *wormhole = open_group_with(&options);
    for (int passed = 0; *turns < TURNS && passed < BATCHES; passed++) {
        for (int i = 0; i < BATCH; i++) {
            messages[i].identifier = CTIE_STR("greedy");
            messages[i].value = ctie_value_int(passed);
        }
        ctie_wormhole_send_many(wormhole, messages, BATCH, NULL, NULL, NULL);
    }
    if (*turns < TURNS) *turns = -1;
    ctie_wormhole_release(wormhole);
}

static void test_turns(uint32_t flags) {
    ctie_wormhole_options options = group_options(flags);
    *turns = 0;
    pid_t child = fork();
    if (child == 0) {
        pass_without_pause(flags);
        _exit(0);
    }
    ctie_wormhole *wormhole = open_group_with(&options);
    while (stored_int(wormhole, CTIE_STR("greedy")) < 0) nap_ns(200000);
    while (*turns >= 0 && *turns < TURNS) {
        CHECK_STATUS(ctie_wormhole_send(wormhole, CTIE_STR("modest"), ctie_value_int(1), NULL, NULL, NULL, NULL), CTIE_OK);
        if (*turns >= 0) ++*turns;
    }
    CHECK(*turns == TURNS);
    waitpid(child, NULL, 0);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
}

int main(void) {
    name_directory();
    turns = mmap(NULL, sizeof *turns, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(turns != MAP_FAILED);
    test_turns(0);
    test_turns(CTIE_WORMHOLE_FAST);
    return check_end();
}
