/* The current values of a topic. */
#include "survey.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int compare_names(ctie_str left, ctie_str right) {
    size_t shorter = left.size < right.size ? left.size : right.size;
    int order = memcmp(left.data, right.data, shorter);
    return order != 0 ? order : (left.size > right.size) - (left.size < right.size);
}

/* By identifier; the newest first. */
static int compare(const void *left, const void *right) {
    const found *a = left, *b = right;
    int order = compare_names(a->identifier, b->identifier);
    return order != 0 ? order : (a->in_stream < b->in_stream) - (a->in_stream > b->in_stream);
}

static bool has_expired(const survey *of, const found *item, int64_t now) {
    const char *problem;
    envelope read;
    const char *subject = natsMsg_GetSubject(item->message);
    if (!envelope_read(&of->it->names, subject, item->message, &read, &problem)) { return true; }
    bool is_over = read.message.expires != 0 && read.message.expires <= now;
    envelope_clear(&read);
    return is_over;
}

/* Leaves the current values, in the order of identifiers. */
static void keep_current(survey *of) {
    size_t kept = 0;
    int64_t now = clock_now(CLOCK_REALTIME);
    natsMsg *last = NULL; /* the last one that is left out: the next one is compared with its identifier */
    if (of->count > 0) { qsort(of->items, of->count, sizeof *of->items, compare); }
    for (size_t i = 0; i < of->count; i++) {
        found item = of->items[i];
        bool is_newest = i == 0 || compare_names(of->items[i].identifier, of->items[i - 1].identifier) != 0;
        of->items[i].message = NULL;
        bool is_current = is_newest && item.is_value && item.in_stream > of->everything && !has_expired(of, &item, now);
        if (is_current) {
            of->items[kept++] = item;
            continue;
        }
        natsMsg_Destroy(last);
        last = item.message;
    }
    natsMsg_Destroy(last);
    of->count = kept;
}

static ctie_status survey_current(survey *of, int64_t deadline) {
    ctie_status status = survey_all(of, deadline);
    if (status != CTIE_OK) { return status; }
    keep_current(of);
    if (of->broken > 0) {
        log_line(of->it, CTIE_LOG_WARNING, "%zu stored messages are not of the group, and are left out", of->broken);
    }
    return CTIE_OK;
}

/* ---- What others use ---------------------------------------------------------------------------------- */

ctie_status current_all(engine *it, ctie_str topic, int64_t deadline, stored_values *out) {
    survey of = {.it = it, .topic = topic};
    *out = (stored_values){NULL, 0, 0};
    ctie_status status = survey_current(&of, deadline);
    if (status == CTIE_OK) {
        out->items = calloc(of.count + 1, sizeof *out->items);
        if (out->items == NULL) { status = CTIE_E_NO_MEMORY; }
    }
    for (size_t i = 0; status == CTIE_OK && i < of.count; i++) {
        char *subject = strdup(natsMsg_GetSubject(of.items[i].message));
        if (subject == NULL) {
            status = CTIE_E_NO_MEMORY;
            break;
        }
        out->items[out->count++] = (stored_value){subject, of.items[i].message, of.items[i].in_stream};
        of.items[i].message = NULL;
    }
    out->up_to = of.up_to;
    survey_clear(&of);
    if (status != CTIE_OK) { stored_values_free(out); }
    return status;
}

void stored_values_free(stored_values *it) {
    for (size_t i = 0; i < it->count; i++) {
        free(it->items[i].subject);
        natsMsg_Destroy(it->items[i].message);
    }
    free(it->items);
    *it = (stored_values){NULL, 0, 0};
}

ctie_status engine_identifiers(void *data, ctie_str topic, ctie_engine_identifier_fn visit, void *context,
                               int64_t timeout_ms) {
    engine *it = data;
    survey of = {.it = it, .topic = topic, .names_only = true};
    if (getpid() != it->pid) { return CTIE_E_FORKED; }
    ctie_status status = survey_current(&of, deadline_after(timeout_ms));
    for (size_t i = 0; status == CTIE_OK && i < of.count; i++) {
        if (!visit(of.items[i].identifier, context)) { break; }
    }
    survey_clear(&of);
    return status;
}
