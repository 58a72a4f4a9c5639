/* The simulated connection. */
#ifndef SIMULATED_CONNECTION_H
#define SIMULATED_CONNECTION_H

#include <stdbool.h>

/* Begins an input, and ends it: the engine must have closed the connection. */
void connection_begin(void);
void connection_end(void);

bool connection_is_there(void);
/* Loses the connection, or makes it again. */
void connection_change(void);
/* The server ends it for good, with these words. */
void connection_refuse(const char *words);
/* The server says that something is not permitted. */
void connection_complain(const char *words);

#endif
