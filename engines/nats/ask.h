/* Requests, for the files that have to know more about them. */
#ifndef ASK_H
#define ASK_H

#include "engine.h"

/* As ask(); says whether CTIE_E_UNAVAILABLE means that nobody answers on that subject. */
ctie_status ask_somebody(engine *it, natsMsg *request, int64_t deadline, natsMsg **answer, bool *is_nobody);

#endif
