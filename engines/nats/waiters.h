/* The requests that wait for their answers, by the numbers in their reply subjects. */
#ifndef WAITERS_H
#define WAITERS_H

#include "engine.h"

enum { BUCKETS = 1024, INBOX_MOST = 64, REPLY_MOST = INBOX_MOST + 24 };

/* The requests that one thread waits for. */
typedef struct turn {
    pthread_cond_t done; /* signaled when all have ended, or one for which its thread waits */
    size_t left;
    const struct waiter *awaited;
    bool has_failed;     /* one has ended without an answer */
} turn;

typedef struct waiter {
    struct waiter *next;
    turn *of;
    uint64_t number;
    uint64_t place;   /* in all that is sent */
    const char *subject; /* of the request; borrowed */
    natsMsg *answer;  /* owned */
    ctie_status status;
    bool is_waiting;  /* in the table */
    bool is_unpublished; /* its shipment says why */
    bool is_explained; /* the caller's error has its words */
} waiter;

struct asking {
    pthread_mutex_t lock;
    waiter *buckets[BUCKETS];
    _Atomic uint64_t last;
    natsSubscription *subscription;
    char inbox[INBOX_MOST];
    size_t inbox_size;
    bool is_closed, is_refused; /* no permission for the inbox */
};

/* A number for the next waiter. */
uint64_t waiter_number(asking *in);
void waiter_reply(const asking *in, uint64_t number, char out[REPLY_MOST]);
/* Has a waiter with a number and a subject wait. Without success that is its status, too. */
ctie_status waiter_enter(asking *in, waiter *one, turn *of);
/* Both with the lock. */
waiter *waiter_find(asking *in, uint64_t number); /* NULL: it has ended */
void waiter_end(asking *in, waiter *one, ctie_status status, natsMsg *answer);
/* The request of a number could not be published. Its waiter may have ended before. */
void waiter_fail(asking *in, uint64_t number, ctie_status status);

/* Ends those that are meant. */
typedef bool (*waiter_is_meant_fn)(const waiter *one, const void *what);
void waiters_end(asking *in, ctie_status status, waiter_is_meant_fn is_meant, const void *what);
/* Gives the caller's error the reason of a waiter's status. `unpublished`: why a message could not be published. */
void waiter_explain(engine *it, const waiter *one, const char *unpublished);

void turn_init(turn *of);
/* Waits until the deadline for all answers, or for that of one. */
void turn_wait(asking *in, turn *of, const waiter *one, int64_t deadline);
void turn_end(turn *of);

/* The server does not permit the inbox for answers. */
bool waiters_are_refused(asking *in);

#endif
