/* The end of dead letters, for the files that share it. */
#ifndef LETTERS_END_H
#define LETTERS_END_H

#include "letter.h"
#include "requests.h"

typedef struct ends {
    engine *it;
    uint32_t action;
    uint64_t *count; /* of those that this call has ended */
    int64_t deadline;
} ends;

enum { PORTION = REQUESTS_MOST };

/* Several at once. */
typedef struct portion {
    const letter *items[PORTION];
    bool is_done[PORTION];
    size_t count;
} portion;

/* --- letters_end.c --- */

/* Asks for all of a portion, by requests of which some may be NULL. An answer that has not come is NULL. */
void portion_ask(const ends *in, natsMsg **requests, size_t count, natsMsg **answers);

/* --- letters_drop.c, letters_retry.c --- */

/* One, repeated as long as it takes. CTIE_E_NOT_FOUND: another call has ended it. */
ctie_status letter_drop(const ends *in, const letter *which);
ctie_status letter_retry(const ends *in, const letter *which);
/* A portion; `is_done` says which of them have ended. */
void letters_drop(const ends *in, portion *all);
void letters_retry(const ends *in, portion *all);

#endif
