/* The deliveries of a message that count. */
#include "work.h"

#include <stdio.h>

/* Pardons count for one life of a message: its deliveries are counted from 1 by each consumer, and after each retry. */
static pardon pardon_of(const work *it) {
    const deed *what = it->what;
    pardon out = {.base = it->key.base, .in_stream = what->in_stream, .is_again = what->again_at != 0,
                  .delivery = what->count};
    if (out.is_again) {
        snprintf(out.life, sizeof out.life, "%llu", (unsigned long long)what->again_at);
    } else {
        snprintf(out.life, sizeof out.life, "%s", what->life);
    }
    return out;
}

ctie_status work_count(const work *it, uint32_t *deliveries) {
    uint32_t pardons = 0;
    pardon of = pardon_of(it);
    ctie_status status = pardons_count(it->it, &of, it->deadline, &pardons);
    *deliveries = it->what->count > pardons ? it->what->count - pardons : 0;
    return status;
}

ctie_status work_pardon(const work *it) {
    pardon of = pardon_of(it);
    return pardons_add(it->it, &of, it->deadline);
}
