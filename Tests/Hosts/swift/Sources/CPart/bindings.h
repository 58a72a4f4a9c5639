/* Where the symbols that a loaded object imports really lead: what dlsym() cannot tell. */
#ifndef BINDINGS_H
#define BINDINGS_H

#include <stdbool.h>

/*
 * Whether every imported symbol of `object` (the path of a loaded, fully bound shared object) that begins
 * with `prefix` is bound to the shared object that `function` lies in, and there is at least one.
 */
bool bindings_lead_to(const char *object, const char *prefix, void *function);

#endif
