/* The scenarios that need more than an engine has. The player prints them. */
#include "player.h"

#include <stdio.h>
#include <string.h>

typedef struct left_out {
    const char *scenario, *lack;
    bool is_asked;
} left_out;

static left_out IN_PROGRAM[] = {
    {"dead_letter", "dead letters", false},
    {"dead_letter_destroyed", "dead letters", false},
    {"dead_letter_elsewhere", "dead letters", false},
    {"dead_letter_headers", "dead letters", false},
    {"dead_letter_left", "dead letters", false},
    {"dead_letter_not_sent", "dead letters", false},
    {"dead_letter_prefix", "dead letters", false},
    {"dead_letter_reason", "dead letters", false},
    {"dead_letter_retried", "dead letters", false},
    {"dead_letter_seek", "dead letters", false},
    {"delayed_full", "limits of durable consumers", false},
    {"durable_declared_refused", "limits of durable consumers", false},
    {"durable_limit_drop", "limits of durable consumers", false},
    {"durable_limit_not_counted", "limits of durable consumers", false},
    {"durable_limit_protected", "limits of the group", false},
    {"durable_limit_refuse", "limits of durable consumers", false},
    {"durable_limit_size", "limits of durable consumers", false},
    {"durable_limit_strictest", "limits of durable consumers", false},
    {"durable_missed", "limits of the group", false},
    {"durables", "dropping messages that no queue needs", false},
    {"existing", "CTIE_WORMHOLE_EXISTING", false},
    {"queue_missed", "limits of the group", false},
    {"queue_missed_destroyed", "limits of the group", false},
    {"queue_retained", "limits of the group", false},
};

/* docs/nats.md has the same reasons in its table of differences. */
static left_out ON_SERVER[] = {
    {"dead_letter_destroyed", "CTIE_ENGINE_ATOMIC_BATCHES", false},
    {"delayed", "CTIE_ENGINE_SCHEDULES", false},
    {"delayed_batch", "CTIE_ENGINE_SCHEDULES", false},
    {"delayed_full", "CTIE_ENGINE_SCHEDULES", false},
    {"delayed_order", "CTIE_ENGINE_SCHEDULES", false},
    {"delayed_reopened", "CTIE_ENGINE_SCHEDULES", false},
    {"durable_declared", "waiting_size", false},
    {"durable_declared_refused", "limits of durable consumers", false},
    {"durable_expires", "CTIE_ENGINE_SCHEDULES", false},
    {"durable_limit_drop", "limits of durable consumers", false},
    {"durable_limit_not_counted", "limits of durable consumers", false},
    {"durable_limit_protected", "limits of durable consumers", false},
    {"durable_limit_refuse", "limits of durable consumers", false},
    {"durable_limit_size", "limits of durable consumers", false},
    {"durable_limit_strictest", "limits of durable consumers", false},
    {"durable_limit_wait", "limits of durable consumers", false},
    {"durable_destroyed", "missed messages of durable consumers", false},
    {"durable_killed", "counts of deliveries", false},
    {"durable_manual", "the order of rejected messages", false},
    {"durable_missed", "missed messages of durable consumers", false},
    {"durable_processes", "counts of deliveries", false},
    {"durable_seek_in_hand", "CTIE_ENGINE_ATOMIC_BATCHES", false},
    {"durables", "CTIE_ENGINE_ATOMIC_BATCHES", false},
    {"durables_times", "retrying", false},
    {"existing", "CTIE_WORMHOLE_EXISTING", false},
    {"expires", "CTIE_ENGINE_SCHEDULES", false},
    {"expires_queue", "CTIE_ENGINE_SCHEDULES", false},
    {"prefix_order", "CTIE_ENGINE_ATOMIC_BATCHES", false},
    {"queue_destroyed_all", "destroying everything", false},
    {"queue_from_time", "CTIE_ENGINE_SCHEDULES", false},
    {"queue_missed", "CTIE_ENGINE_EXACT_MISSED", false},
    {"queue_retained", "retention of the group's own", false},
    {"send_token_delayed", "CTIE_ENGINE_SCHEDULES", false},
};

static left_out *list_of(group_kind groups, size_t *count) {
    *count = groups == IN_SERVER ? sizeof ON_SERVER / sizeof *ON_SERVER : sizeof IN_PROGRAM / sizeof *IN_PROGRAM;
    return groups == IN_SERVER ? ON_SERVER : IN_PROGRAM;
}

bool is_left_out(group_kind groups, const char *path) {
    const char *name = strrchr(path, '/') == NULL ? path : strrchr(path, '/') + 1;
    size_t count;
    left_out *list = list_of(groups, &count);
    for (size_t i = 0; i < count; i++) {
        size_t size = strlen(list[i].scenario);
        if (strncmp(name, list[i].scenario, size) != 0 || strcmp(name + size, ".json") != 0) { continue; }
        list[i].is_asked = true;
        printf("not over %s: %s (%s)\n", groups == IN_SERVER ? "a server" : "an engine", list[i].scenario, list[i].lack);
        return true;
    }
    return false;
}

bool left_out_exist(group_kind groups) {
    bool all = true;
    size_t count;
    left_out *list = list_of(groups, &count);
    for (size_t i = 0; i < count; i++) {
        if (list[i].is_asked) { continue; }
        fprintf(stderr, "there is no scenario %s to leave out\n", list[i].scenario);
        all = false;
    }
    return all;
}
