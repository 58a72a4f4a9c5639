#include "engine.h"

/* The keeper does it as after a reconnect, and connection_ready() waits for it. */
ctie_status streams_mend(engine *it) {
    pthread_mutex_lock(&it->lock);
    if (it->checked == it->connections) { it->checked = 0; }
    pthread_mutex_unlock(&it->lock);
    return keeper_wake(it);
}
