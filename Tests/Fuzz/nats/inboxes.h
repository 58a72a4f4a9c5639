/* The inboxes of the engine, and the messages on their way to them. */
#ifndef SIMULATED_INBOXES_H
#define SIMULATED_INBOXES_H

#include "pieces.h"

#include <nats/nats.h>
#include <stdbool.h>

/* Begins an input, and ends it: the engine must have given all of them up. */
void inboxes_begin(void);
void inboxes_end(void);

/* Hands over what is first on its way. False: there is nothing. */
bool inboxes_turn(void);
/* Puts a message on its way; without an inbox, the loss of the connection, or a new one. */
void inbox_put(natsSubscription *to, natsMsg *message);
/* A stranger's message comes to one of the inboxes. */
void inboxes_receive(unsigned index, piece message);

/* The inbox of a reply subject, and whether a function takes its messages; NULL if there is none. */
natsSubscription *inbox_for(const char *reply);
bool inbox_has_handler(const natsSubscription *it);
/* The connection has ended. */
void inboxes_end_all(void);

#endif
