/* The requests that wait for their answers, by the numbers in their reply subjects. */
#ifndef WAITERS_H
#define WAITERS_H

#include "engine.h"

enum { BUCKETS = 1024, INBOX_MOST = 64, REPLY_MOST = INBOX_MOST + 24 };

/* The requests that one thread waits for. */
typedef struct turn {
    pthread_cond_t done;
    size_t left;
} turn;

typedef struct waiter {
    struct waiter *next;
    turn *of;
    uint64_t number;
    uint64_t place;   /* in all that is sent */
    natsMsg *request; /* owned */
    natsMsg *answer;  /* owned */
    ctie_status status;
    bool is_waiting;  /* in the table */
    bool is_sent;     /* it may have been sent */
    bool is_explained; /* the caller's error has its words */
} waiter;

struct asking {
    pthread_mutex_t lock;
    waiter *buckets[BUCKETS];
    uint64_t last;
    natsSubscription *subscription;
    char inbox[INBOX_MOST];
    size_t inbox_size;
    bool is_closed, is_refused; /* no permission for the inbox */
};

/* Both with the lock. */
ctie_status waiter_enter(asking *in, waiter *one, turn *of);
void waiter_end(asking *in, waiter *one, ctie_status status, natsMsg *answer);

/* The server does not permit the inbox for answers. */
bool waiters_are_refused(asking *in);

#endif
