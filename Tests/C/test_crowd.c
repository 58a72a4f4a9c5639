/* Many: identifiers, listeners, processes. Processes that a message does not concern sleep. */
#include "group.h"

#define PROCESSES 64
#define IDENTIFIERS 1000

/* ---- 1,000 identifiers --------------------------------------------------------------------------- */

static void name_one(int i, char (*name)[24]) { snprintf(*name, sizeof *name, "many.%d.x", i); }

static void test_many_identifiers(void) {
    static struct ear ears[IDENTIFIERS], all;
    ctie_wormhole *wormhole = open_group();
    char name[24];
    for (int i = 0; i < IDENTIFIERS; i++) {
        name_one(i, &name);
        listen_to(wormhole, ctie_str_from(name), "", &ears[i]);
    }
    listen_to(wormhole, CTIE_STR("many.*"), "", &all);
    for (int64_t value = 1; value <= 3; value++) {
        for (int i = 0; i < IDENTIFIERS; i++) {
            name_one(i, &name);
            CHECK_STATUS(pass_int(wormhole, name, value * IDENTIFIERS + i), CTIE_OK);
        }
        for (int i = 0; i < IDENTIFIERS; i++) AWAIT(ears[i].value == value * IDENTIFIERS + i);
    }
    AWAIT(all.value == 3 * IDENTIFIERS + IDENTIFIERS - 1);
    ctie_value *list = NULL;
    CHECK_STATUS(ctie_wormhole_identifiers(wormhole, CTIE_STR("many.*"), &list, NULL), CTIE_OK);
    CHECK(ctie_value_count(list) == IDENTIFIERS);
    ctie_value_release(list);
    for (int i = 0; i < IDENTIFIERS; i++) {
        name_one(i, &name);
        CHECK(stored_int(wormhole, ctie_str_from(name)) == 3 * IDENTIFIERS + i && ears[i].went_back == 0);
    }
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
}

/* ---- 64 processes -------------------------------------------------------------------------------- */

static struct crowd {
    _Atomic int listening;
    _Atomic int shall_end;
    struct ear ears[PROCESSES];  /* for what is each one's own */
    struct ear common[PROCESSES]; /* for what all listen to */
} *crowd;

static int join(void *argument) {
    int self = *(int *)argument;
    char own[24];
    ctie_wormhole *wormhole = open_group();
    snprintf(own, sizeof own, "own.%d", self);
    listen_to(wormhole, ctie_str_from(own), "", &crowd->ears[self]);
    listen_to(wormhole, CTIE_STR("common"), "", &crowd->common[self]);
    AWAIT(crowd->ears[self].calls == 1 && crowd->common[self].calls == 1);
    crowd->listening++;
    while (!crowd->shall_end) nap_ns(20000000);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    return 0;
}

/*
 * The number of times that the threads of a process, except its first one, which naps, have gone to sleep: once for
 * each waking.
 */
static long wakings(pid_t process) {
    char path[400], line[256];
    long count = 0;
    snprintf(path, sizeof path, "/proc/%d/task", (int)process);
    DIR *threads = opendir(path);
    for (struct dirent *each; threads != NULL && (each = readdir(threads)) != NULL;) {
        if (each->d_name[0] == '.' || atoi(each->d_name) == process) continue;
        snprintf(path, sizeof path, "/proc/%d/task/%s/status", (int)process, each->d_name);
        FILE *file = fopen(path, "r");
        while (file != NULL && fgets(line, sizeof line, file) != NULL) {
            long found = 0;
            if (sscanf(line, "voluntary_ctxt_switches: %ld", &found) == 1) count += found;
        }
        if (file != NULL) fclose(file);
    }
    if (threads != NULL) closedir(threads);
    return count;
}

static void test_all_receive(ctie_wormhole *wormhole) {
    int64_t begin = now_ns();
    for (int64_t value = 1; value <= 100; value++) CHECK_STATUS(pass_int(wormhole, "common", value), CTIE_OK);
    for (int i = 0; i < PROCESSES; i++) AWAIT(crowd->common[i].value == 100);
    FIGURES("; %d processes received the last of 100 within %.1f ms", PROCESSES, (double)(now_ns() - begin) / 1e6);
}

/* A sleeping process is woken: it may hardly ever notice a message only by its own check, every second. */
static void test_one_is_woken(ctie_wormhole *wormhole) {
    const int rounds = 12;
    int64_t longest = 0;
    int late = 0;
    for (int64_t value = 1; value <= rounds; value++) {
        nap_ns(5000000);
        int64_t begin = now_ns();
        CHECK_STATUS(pass_int(wormhole, "own.0", -value), CTIE_OK);
        AWAIT(crowd->ears[0].value == -value);
        int64_t span = now_ns() - begin;
        late += span > 400000000;
        longest = span > longest ? span : longest;
    }
    CHECK(late <= rounds / 4);
    FIGURES("; a sleeper was woken within %.1f ms", (double)longest / 1e6);
}

/* One is concerned. The others look by themselves, once a second, and are not woken beyond that. */
static void test_unconcerned_sleep(ctie_wormhole *wormhole, const pid_t *processes, int messages) {
    long before[PROCESSES], woken = 0, ticks = 0;
    nap_ns(50000000);
    for (int i = 0; i < PROCESSES; i++) before[i] = wakings(processes[i]);
    int64_t begin = now_ns();
    for (int64_t value = 1; value <= messages; value++) CHECK_STATUS(pass_int(wormhole, "own.0", value), CTIE_OK);
    AWAIT(crowd->ears[0].value == messages);
    long seconds = (long)((now_ns() - begin) / 1000000000) + 2;
    for (int i = 1; i < PROCESSES; i++) {
        long more = wakings(processes[i]) - before[i];
        woken += more > seconds ? more - seconds : 0;
        ticks += more;
        CHECK(crowd->ears[i].calls == 1);
    }
    CHECK(woken == 0);
    FIGURES("; %d unconcerned ones were woken %ld times by %d messages, beside %ld ticks", PROCESSES - 1, woken,
            messages, ticks);
}

static void test_crowd(int messages) {
    pid_t processes[PROCESSES];
    int selves[PROCESSES];
    for (int i = 0; i < PROCESSES; i++) selves[i] = i, processes[i] = start_child(join, &selves[i]);
    AWAIT(crowd->listening == PROCESSES);
    ctie_wormhole *wormhole = open_group();
    ctie_value *members = NULL;
    CHECK_STATUS(ctie_wormhole_members(wormhole, &members, NULL), CTIE_OK);
    CHECK(ctie_value_count(members) == PROCESSES + 1);
    ctie_value_release(members);
    test_all_receive(wormhole);
    test_one_is_woken(wormhole);
    test_unconcerned_sleep(wormhole, processes, messages);
    /* Half of them are killed, and are removed at once. */
    for (int i = 0; i < PROCESSES / 2; i++) kill_child(processes[i]);
    CHECK_STATUS(ctie_wormhole_members(wormhole, &members, NULL), CTIE_OK);
    CHECK(ctie_value_count(members) == PROCESSES / 2 + 1);
    ctie_value_release(members);
    CHECK_STATUS(pass_int(wormhole, "common", 777), CTIE_OK);
    for (int i = PROCESSES / 2; i < PROCESSES; i++) AWAIT(crowd->common[i].value == 777);
    crowd->shall_end = 1;
    for (int i = PROCESSES / 2; i < PROCESSES; i++) CHECK(end_of_child(processes[i]) == 0);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
}

/* The 256 members of a group: the next one gets an error, and a slot is freed by any kind of death. */
static int open_and_stay(void *argument) {
    _Atomic int *opened = argument;
    ctie_wormhole *wormhole = open_group();
    if (wormhole == NULL) return 2;
    ++*opened;
    for (;;) nap_ns(1000000000);
    return 0;
}

static void test_all_places(void) {
    ctie_wormhole_options options = group_options(0);
    ctie_wormhole *wormholes[256] = {NULL}, *more = NULL;
    _Atomic int *opened = share(sizeof *opened);
    pid_t child = start_child(open_and_stay, opened);
    AWAIT(*opened == 1);
    for (int i = 0; i < 255; i++) wormholes[i] = open_group();
    CHECK_STATUS(ctie_wormhole_open(CTIE_STR("test"), &options, &more, NULL), CTIE_E_LIMIT);
    CHECK_STATUS(pass_int(wormholes[254], "a", 1), CTIE_OK);
    kill_child(child);
    wormholes[255] = open_group();
    CHECK_STATUS(pass_int(wormholes[255], "a", 2), CTIE_OK);
    for (int i = 0; i < 256; i++) CHECK_STATUS(ctie_wormhole_release(wormholes[i]), CTIE_OK);
    munmap(opened, sizeof *opened);
    remove_directory();
}

int main(void) {
    name_directory();
    crowd = share(sizeof *crowd);
    test_many_identifiers();
    test_crowd(test_rounds(2500));
    test_all_places();
    return check_end();
}
