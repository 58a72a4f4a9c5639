/* News of durable consumers: a member that changes one says so to all others. A member that misses it, because its
   connection was lost, looks by itself when it is back. */
#include "parts.h"

#include "presence.h"
#include "record.h"

#include <string.h>

void durable_look_again(engine *it, const char *base) {
    size_t count;
    binding **list = bindings_list(it->bindings, &count);
    for (size_t i = 0; i < count; i++) {
        binding *each = list[i];
        pthread_mutex_lock(&each->lock);
        bool is_it = each->delivery == CTIE_ENGINE_DURABLE && strcmp(each->base, base) == 0;
        if (is_it) { each->has_to_look = each->has_notice = true, each->record_seen = each->look_at = 0; }
        pthread_mutex_unlock(&each->lock);
        if (is_it) { binding_wake(each); }
    }
    bindings_release(list, count);
}

void durable_changed(engine *it, const char *base) {
    durable_look_again(it, base);
    presence_notify(it->presence, base);
}

void durable_forgotten(binding *it) {
    it->phase = IS_FORGOTTEN;
    acks_drop(it->of->acks, it->consumer);
}
