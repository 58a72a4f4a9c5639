/* The things that a scenario calls by name. A name that is used again means the newer thing. */
#include "player.h"

#include <string.h>

void thing_add(player *p, thing_kind kind, ctie_str name, void *object) {
    thing *new = keep_memory(p, sizeof *new);
    *new = (thing){NULL, kind, (char *)copy(p, name).data, object};
    pthread_mutex_lock(&p->lock);
    new->next = p->things;
    p->things = new;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
}

/* With the lock held. */
static thing *lookup(player *p, thing_kind kind, ctie_str name) {
    for (thing *each = p->things; each != NULL; each = each->next) {
        if (each->kind == kind && each->object != NULL && is(name, each->name)) { return each; }
    }
    return NULL;
}

void *thing_look_up(player *p, thing_kind kind, ctie_str name) {
    pthread_mutex_lock(&p->lock);
    thing *found = lookup(p, kind, name);
    pthread_mutex_unlock(&p->lock);
    return found == NULL ? NULL : found->object;
}

void *thing_find(player *p, thing_kind kind, ctie_str name) {
    void *found = thing_look_up(p, kind, name);
    if (found == NULL) { failf(p, "the scenario has nothing called %.*s here", (int)name.size, name.data); }
    return found;
}

void *thing_await(player *p, thing_kind kind, ctie_str name) {
    pthread_mutex_lock(&p->lock);
    bool in_time = true;
    while (lookup(p, kind, name) == NULL && in_time) { wait_for_change(p, &in_time); }
    pthread_mutex_unlock(&p->lock);
    return thing_find(p, kind, name);
}

void *thing_take(player *p, thing_kind kind, ctie_str name) {
    void *object = thing_await(p, kind, name);
    pthread_mutex_lock(&p->lock);
    thing *found = lookup(p, kind, name);
    if (found != NULL) { found->object = NULL; }
    pthread_mutex_unlock(&p->lock);
    return object;
}

void *thing_next(player *p, thing_kind kind) {
    void *object = NULL;
    pthread_mutex_lock(&p->lock);
    for (thing *each = p->things; each != NULL && object == NULL; each = each->next) {
        if (each->kind != kind || each->object == NULL) { continue; }
        object = each->object;
        each->object = NULL;
    }
    pthread_mutex_unlock(&p->lock);
    return object;
}
