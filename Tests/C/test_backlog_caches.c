/*
 * A process's cache of limited durable consumers, when it turns out wrong: a step that was not stored, a message that
 * another process destroyed.
 */
#include "backlog.h"
#include "host_transport.h"

/* ---- A step that is made once more ---------------------------------------------------------------- */

static ctie_wormhole *other; /* of another wormhole */
static char *disturbing;     /* what it sends before the next commit */

static void *send_disturbing(void *identifier) {
    CHECK_STATUS(pass_int(other, identifier, -1), CTIE_OK);
    return NULL;
}

/* Somebody else is first. A transport's function does not use the library itself. */
static ctie_status commit_disturbed(void *user_data, uint64_t version, const uint8_t *token,
                                    const ctie_transport_change *changes, size_t count, uint64_t *out,
                                    int64_t timeout_ms) {
    char *identifier = disturbing;
    pthread_t sender;
    disturbing = NULL;
    if (identifier != NULL) {
        CHECK(pthread_create(&sender, NULL, send_disturbing, identifier) == 0);
        CHECK(pthread_join(sender, NULL) == 0);
    }
    return host_commit(user_data, version, token, changes, count, out, timeout_ms);
}

static ctie_wormhole *open_disturbed(host *it) {
    ctie_transport transport = HOST_TRANSPORT;
    ctie_wormhole_options options = CTIE_WORMHOLE_OPTIONS_INIT;
    ctie_wormhole *wormhole = NULL;
    transport.commit = commit_disturbed;
    options.name = CTIE_STR("disturbed");
    options.transport = &transport;
    options.transport_data = it;
    CHECK_STATUS(ctie_wormhole_open(CTIE_STR("hosted"), &options, &wormhole, NULL), CTIE_OK);
    return wormhole;
}

static int64_t waiting_of(ctie_wormhole *wormhole, const char *identifier) {
    ctie_value *list = NULL;
    int64_t found = -1;
    CHECK_STATUS(ctie_wormhole_durables(wormhole, &list, NULL), CTIE_OK);
    for (size_t i = 0; i < ctie_value_count(list); i++) {
        const ctie_value *name = ctie_value_at(list, i);
        ctie_str topic = CTIE_STR("");
        ctie_value_get_string(ctie_value_get(name, CTIE_STR("identifier")), &topic);
        if (strncmp(topic.data, identifier, topic.size) != 0 || strlen(identifier) != topic.size) { continue; }
        ctie_value_get_int(ctie_value_get(name, CTIE_STR("waiting")), &found);
    }
    ctie_value_release(list);
    return found;
}

/* A message of another one that got the number counts, and not the own one that did not. */
static void a_step_that_was_not_stored_does_not_count(void) {
    host mine, its;
    CHECK(mkdir(directory, 0700) == 0);
    host_init(&mine, directory);
    host_init(&its, directory);
    ctie_wormhole *wormhole = open_disturbed(&mine);
    other = open_host(&its, "other");
    declare(wormhole, "jobs", limited_to(4, CTIE_FULL_REFUSE));
    declare(wormhole, "noise", limited_to(100, CTIE_FULL_REFUSE));
    for (int i = 0; i < 4; i++) {
        disturbing = "noise";
        CHECK_STATUS(pass_int(wormhole, "jobs", i), CTIE_OK);
    }
    CHECK_STATUS(pass_int(wormhole, "jobs", 4), CTIE_E_FULL);
    CHECK(waiting_of(wormhole, "jobs") == 4 && waiting_of(wormhole, "noise") == 4);
    /* And so it is when all has been counted. */
    declare(wormhole, "later", limited_to(1, CTIE_FULL_REFUSE));
    CHECK(waiting_of(wormhole, "jobs") == 4 && waiting_of(wormhole, "noise") == 4);
    CHECK_STATUS(ctie_wormhole_release(other), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
}

/* ---- Dead letters that a name on a prefix is not given -------------------------------------------- */

/* Three that it passes over, and nobody listens. */
static ctie_wormhole *open_with_dead_letters(uint32_t when_full) {
    ctie_wormhole_options options = group_options(CTIE_WORMHOLE_MEMORY);
    ctie_wormhole *wormhole = open_group_with(&options);
    ctie_durable_options limited = limited_to(3, when_full);
    limited.max_deliveries = 1;
    declare(wormhole, "jobs.*", limited);
    pass_from(wormhole, "jobs.a.dead", 100, 5);
    pass_from(wormhole, "jobs.a", 0, 3);
    return wormhole;
}

static void destroyed_messages_are_subtracted_once(void) {
    ctie_wormhole *wormhole = open_with_dead_letters(CTIE_FULL_REFUSE);
    CHECK_STATUS(ctie_wormhole_destroy(wormhole, CTIE_STR("jobs.a.dead"), NULL, NULL, NULL), CTIE_OK);
    CHECK_STATUS(pass_int(wormhole, "jobs.a", 3), CTIE_E_FULL);
    /* Nor has it missed what it would not have been given. */
    take_all(wormhole, "jobs.*", 0, 3, 0);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
}

static void dropped_copies_are_not_missed(void) {
    ctie_wormhole_options options = group_options(CTIE_WORMHOLE_MEMORY);
    ctie_durable_options failing = CTIE_DURABLE_OPTIONS_INIT;
    options.max_queued = 64;
    ctie_wormhole *wormhole = open_group_with(&options);
    failing.max_deliveries = 1;
    declare(wormhole, "jobs.*", failing);
    pass_from(wormhole, "jobs.a.dead", 0, 50);
    pass_from(wormhole, "jobs.a", 0, 200);
    struct record record = RECORD_INIT;
    listen_durably(wormhole, "jobs.*", write_down, 0, &record);
    AWAIT(record.count > 0 && record.values[record.count - 1] == 199);
    stop_listening(&record);
    CHECK(record.count + (int)record.missed == 200);
    CHECK(record.missed > 0);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
}

static void destroying_everything_is_not_missed(void) {
    ctie_wormhole *wormhole = open_with_dead_letters(CTIE_FULL_REFUSE);
    CHECK_STATUS(ctie_wormhole_destroy_all(wormhole, NULL, NULL, NULL), CTIE_OK);
    pass_from(wormhole, "jobs.a", 10, 2);
    CHECK_STATUS(pass_int(wormhole, "jobs.a", 12), CTIE_E_FULL);
    take_all(wormhole, "jobs.*", 10, 2, 3);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
}

/*
 * Messages kept for one consumer while it refused, and for which others had to make room, are dropped when it no longer
 * refuses.
 */
static void formerly_kept_messages_are_not_missed(void) {
    ctie_wormhole_options options = group_options(CTIE_WORMHOLE_MEMORY);
    ctie_durable_options failing = limited_to(0, CTIE_FULL_REFUSE), changed = limited_to(0, CTIE_FULL_DROP_OLDEST);
    options.max_queued = 64;
    ctie_wormhole *wormhole = open_group_with(&options);
    failing.max_deliveries = changed.max_deliveries = 1;
    declare(wormhole, "jobs.*", failing);
    CHECK_STATUS(ctie_wormhole_declare(wormhole, CTIE_STR("*"), CTIE_STR("second"), NULL, NULL), CTIE_OK);
    pass_from(wormhole, "jobs.a.dead", 0, 20);
    pass_from(wormhole, "jobs.a", 0, 40);
    pass_from(wormhole, "other", 0, 400);
    declare(wormhole, "jobs.*", changed);
    struct record record = RECORD_INIT;
    listen_durably(wormhole, "jobs.*", write_down, 0, &record);
    AWAIT(record.count + (int)record.missed >= 40);
    stop_listening(&record);
    CHECK(record.count + (int)record.missed == 40);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
}

int main(void) {
    name_directory();
    a_step_that_was_not_stored_does_not_count();
    destroyed_messages_are_subtracted_once();
    dropped_copies_are_not_missed();
    destroying_everything_is_not_missed();
    formerly_kept_messages_are_not_missed();
    return check_end();
}
