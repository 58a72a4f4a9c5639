/* The outcomes of messages: they are noted in the files of durable consumers, and kept until that has succeeded. */
#define _GNU_SOURCE
#include "parts.h"

#include <stdlib.h>

bool add_outcome(engine *it, const char *file, const ctie_engine_answer *answer) {
    outcome *fresh = (outcome *)calloc(1, sizeof *fresh);
    if (fresh == NULL) return false;
    fresh->answer = *answer;
    fresh->answer.reason = ctie_str_from(NULL); /* borrowed; a message's failures are not kept here */
    memcpy(fresh->file, file, sizeof fresh->file);
    *it->outcomes_end = fresh;
    it->outcomes_end = &fresh->next;
    return true;
}

/* Loads a consumer. CTIE_E_NOT_FOUND: it was forgotten, or its file is damaged, so an outcome has no place. */
static ctie_status load(engine *it, const char *file) {
    ctie_status status = durable_load(&it->files, file, &it->room);
    if (status == CTIE_OK || status == CTIE_E_NOT_FOUND) return status;
    complain(it, "a durable consumer cannot be read", status);
    return status == CTIE_E_CORRUPT ? CTIE_E_NOT_FOUND : status;
}

static bool save(engine *it, const char *file) {
    ctie_status status = durable_save(&it->files, file, &it->room);
    if (status != CTIE_OK) complain(it, "a durable consumer cannot be written", status);
    return status == CTIE_OK;
}

/* Notes outcomes of one consumer, whose file is written once for all of them. False if they have to wait. */
static bool note(engine *it, const outcome *first, bool *comes_again) {
    ctie_status status = load(it, first->file);
    if (status != CTIE_OK) return status == CTIE_E_NOT_FOUND;
    for (const outcome *each = first; each != NULL; each = each->next) {
        durable_answer(&it->room, it->member, &each->answer);
        *comes_again |= each->answer.outcome != CTIE_ENGINE_ACKNOWLEDGED;
    }
    return save(it, first->file);
}

static void free_outcomes(outcome *first) {
    for (outcome *next; first != NULL; first = next) next = first->next, free(first);
}

/* Notes each run of outcomes of one consumer. Returns those that have to wait. */
static outcome *note_all(engine *it, outcome *first, bool *comes_again) {
    outcome *kept = NULL, **kept_end = &kept;
    while (first != NULL) {
        outcome **end = &first->next;
        while (*end != NULL && strcmp((*end)->file, first->file) == 0) end = &(*end)->next;
        outcome *rest = *end;
        *end = NULL;
        if (note(it, first, comes_again)) free_outcomes(first);
        else *kept_end = first, kept_end = end;
        first = rest;
    }
    return kept;
}

/* False if it has to wait. */
static bool take_back(engine *it, const binding *ended, bool *comes_again) {
    if (ended->file[0] == 0) return true;
    ctie_status status = load(it, ended->file);
    if (status != CTIE_OK) return status == CTIE_E_NOT_FOUND;
    if (!durable_end_binding(&it->room, it->member, ended->number)) return true;
    *comes_again = true;
    return save(it, ended->file);
}

/* Puts back what has to wait, before what has come meanwhile. */
static void keep(engine *it, outcome *outcomes, binding *ended) {
    outcome **outcomes_end = &outcomes;
    binding **ended_end = &ended;
    while (*outcomes_end != NULL) outcomes_end = &(*outcomes_end)->next;
    while (*ended_end != NULL) ended_end = &(*ended_end)->next;
    pthread_mutex_lock(&it->small);
    if (outcomes != NULL) {
        *outcomes_end = it->outcomes;
        if (it->outcomes == NULL) it->outcomes_end = outcomes_end;
        it->outcomes = outcomes;
    }
    *ended_end = it->ended;
    it->ended = ended;
    pthread_mutex_unlock(&it->small);
}

bool note_outcomes(engine *it) {
    bool comes_again = false;
    pthread_mutex_lock(&it->small);
    outcome *outcomes = it->outcomes;
    binding *ended = it->ended, *waiting = NULL;
    it->outcomes = NULL, it->outcomes_end = &it->outcomes, it->ended = NULL;
    pthread_mutex_unlock(&it->small);
    outcomes = note_all(it, outcomes, &comes_again);
    for (binding *next; ended != NULL; ended = next) {
        next = ended->next;
        /* An outcome that waits is older than the end of its binding. */
        if (outcomes == NULL && take_back(it, ended, &comes_again)) free(ended);
        else ended->next = waiting, waiting = ended;
    }
    keep(it, outcomes, waiting);
    return comes_again;
}
