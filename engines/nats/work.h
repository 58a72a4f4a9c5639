/* The parts of a deed. */
#ifndef WORK_H
#define WORK_H

#include "claims.h"

/* A deed that is being done. */
typedef struct work {
    const deed *what;
    engine *it;
    durable_key key;
    durable_record record;
    bool is_outlived;
    int64_t deadline;
} work;

typedef enum { END_DONE, END_AGAIN, END_NOTHING } ending;

/* --- deed.c --- */

/* Makes it a dead letter; `reason` may be NULL. */
ctie_status work_die_of(const work *it, uint32_t deliveries, const char *reason);

/* --- deed_end.c --- */

/* Tells the server how a deed has ended. */
ctie_status work_end(const deed *what, ending how, int64_t delay_ns);
/* The message is to be handed out after all; takes it. */
ctie_status work_hand_out(const work *it, natsMsg *message, uint32_t deliveries);

/* --- deed_count.c --- */

/* Its deliveries that count. */
ctie_status work_count(const work *it, uint32_t *deliveries);
/* Notes that this one does not. */
ctie_status work_pardon(const work *it);

/* --- deed_again.c --- */

ctie_status work_carry(const work *it, uint32_t deliveries);
ctie_status work_finish(const work *it);

/* --- deed_check.c --- */

ctie_status work_check(const work *it);

#endif
