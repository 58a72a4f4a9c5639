/* Joined buses: joining a group, leaving it, and what a bus sees of its peers. */
#include "player.h"

#include <time.h>

void step_join_bus(player *p, step *s) {
    ctie_join_options options = CTIE_JOIN_OPTIONS_INIT;
    options.name = text(p, s, "name", "");
    options.exports = texts(p, s, "exports");
    options.imports = texts(p, s, "imports");
    options.flags = flag(s, "trusted", false) ? CTIE_JOIN_TRUSTED : 0;
    ctie_join *join = NULL;
    ctie_error *error = NULL;
    ctie_status status = ctie_bus_join(bus_of(p, s), thing_find(p, WORMHOLE, text(p, s, "wormhole", "wormhole")),
                                       &options, &join, &error);
    if (expect_status(p, s, status, error)) { thing_add(p, MEMBERSHIP, text(p, s, "as", "membership"), join); }
}

void step_leave(player *p, step *s) {
    expect_ok(p, "leave", ctie_join_release(thing_take(p, MEMBERSHIP, text(p, s, "membership", "membership"))));
}

void memberships_end(player *p) {
    for (ctie_join *join; (join = thing_next(p, MEMBERSHIP)) != NULL;) { expect_ok(p, "leave", ctie_join_release(join)); }
}

static ctie_join *join_of(player *p, step *s) {
    return thing_find(p, MEMBERSHIP, text(p, s, "membership", "membership"));
}

void step_set_exports(player *p, step *s) {
    ctie_error *error = NULL;
    ctie_status status = ctie_join_set_exports(join_of(p, s), texts(p, s, "exports"), &error);
    expect_status(p, s, status, error);
}

/* The names of all peers, as a list of texts. */
static ctie_value *peer_names(player *p, ctie_join *join) {
    ctie_value *peers = NULL;
    expect_ok(p, "peers", ctie_join_peers(join, &peers, NULL));
    ctie_value *names[64];
    size_t count = ctie_value_count(peers);
    for (size_t i = 0; i < count && i < 64; i++) {
        names[i] = ctie_value_retain(ctie_value_get(ctie_value_at(peers, i), CTIE_STR("name")));
    }
    ctie_value *list = ctie_value_list(names, count < 64 ? count : 64);
    ctie_value_release(peers);
    return list;
}

/* Waits until these are the peers: others come and go by themselves. */
void step_peers(player *p, step *s) {
    ctie_join *join = join_of(p, s);
    for (int i = 0; i < WATCHDOG_SECONDS * 1000 && !failed(p); i++) {
        ctie_value *names = peer_names(p, join);
        bool same = ctie_value_equal(names, ctie_value_get(s, CTIE_STR("names")));
        ctie_value_release(names);
        if (same) { return; }
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    expect_value(p, "peers", value(p, s, "names"), peer_names(p, join));
}

void step_components_anywhere(player *p, step *s) {
    ctie_value *list = NULL, *found[64];
    expect_ok(p, "components_anywhere", ctie_component_list_anywhere(bus_of(p, s), &list, NULL));
    size_t count = ctie_value_count(list) < 64 ? ctie_value_count(list) : 64;
    for (size_t i = 0; i < count; i++) {
        const ctie_value *each = ctie_value_at(list, i), *peer = ctie_value_get(each, CTIE_STR("peer"));
        ctie_value *pair[2] = {ctie_value_retain(ctie_value_get(each, CTIE_STR("name"))),
                               peer == NULL ? ctie_value_null() : ctie_value_retain(ctie_value_get(peer, CTIE_STR("name")))};
        found[i] = ctie_value_list(pair, 2);
    }
    ctie_value *pairs = ctie_value_list(found, count);
    expect_value(p, "components", value(p, s, "names"), pairs);
    ctie_value_release(pairs);
    ctie_value_release(list);
}
