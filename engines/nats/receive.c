/* Messages of presence, on libnats's thread: nothing here waits. */
#include "presence.h"
#include "record.h"
#include "text.h"

#include <string.h>

/* A stranger must not have this member send to subjects that only it may use, such as those of JetStream's API. */
static bool is_inbox(const char *subject) { return subject != NULL && strncmp(subject, "_INBOX.", 7) == 0; }

static void log_once(presence *it, bool *has_logged, const char *text) {
    pthread_mutex_lock(&it->lock);
    bool is_first = !*has_logged;
    *has_logged = true;
    pthread_mutex_unlock(&it->lock);
    if (is_first) { log_line(it->of, CTIE_LOG_WARNING, "%s: %s", it->of->names.presence, text); }
}

static void enter(presence *it, const greeting *from, uint64_t call) {
    pthread_mutex_lock(&it->lock);
    member_entry entry = members_enter(it, &from->who, call);
    if (from->known > it->announced) { it->announced = from->known; }
    pthread_mutex_unlock(&it->lock);
    if (entry == MEMBER_NEW) { presence_changed(it); }
    if (entry == MEMBER_TOO_MANY) { log_once(it, &it->has_logged_crowd, "there are too many members"); }
}

static void leave(presence *it, const char *id) {
    pthread_mutex_lock(&it->lock);
    bool is_removed = members_remove(it, id);
    it->announced = 0;
    pthread_mutex_unlock(&it->lock);
    if (is_removed) { presence_changed(it); }
}

void receive_request(natsConnection *connection, natsSubscription *subscription, natsMsg *message, void *context) {
    presence *it = context;
    greeting from;
    (void)connection, (void)subscription;
    const char *reply = natsMsg_GetReply(message);
    bool is_member = greeting_read(message, &from);
    bool is_own = is_member && strcmp(from.who.id, it->of->self.member) == 0;
    if (!is_member && natsMsg_GetDataLength(message) > 0) {
        log_once(it, &it->has_logged_garbage, "a message is not of a member, and is left out");
    }
    if (is_member && !is_own) {
        if (strcmp(from.type, "look") == 0) { durable_look_again(it->of, from.durable); }
        if (strcmp(from.type, "bye") == 0) { leave(it, from.who.id); } else { enter(it, &from, 0); }
    }
    if (!is_own && is_inbox(reply)) { presence_say(it, reply, "here", NULL); }
    natsMsg_Destroy(message);
}

/* Whether a member that does not answer has died: not while it may be connecting again, as this one has. */
static bool has_died(presence *it, uint64_t number) {
    pthread_mutex_lock(&it->lock);
    roll_call *call = it->calls;
    while (call != NULL && call->number != number) { call = call->next; }
    bool is_so = call != NULL && deadline_left(it->lenient_until) == 0;
    pthread_mutex_unlock(&it->lock);
    return is_so;
}

void receive_answer(natsConnection *connection, natsSubscription *subscription, natsMsg *message, void *context) {
    presence *it = context;
    greeting from;
    uint64_t call = 0;
    (void)connection, (void)subscription;
    const char *subject = natsMsg_GetSubject(message), *id = NULL;
    size_t size = strlen(it->inbox);
    if (strncmp(subject, it->inbox, size) == 0) {
        size_t digits = strcspn(subject + size, ".");
        if (!text_number(subject + size, digits, UINT64_MAX, &call)) { call = 0; }
        if (subject[size + digits] == '.') { id = subject + size + digits + 1; }
    }
    if (natsMsg_IsNoResponders(message)) {
        if (id != NULL && has_died(it, call)) { leave(it, id); }
    } else if (greeting_read(message, &from) && strcmp(from.who.id, it->of->self.member) != 0) {
        enter(it, &from, call);
    }
    natsMsg_Destroy(message);
}
