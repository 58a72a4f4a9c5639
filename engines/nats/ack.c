#include "ack.h"

#include "text.h"

#include <string.h>

enum { TOKENS_OLD = 9, TOKENS_NEW = 11, TOKENS_MOST = 12, NUMBERS = 5 };

bool ack_read(const char *reply, ack *out) {
    const char *tokens[TOKENS_MOST + 1];
    int count = 0;
    if (reply == NULL || strncmp(reply, "$JS.ACK.", 8) != 0) { return false; }
    for (const char *at = reply; at != NULL && count <= TOKENS_MOST; count++) {
        tokens[count] = at;
        at = strchr(at, '.');
        if (at != NULL) { at++; }
    }
    /* With a domain and the hash of the account two more; then perhaps a token of the server's own at the end. */
    if (count != TOKENS_OLD && count != TOKENS_NEW && count != TOKENS_MOST) { return false; }
    const char **first = tokens + (count == TOKENS_OLD ? 4 : 6);
    uint64_t numbers[NUMBERS];
    for (int i = 0; i < NUMBERS; i++) {
        if (!text_number(first[i], strcspn(first[i], "."), UINT64_MAX, &numbers[i])) { return false; }
    }
    if (numbers[0] == 0 || numbers[1] == 0 || numbers[2] == 0 || numbers[3] > INT64_MAX) { return false; }
    *out = (ack){numbers[0], numbers[1], numbers[2], (int64_t)numbers[3], numbers[4]};
    return true;
}
