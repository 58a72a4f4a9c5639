/* libnats gives its messages to a thread that frees them, and ends each body with a NUL. */
#include "simulated.h"

#include <stdlib.h>
#include <string.h>

typedef struct header {
    struct header *next;
    char *name, *value;
} header;

struct __natsMsg {
    char *subject, *reply, *bytes;
    int size;
    header *headers;
};

static char *copied(const char *text) { return text != NULL ? strdup(text) : NULL; }

natsStatus sim_message(natsMsg **out, const char *subject, const char *reply, const char *bytes, int size) {
    if (subject == NULL || subject[0] == 0) { return NATS_INVALID_ARG; }
    natsMsg *it = calloc(1, sizeof *it);
    it->subject = copied(subject), it->reply = copied(reply);
    it->size = size, it->bytes = malloc(size > 0 ? (size_t)size : 1);
    if (size > 0) { memcpy(it->bytes, bytes, (size_t)size); }
    *out = it;
    return NATS_OK;
}

static void free_header(header *it) {
    free(it->name), free(it->value);
    free(it);
}

void sim_message_free(natsMsg *it) {
    if (it == NULL) { return; }
    for (header *each = it->headers, *next; each != NULL; each = next) {
        next = each->next;
        free_header(each);
    }
    free(it->subject), free(it->reply), free(it->bytes);
    free(it);
}

const char *sim_message_subject(const natsMsg *it) { return it != NULL ? it->subject : NULL; }
const char *sim_message_reply(const natsMsg *it) { return it != NULL ? it->reply : NULL; }
const char *sim_message_data(const natsMsg *it) { return it != NULL ? it->bytes : NULL; }
int sim_message_size(const natsMsg *it) { return it != NULL ? it->size : 0; }

bool sim_is_nobody(natsMsg *it) {
    const char *status = NULL;
    return it->size == 0 && sim_header_get(it, "Status", &status) == NATS_OK && strncmp(status, "503", 3) == 0;
}

/* ---- Headers --------------------------------------------------------------------------------------- */

natsStatus sim_header_add(natsMsg *it, const char *name, const char *value) {
    if (name == NULL || name[0] == 0) { return NATS_INVALID_ARG; }
    header *made = calloc(1, sizeof *made), **end = &it->headers;
    made->name = copied(name), made->value = copied(value);
    while (*end != NULL) { end = &(*end)->next; }
    *end = made;
    return NATS_OK;
}

natsStatus sim_header_delete(natsMsg *it, const char *name) {
    natsStatus status = NATS_NOT_FOUND;
    for (header **at = &it->headers; *at != NULL;) {
        header *each = *at;
        bool is_it = strcmp(each->name, name) == 0;
        if (is_it) { *at = each->next; } else { at = &each->next; }
        if (is_it) { free_header(each); }
        if (is_it) { status = NATS_OK; }
    }
    return status;
}

natsStatus sim_header_set(natsMsg *it, const char *name, const char *value) {
    sim_header_delete(it, name);
    return sim_header_add(it, name, value);
}

natsStatus sim_header_get(natsMsg *it, const char *name, const char **value) {
    *value = NULL;
    for (const header *each = it->headers; each != NULL; each = each->next) {
        if (strcmp(each->name, name) != 0) { continue; }
        *value = each->value;
        return NATS_OK;
    }
    return NATS_NOT_FOUND;
}

static bool is_before(const natsMsg *it, const header *which) {
    for (const header *each = it->headers; each != which; each = each->next) {
        if (strcmp(each->name, which->name) == 0) { return true; }
    }
    return false;
}

/* Each name once. */
natsStatus sim_header_names(natsMsg *it, const char ***names, int *count) {
    size_t all = 0;
    *names = NULL, *count = 0;
    for (const header *each = it->headers; each != NULL; each = each->next) { all++; }
    if (all == 0) { return NATS_NOT_FOUND; }
    *names = calloc(all, sizeof **names);
    for (const header *each = it->headers; each != NULL; each = each->next) {
        if (!is_before(it, each)) { (*names)[(*count)++] = each->name; }
    }
    return NATS_OK;
}
