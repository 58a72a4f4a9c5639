/* Subscriptions that have ended, and that libnats may still use. */
#ifndef RETIRED_H
#define RETIRED_H

#include <nats/nats.h>

enum { RETIRED_MS = 1000 };

typedef struct retired retired;

retired *retired_new(void); /* NULL without memory */
/* Ends a subscription, which may be NULL. It is freed a moment later. */
void retire(retired *it, natsSubscription *subscription);
/* Frees all, after the connection was destroyed. */
void retired_clear(retired *it);
void retired_free(retired *it);

#endif
