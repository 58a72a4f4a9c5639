/* The copy of a dead letter is stored once, whichever member completes the death. */
#include "dead_copy.h"

#include "collect.h"
#include "post.h"
#include "recent.h"

#include <openssl/sha.h>
#include <stdio.h>
#include <string.h>

/* The same for each try to send the copy of one death. */
static bool make_token(const letter *of, uint8_t out[CTIE_TRANSPORT_TOKEN_SIZE]) {
    char text[CONSUMER_MOST + 64];
    unsigned char sum[SHA256_DIGEST_LENGTH];
    int size = snprintf(text, sizeof text, "dead %s %llu %lld", of->base, (unsigned long long)of->in_stream,
                        (long long)of->died);
    if (SHA256((const unsigned char *)text, (size_t)size, sum) == NULL) { return false; }
    memcpy(out, sum, CTIE_TRANSPORT_TOKEN_SIZE);
    return true;
}

static const int64_t SKEW_NS = 600000000000;

typedef struct sought {
    const char *id;
    uint64_t found;
} sought;

static bool compare(void *context, natsMsg *message, uint64_t at) {
    sought *it = context;
    const char *id = NULL;
    if (natsMsgHeader_Get(message, "Nats-Msg-Id", &id) == NATS_OK && id != NULL && strcmp(id, it->id) == 0) {
        it->found = at;
    }
    natsMsg_Destroy(message);
    return true;
}

/* The server may have forgotten that it has the copy. That is not older than the death, but for other clocks. */
static ctie_status find_sent(const death *what, const letter *of, natsMsg *copy, uint64_t *sent_as) {
    sought one = {NULL, 0};
    if (natsMsgHeader_Get(copy, "Nats-Msg-Id", &one.id) != NATS_OK) { return CTIE_OK; }
    collecting sent = {.stream = what->it->names.stream, .filter = natsMsg_GetSubject(copy),
                       .since = of->died - SKEW_NS, .names_only = true, .most = UINT64_MAX, .take = compare,
                       .context = &one};
    ctie_status status = collect(what->it, &sent, what->deadline);
    *sent_as = one.found;
    return status;
}

ctie_status dead_copy_store(const death *what, const letter *of, const ctie_engine_message *message, const sender *from,
                            bool may_be_sent, uint64_t *sent_as) {
    uint8_t token[CTIE_TRANSPORT_TOKEN_SIZE];
    natsMsg *copy = NULL;
    *sent_as = 0;
    if (!make_token(of, token)) { return CTIE_E_NO_MEMORY; }
    ctie_status status = envelope_pack(&what->it->names, from, message, token, 0, NULL, &copy);
    if (status == CTIE_OK && may_be_sent) { status = find_sent(what, of, copy, sent_as); }
    if (status == CTIE_OK && *sent_as == 0) {
        status = post(what->it, what->it->names.stream, copy, POST_ANYHOW, what->deadline, sent_as);
        if (status == CTIE_OK) { recent_note(what->it, message, *sent_as); }
    }
    natsMsg_Destroy(copy);
    return status;
}
