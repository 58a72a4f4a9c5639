/* Acknowledgements that the server has not confirmed: acks.c keeps and repeats them, confirmations.c
   receives the confirmations. */
#ifndef ACKS_H
#define ACKS_H

#include "known.h"
#include "parts.h"

enum { WAITING_MOST = 65536 }; /* unconfirmed; more are sent without a confirmation */

typedef struct ack {
    struct ack *older, *newer; /* in the order of `sent` */
    uint64_t number;
    int64_t sent;
    int tries;
    char reply[];
} ack;

struct acks {
    bindings *of;
    pthread_mutex_t lock;
    ack *oldest, *newest;
    ack **waiting; /* by number % WAITING_MOST */
    uint64_t last;
    size_t count;
    natsSubscription *inbox_of_answers;
    char inbox[INBOX_MOST];
    bool is_open;
    atomic_bool is_closed;
    known *known;
};

/* With the lock: removes one. */
void acks_forget(acks *it, ack *which);

#endif
