/* A thread that receives the notices of commits, and renews the lease of a member. */
#ifndef KEEPER_H
#define KEEPER_H

#include "connection.h"

enum { LEASE_MS = 5000 };

typedef struct keeper {
    connection *commands;
    char channel[NAME_MOST], members[NAME_MOST];
    pthread_mutex_t lock;
    ctie_transport_notify_fn notify; /* with `lock` */
    void *context;
    uint64_t member; /* 0: it has not joined; with `lock` */
    bool is_over;    /* the thread ends; with `lock` */
    int stop;        /* an eventfd that wakes the thread for that */
    pthread_t thread;
} keeper;

/* Starts the thread; false if that fails, and then there is nothing to end. */
bool keeper_begin(keeper *it, connection *commands);
void keeper_end(keeper *it);
void keeper_set_notify(keeper *it, ctie_transport_notify_fn notify, void *context);
/* Renews the lease of the member from now on. */
void keeper_set_member(keeper *it, uint64_t member);
ctie_status keeper_renew(keeper *it, uint64_t member, int64_t timeout_ms);

#endif
