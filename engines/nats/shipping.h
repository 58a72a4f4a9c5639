/* The outbox and its shipments, for the files that share them. */
#ifndef SHIPPING_H
#define SHIPPING_H

#include "outbox.h"
#include "shipment.h"

#include <stdatomic.h>

/* A message that the thread publishes. */
typedef struct job {
    struct job *next;
    shipment *of;
    natsMsg *message; /* owned */
    uint64_t number;  /* of its waiter */
} job;

struct outbox {
    _Atomic uint64_t sent, received; /* bytes, since the begin */
    pthread_mutex_t lock;            /* of what follows, and of all shipments */
    pthread_cond_t changed;
    job *first, **end;
    pthread_t thread;
    bool is_running, is_over;
};

/* The messages of one caller. */
struct shipment {
    engine *it;
    bool in_order;
    uint64_t client;  /* the connection that it began with, as the server numbers it; 0: it has not begun */
    int references;   /* the caller, and each job */
    size_t queued;    /* jobs in the queue */
    bool is_busy;     /* the thread publishes one */
    bool is_over;     /* nothing more is published */
    char words[300];  /* why one could not be published */
};

bool shipping_has_room(const outbox *in, uint64_t place);
/* Has the thread look at the queue. With the lock; false if there is no thread. */
bool outbox_wake(engine *it);
void shipment_publish(shipment *of, natsMsg *message, uint64_t number);
/* It follows a message that was not published. */
void shipment_drop(shipment *of, natsMsg *message, uint64_t number);
/* With the lock. */
void shipment_unref(shipment *of);

#endif
