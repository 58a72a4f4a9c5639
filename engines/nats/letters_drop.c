/* Removing dead letters. */
#include "letters_end.h"

#include "ask.h"
#include "problem.h"

/* The server says whether this request has removed it. */
static ctie_status read_removal(const ends *in, natsMsg *answer) {
    json_t *object = json_loadb(natsMsg_GetData(answer), (size_t)natsMsg_GetDataLength(answer), 0, NULL);
    const json_t *error = json_object_get(object, "error");
    ctie_status status = CTIE_OK;
    if (error != NULL) {
        status = fail_api(in->it, error, "a dead letter was not removed");
        if (requests_is_removed(object)) { status = CTIE_E_NOT_FOUND; }
    } else if (json_is_true(json_object_get(object, "success"))) {
        ++*in->count;
    } else {
        status = CTIE_E_UNCERTAIN;
    }
    json_decref(object);
    return status;
}

ctie_status letter_drop(const ends *in, const letter *which) {
    natsMsg *request = requests_delete(in->it->names.durable, which->at), *answer = NULL;
    if (request == NULL) { return CTIE_E_NO_MEMORY; }
    ctie_status status = ask(in->it, request, in->deadline, &answer);
    if (status == CTIE_OK) { status = read_removal(in, answer); }
    natsMsg_Destroy(answer);
    return status;
}

void letters_drop(const ends *in, portion *all) {
    natsMsg *requests[PORTION], *answers[PORTION];
    for (size_t i = 0; i < all->count; i++) {
        requests[i] = requests_delete(in->it->names.durable, all->items[i]->at);
    }
    portion_ask(in, requests, all->count, answers);
    for (size_t i = 0; i < all->count; i++) {
        ctie_status status = answers[i] != NULL ? read_removal(in, answers[i]) : CTIE_E_UNCERTAIN;
        all->is_done[i] = status == CTIE_OK || status == CTIE_E_NOT_FOUND;
        natsMsg_Destroy(answers[i]);
    }
}
