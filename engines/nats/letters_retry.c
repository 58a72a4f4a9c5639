/* Putting dead letters back. */
#include "letters_end.h"

#include "post.h"

/* A version in place of the one that was listed: of several that retry it, one succeeds. */
static ctie_status put_back(const ends *in, natsMsg *content, uint64_t at, natsMsg **out) {
    letter it;
    *out = NULL;
    if (!letter_read(&in->it->names, content, at, &it) || it.state != LETTER_DEAD) { return CTIE_E_NOT_FOUND; }
    it.state = LETTER_AGAIN;
    it.deliveries = 0, it.sent_as = 0;
    *out = letter_pack(&in->it->names, &it, content);
    bool is_made = *out != NULL && post_expects(*out, (int64_t)at);
    return is_made ? CTIE_OK : CTIE_E_NO_MEMORY;
}

ctie_status letter_retry(const ends *in, const letter *which) {
    natsMsg *content = NULL, *message = NULL;
    uint64_t at;
    ctie_status status = fetch(in->it, in->it->names.durable, which->at, in->deadline, &content);
    if (status == CTIE_OK) { status = put_back(in, content, which->at, &message); }
    if (status == CTIE_OK) {
        status = post(in->it, in->it->names.durable, message, (int64_t)which->at, in->deadline, &at);
    }
    if (status == CTIE_E_CONFLICT) { status = CTIE_E_NOT_FOUND; }
    if (status == CTIE_OK) { ++*in->count; }
    natsMsg_Destroy(message);
    natsMsg_Destroy(content);
    return status;
}

void letters_retry(const ends *in, portion *all) {
    natsMsg *requests[PORTION], *contents[PORTION], *answers[PORTION];
    for (size_t i = 0; i < all->count; i++) { requests[i] = fetch_request(in->it->names.durable, all->items[i]->at); }
    portion_ask(in, requests, all->count, contents);
    for (size_t i = 0; i < all->count; i++) {
        requests[i] = NULL;
        if (contents[i] != NULL) { put_back(in, contents[i], all->items[i]->at, &requests[i]); }
        natsMsg_Destroy(contents[i]);
    }
    portion_ask(in, requests, all->count, answers);
    for (size_t i = 0; i < all->count; i++) {
        uint64_t at;
        ctie_status status = CTIE_E_UNCERTAIN;
        if (answers[i] != NULL) { status = post_read(in->it, in->it->names.durable, answers[i], &at); }
        all->is_done[i] = status == CTIE_OK || status == CTIE_E_CONFLICT;
        *in->count += status == CTIE_OK;
        natsMsg_Destroy(answers[i]);
    }
}
