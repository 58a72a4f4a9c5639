/* Errors, for the files that are about the connection. */
#ifndef PROBLEM_H
#define PROBLEM_H

#include "engine.h"

ctie_status status_of_nats(natsStatus status);
/* The words of a function of libnats that failed on this thread just now. */
const char *words_of_nats(natsStatus status);
/* The text of this thread's last fail(). */
const char *last_problem(void);

#endif
