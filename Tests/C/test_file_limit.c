/* A limit on the size of files (RLIMIT_FSIZE): wherever it lies it is CTIE_E_NO_SPACE, and never SIGXFSZ. */
#define _GNU_SOURCE
#include "group.h"

#include <sys/resource.h>

static void limit_files(rlim_t size) {
    struct rlimit limit = {size, RLIM_INFINITY};
    CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
}

static bool is_refusal(ctie_status status) {
    if (status != CTIE_OK) CHECK_STATUS(status, CTIE_E_NO_SPACE);
    return status != CTIE_OK;
}

struct plan { uint32_t flags; rlim_t limit; bool is_late; };

/* Makes a group, or opens it, and uses and fills it. */
static int use(void *argument) {
    const struct plan *plan = argument;
    ctie_wormhole_options options = group_options(plan->flags);
    ctie_wormhole *wormhole = NULL;
    int refused = 0;
    options.map_size = 1 << 20;
    options.max_map_size = 8 << 20;
    if (!plan->is_late) limit_files(plan->limit);
    ctie_status status = ctie_wormhole_open(CTIE_STR("test"), &options, &wormhole, NULL);
    if (is_refusal(status)) return 10;
    limit_files(plan->limit);
    for (int i = 0; i < 24; i++) {
        char identifier[16];
        snprintf(identifier, sizeof identifier, "a.%d", i);
        refused += is_refusal(pass_bytes(wormhole, identifier, 200000));
    }
    CHECK(refused > 0 || plan->limit > 4 << 20);
    int64_t stored = stored_int(wormhole, CTIE_STR("kept"));
    CHECK(stored == 3 || stored == -1);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    return checks_failed != 0 ? 1 : refused > 0 ? 11 : 0;
}

static int keep_one(void *flags) {
    ctie_wormhole_options options = group_options(*(uint32_t *)flags);
    options.map_size = 1 << 20;
    options.max_map_size = 8 << 20;
    ctie_wormhole *wormhole = open_group_with(&options);
    CHECK_STATUS(pass_int(wormhole, "kept", 3), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    return 0;
}

static int kept_is_there(void *flags) {
    ctie_wormhole_options options = group_options(*(uint32_t *)flags);
    ctie_wormhole *wormhole = open_group_with(&options);
    CHECK(stored_int(wormhole, CTIE_STR("kept")) == 3);
    CHECK_STATUS(pass_int(wormhole, "more", 3), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    return 0;
}

static struct { int unopened, refused, done; } tally;

static void test_limit(uint32_t flags, rlim_t limit, bool is_there, bool is_late) {
    struct plan plan = {flags, limit, is_late};
    if (is_there) CHECK(in_child(keep_one, &flags) == 0);
    int end = in_child(use, &plan);
    CHECK(end == 0 || end == 10 || end == 11);
    if (end < 0) fprintf(stderr, "    signal %d with files of %ld bytes\n", -end, (long)limit);
    tally.unopened += end == 10, tally.refused += end == 11, tally.done += end == 0;
    if (is_there) CHECK(in_child(kept_is_there, &flags) == 0);
    remove_directory();
}

static const rlim_t limits[] = {0, 4096, 65536, 300000, 1 << 20, (2 << 20) - 1, 4 << 20, 9 << 20};

static void test_limits(uint32_t flags) {
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        for (int way = 0; way < 4; way++) test_limit(flags, limits[i], way & 1, way & 2);
    }
}

int main(void) {
    name_directory();
    test_limits(0);
    test_limits(CTIE_WORMHOLE_FAST);
    test_limits(CTIE_WORMHOLE_SYSTEM);
    CHECK(tally.unopened > 0 && tally.refused > 0 && tally.done > 0);
    FIGURES("; %d groups not opened, %d not filled, %d filled", tally.unopened, tally.refused, tally.done);
    return check_end();
}
