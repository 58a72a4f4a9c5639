/* The real bindings of the symbols that a loaded object imports, which dlsym() cannot report. */
#ifndef BINDINGS_H
#define BINDINGS_H

#include <stdbool.h>

/*
 * Whether every imported symbol of `object` (the path of a loaded, fully bound shared object) that begins with `prefix`
 * is bound to the shared object that contains `function`, and there is at least one.
 */
bool bindings_lead_to(const char *object, const char *prefix, void *function);

#endif
