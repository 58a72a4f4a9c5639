/* The members of a group. The lock is held for every function but member_leave(). */
#ifndef MEMBER_H
#define MEMBER_H

#include "directory.h"

/* Makes a member's file, and locks it: `out` receives its descriptor. */
ctie_status member_join(const directory *it, uint64_t number, const ctie_engine_host *host, int *out);
void member_leave(const directory *it, uint64_t number, int file);
/* False only if the member has ended: after an error that says neither, it lives. */
bool member_lives(const directory *it, uint64_t number);
ctie_status members_visit(const directory *it, uint64_t own, ctie_engine_member_fn visit, void *context);

#endif
