/* The answers of a server with an empty group, to requests that an input has no answer for. */
#ifndef SIMULATED_SERVER_H
#define SIMULATED_SERVER_H

#include <nats/nats.h>

void server_begin(void);
/* NULL: it does not answer. */
natsMsg *server_answer(const char *subject, const char *reply);

#endif
