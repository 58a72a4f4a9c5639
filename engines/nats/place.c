/* The reply subject of a message that a consumer delivers:
   $JS.ACK.<stream>.<consumer>.<deliveries>.<in stream>.<in consumer>.<time>.<pending>, and from newer servers
   $JS.ACK.<domain>.<account>.<stream>.<consumer>.….<pending>.<random>. */
#include "parts.h"

#include <stdlib.h>
#include <string.h>

enum { TOKENS_MOST = 12, TOKENS_OLD = 9, TOKENS_NEW = 11 };

static bool number(const char *token, size_t size, uint64_t *out) {
    *out = 0;
    if (size == 0 || size > 19) { return false; }
    for (size_t i = 0; i < size; i++) {
        if (token[i] < '0' || token[i] > '9') { return false; }
        *out = *out * 10 + (uint64_t)(token[i] - '0');
    }
    return true;
}

bool place_read(const char *reply, place *out) {
    const char *token[TOKENS_MOST];
    size_t size[TOKENS_MOST], count = 0;
    if (reply == NULL || strncmp(reply, "$JS.ACK.", 8) != 0) { return false; }
    for (const char *at = reply; count < TOKENS_MOST;) {
        token[count] = at;
        size[count] = strcspn(at, ".");
        at += size[count++];
        if (*at == 0) { break; }
        at++;
    }
    if (count != TOKENS_OLD && count < TOKENS_NEW) { return false; }
    size_t first = count == TOKENS_OLD ? 3 : 5; /* the consumer */
    if (size[first] == 0 || size[first] >= sizeof out->consumer) { return false; }
    memcpy(out->consumer, token[first], size[first]);
    out->consumer[size[first]] = 0;
    return number(token[first + 1], size[first + 1], &out->deliveries) &&
           number(token[first + 2], size[first + 2], &out->in_stream) &&
           number(token[first + 3], size[first + 3], &out->in_consumer) &&
           number(token[first + 5], size[first + 5], &out->pending) && out->in_stream > 0 && out->deliveries > 0;
}
