#include "engine.h"

#include <stdio.h>

enum { PATIENCE_MS = 1000 };

/* The keeper does it as after a reconnect. */
ctie_status streams_mend(engine *it) {
    pthread_mutex_lock(&it->lock);
    if (it->checked == it->connections) { it->checked = 0; }
    pthread_mutex_unlock(&it->lock);
    return keeper_wake(it);
}

void streams_doubt(engine *it, int64_t deadline) {
    const char *names[] = {it->names.stream, it->names.now};
    int64_t soon = deadline_after(PATIENCE_MS);
    if (soon < deadline) { deadline = soon; }
    for (int i = 0; i < 2; i++) {
        char what[STREAM_MOST + 32];
        snprintf(what, sizeof what, "STREAM.INFO.%s", names[i]);
        ctie_status status = api(it, what, NULL, deadline, NULL);
        if (status == CTIE_OK) { continue; }
        if (status == CTIE_E_NOT_FOUND) { streams_mend(it); }
        return;
    }
}
