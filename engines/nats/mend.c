#include "engine.h"

ctie_status streams_mend(engine *it, int64_t deadline) {
    bool is_new_epoch = false;
    ctie_status status = streams_check(it, deadline, &is_new_epoch);
    if (is_new_epoch) {
        recent_reset(it);
        bindings_reconnected(it, true);
    }
    return status;
}
