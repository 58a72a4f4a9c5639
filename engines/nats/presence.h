/* The members of a group. Each one answers requests on `ctie.<group>.p` and `ctie.<group>.p.<member>`, and says hello
   and bye on the first. Texts are JSON: type, member, name, pid, since, known,
   and with `look` the durable consumer that was changed. */
#ifndef PRESENCE_H
#define PRESENCE_H

#include "engine.h"

enum {
    MEMBER_ID = 33,        /* with its NUL */
    MEMBERS_MOST = 10000,
    MEMBER_PLACES = 1024,
    PRESENCE_INBOX_MOST = 96,
};

/* Another member. */
typedef struct member {
    struct member *next;   /* in its place of the table */
    char id[MEMBER_ID], name[65];
    int32_t pid;
    int64_t since;
    uint64_t answered;        /* the last roll-call that it has answered */
    uint64_t born;         /* the last roll-call when it was entered, which does not wait for it */
} member;

/* A call for all members to answer, on the stack of who waits for it. */
typedef struct roll_call {
    struct roll_call *next;
    uint64_t number;
    size_t missing;        /* members that have not answered */
} roll_call;

struct presence {
    engine *of;
    natsSubscription *subscriptions[3];
    char inbox[PRESENCE_INBOX_MOST]; /* the subjects of answers begin with it */
    pthread_mutex_t lock;  /* of what follows; not held while libnats or the host is called */
    pthread_cond_t changed;
    member *places[MEMBER_PLACES];
    size_t count;
    roll_call *calls;
    uint64_t last_call;
    size_t announced;      /* the most members that another one knows, this one included */
    int64_t found_by;      /* until then, others answer the hello */
    int64_t lenient_until; /* until then, others may be connecting again: nobody is taken for dead */
    pthread_t watcher;
    bool has_watcher, is_over, has_logged_garbage, has_logged_crowd;
};

/* The content of a message of presence. */
typedef struct greeting {
    char type[8];
    member who;            /* id, name, pid, since */
    size_t known;
    char durable[CONSUMER_MOST]; /* of the type `look` */
} greeting;

/* --- greeting.c --- */

/* False: it is empty or a stranger's. */
bool greeting_read(natsMsg *from, greeting *out);
/* NULL without memory; its user frees it. `durable` may be NULL. */
char *greeting_text(const engine *of, const char *type, size_t known, const char *durable);

/* --- members.c: the table, with the lock --- */

typedef enum { MEMBER_KNOWN, MEMBER_NEW, MEMBER_TOO_MANY } member_entry;
/* Enters a member that has answered a roll-call, 0 for none. */
member_entry members_enter(presence *it, const member *who, uint64_t call);
bool members_remove(presence *it, const char *id);
void members_clear(presence *it);
/* Copies all of them: an array that its user frees; NULL without memory. Only those that a call waits for, if not 0. */
member *members_copy(const presence *it, uint64_t missing_in, size_t *count);
bool members_is_id(const char *text);

/* --- roll.c --- */

/* Calls all members, and removes those that have died. One that is only silent stays. Waits until the deadline, or
   until all have answered. */
void roll_all(presence *it, int64_t deadline);
/* Looks after the members from now on. */
void roll_watch(presence *it);
void roll_end(presence *it);

/* --- receive.c: handlers of subscriptions --- */

/* A request or a notice of another one, or of this member itself. */
void receive_request(natsConnection *connection, natsSubscription *subscription, natsMsg *message, void *context);
/* An answer to `<inbox><roll-call>` or `<inbox><roll-call>.<member>`. */
void receive_answer(natsConnection *connection, natsSubscription *subscription, natsMsg *message, void *context);

/* --- presence.c --- */

/* Says that members have come or left. */
void presence_changed(presence *it);
void presence_say(presence *it, const char *subject, const char *type, const char *reply);
/* Says to all members that the record of a durable consumer is another one. */
void presence_notify(presence *it, const char *durable);

#endif
