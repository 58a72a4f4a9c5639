/* The C part of a host: a route on the shared bus, and what it takes to look at the others'. */
#ifndef PART_H
#define PART_H

#include <stdbool.h>

/* Registers app://c/greet/:name on the shared bus "host", which stays open. */
bool part_register(void);

/* Opens app://<language>/greet/<name> and compares the answer; `relay` goes through a Python handler. */
bool part_opens(const char *language, const char *name, bool relay);

/* Whether every function of Crosstie that the Python extension calls is the one that this part calls. */
bool part_shares_core(void);

#endif
