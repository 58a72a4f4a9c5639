/* The configurations of the two streams of a group, as they are made and as the server has them. */
#ifndef CONFIGURATION_H
#define CONFIGURATION_H

#include "engine.h"

/* That of the stream of all messages. `first` is the number of the first message: it makes the numbers of a stream that
   replaces a lost one higher than those. Servers before 2.10 do not know it. */
json_t *configuration_of_all(const engine *it, uint64_t first);
json_t *configuration_of_now(const engine *it);

/* Looks at the server's description of a stream, `names.stream` or `names.now` of the engine. CTIE_E_CONFLICT: it is not
   of this group. */
ctie_status configuration_check(engine *it, const char *name, const json_t *info);
/* Looks at the server's refusal to make a stream: whether somebody else has just made it, or is making it. Or another stream
   is in the way, which the next look finds. */
bool configuration_may_be_made(const json_t *answer);
/* Logs other limits than this opening asks for: they are those of the opening that made the stream. */
void configuration_compare(engine *it, const json_t *config);

#endif
