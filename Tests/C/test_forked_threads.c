/* The children of a process that has used the library use it on several threads at once, each for the first time. */
#include "group.h"

#include <pthread.h>

enum { THREADS = 4, VALUES = 20 };

static _Atomic int ready;

/* Messages in memory of a group of its own: many types of the library that nobody has needed yet. */
static void *use(void *number) {
    char group[16];
    ctie_wormhole_options options = CTIE_WORMHOLE_OPTIONS_INIT;
    ctie_wormhole *wormhole = NULL;
    struct ear ear = {0};
    options.flags = CTIE_WORMHOLE_MEMORY;
    snprintf(group, sizeof group, "group%d", (int)(intptr_t)number);
    ready++;
    while (ready < THREADS) continue;
    CHECK_STATUS(ctie_wormhole_open(ctie_str_from(group), &options, &wormhole, NULL), CTIE_OK);
    listen_to(wormhole, CTIE_STR("value"), "", &ear);
    for (int i = 1; i <= VALUES; i++) CHECK_STATUS(pass_int(wormhole, "value", i), CTIE_OK);
    AWAIT(ear.value == VALUES);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    return NULL;
}

static int use_on_all(void *unused) {
    pthread_t threads[THREADS];
    (void)unused;
    alarm(120);
    for (intptr_t i = 0; i < THREADS - 1; i++) CHECK(pthread_create(&threads[i], NULL, use, (void *)i) == 0);
    use((void *)(THREADS - 1)); /* The one thread that was forked is among them. */
    for (int i = 0; i < THREADS - 1; i++) CHECK(pthread_join(threads[i], NULL) == 0);
    return 0;
}

int main(void) {
    ctie_bus *bus = NULL;
    ctie_value *list = NULL;
    int children = test_rounds(60);
    CHECK_STATUS(ctie_bus_new(NULL, &bus, NULL), CTIE_OK);
    CHECK_STATUS(ctie_value_from_json(CTIE_STR("[1]"), &list, NULL), CTIE_OK);
    ctie_value_release(list);
    for (int child = 0; child < children; child++) CHECK(in_child(use_on_all, NULL) == 0);
    CHECK_STATUS(ctie_bus_release(bus), CTIE_OK);
    return check_end();
}
