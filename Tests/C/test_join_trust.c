/*
 * Trust between joined buses, over random exports, imports, routes and origins: a handler of the other bus runs if and
 * only if its name is exported and imported, and a private route only for a local request of a peer that is trusted.
 */
#include "joining.h"

enum { ROUNDS = 150, REQUESTS = 60, HOSTS = 3, PAGES = 3 };

static unsigned seed;

static bool chance(unsigned of) { return (unsigned)rand_r(&seed) % of == 0; }

static unsigned pick(unsigned count) { return (unsigned)rand_r(&seed) % count; }

/* The names of one round. A host and a page are letters; page 0 is the host alone. */
static struct {
    bool has[HOSTS][PAGES], is_public[HOSTS][PAGES];
    char exports[8][24], imports[8][24];
    size_t export_count, import_count;
    bool trusted;
} round_of;

/* The last thing that ran on the other bus. */
static struct {
    int count;
    char name[32];
    ctie_origin origin;
    bool has_peer;
} ran;

static void note(ctie_request *request, void *user_data) {
    const ctie_value *peer = NULL;
    ran.count++;
    snprintf(ran.name, sizeof ran.name, "%s", (const char *)user_data);
    ctie_request_origin(request, &ran.origin);
    ran.has_peer = ctie_request_peer(request, &peer) == CTIE_OK;
    ctie_request_reply(request, ctie_value_bool(true));
}

static void name_url(char *out, unsigned host, unsigned page) {
    if (page == 0) {
        snprintf(out, 24, "app://%c", 'a' + host);
    } else {
        snprintf(out, 24, "app://%c/%c", 'a' + host, 'w' + page);
    }
}

/** A random name of an export or import. */
static void random_name(char *out, bool for_import) {
    unsigned host = pick(HOSTS), page = pick(PAGES);
    switch (pick(for_import ? 8 : 7)) {
    case 0: snprintf(out, 24, "app://"); break;
    case 1: snprintf(out, 24, "app://%c/*", 'a' + host); break;
    case 2: name_url(out, host, page); break;
    case 3: snprintf(out, 24, "c%u", host); break;
    case 4: snprintf(out, 24, "c%u.a%u", host, page); break;
    case 5: snprintf(out, 24, "event:e%u", host); break;
    case 6: snprintf(out, 24, "other://"); break;
    default: snprintf(out, 24, "*"); break;
    }
}

/* ---- What may be ---------------------------------------------------------------------------------- */

static bool is_in(char (*names)[24], size_t count, const char *name) {
    for (size_t i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0) return true;
    }
    return false;
}

/** Whether a list covers a URL, by the documented forms. */
static bool covers_url(char (*names)[24], size_t count, unsigned host, unsigned page) {
    char url[24], below[24];
    name_url(url, host, page);
    snprintf(below, sizeof below, "app://%c/*", 'a' + host);
    return is_in(names, count, "*") || is_in(names, count, "app://") || is_in(names, count, url) ||
           (page > 0 && is_in(names, count, below));
}

static bool covers_action(char (*names)[24], size_t count, unsigned component, unsigned action) {
    char whole[24], one[24];
    snprintf(whole, sizeof whole, "c%u", component);
    snprintf(one, sizeof one, "c%u.a%u", component, action);
    return is_in(names, count, "*") || is_in(names, count, whole) || is_in(names, count, one);
}

static bool covers_event(char (*names)[24], size_t count, unsigned event) {
    char name[24];
    snprintf(name, sizeof name, "event:e%u", event);
    return is_in(names, count, "*") || is_in(names, count, name);
}

/* ---- One round ------------------------------------------------------------------------------------ */

static char url_names[HOSTS][PAGES][24], action_names[HOSTS][PAGES][8], event_names[HOSTS][8];

static void fill(ctie_bus *bus) {
    for (unsigned host = 0; host < HOSTS; host++) {
        ctie_action actions[PAGES + 1];
        char component[8];
        for (unsigned page = 0; page < PAGES; page++) {
            name_url(url_names[host][page], host, page);
            snprintf(action_names[host][page], 8, "a%u", page);
            actions[page] = action_of(action_names[host][page], note, action_names[host][page], 0);
            if (!(round_of.has[host][page] = !chance(3))) continue;
            ctie_route_options options = CTIE_ROUTE_OPTIONS_INIT;
            options.flags = (round_of.is_public[host][page] = chance(2)) ? CTIE_ROUTE_PUBLIC : 0;
            CHECK_STATUS(ctie_route_add(bus, ctie_str_from(url_names[host][page]),
                                        CTIE_HANDLER(note, url_names[host][page]), &options, NULL, NULL), CTIE_OK);
        }
        snprintf(event_names[host], 8, "e%u", host);
        snprintf(component, sizeof component, "c%u", host);
        actions[PAGES] = action_of(event_names[host], note, event_names[host], CTIE_ACTION_EVENT);
        CHECK_STATUS(ctie_component_add(bus, ctie_str_from(component), CTIE_ACTIONS(actions), CTIE_INSTANCE(NULL), NULL,
                                        NULL, NULL), CTIE_OK);
    }
}

static ctie_join *join_at_random(ctie_bus *bus, ctie_wormhole *group, bool is_callee) {
    ctie_str names[8];
    char (*texts)[24] = is_callee ? round_of.exports : round_of.imports;
    size_t count = pick(6);
    for (size_t i = 0; i < count; i++) {
        random_name(texts[i], !is_callee);
        names[i] = ctie_str_from(texts[i]);
    }
    *(is_callee ? &round_of.export_count : &round_of.import_count) = count;
    ctie_join_options options = CTIE_JOIN_OPTIONS_INIT;
    ctie_join *join = NULL;
    *(is_callee ? &options.exports : &options.imports) = (ctie_str_list){names, count};
    options.name = is_callee ? CTIE_STR("callee") : CTIE_STR("caller");
    options.flags = is_callee && round_of.trusted ? CTIE_JOIN_TRUSTED : 0;
    CHECK_STATUS(ctie_bus_join(bus, group, &options, &join, NULL), CTIE_OK);
    return join;
}

static unsigned reached, kept_out;

/** Checks whether what was expected to run ran, as whom. */
static void expect_ran(bool may, const char *name, bool is_local) {
    if (!may) {
        kept_out++;
        CHECK(ran.count == 0);
        return;
    }
    reached++;
    CHECK(ran.count == 1 && strcmp(ran.name, name) == 0 && ran.has_peer);
    CHECK(ran.origin == (is_local && round_of.trusted ? CTIE_ORIGIN_LOCAL : CTIE_ORIGIN_REMOTE));
}

static void open_one(ctie_bus *bus, unsigned host, unsigned page, bool is_local, const ctie_request_options *options) {
    ctie_origin origin = is_local ? CTIE_ORIGIN_LOCAL : CTIE_ORIGIN_REMOTE;
    bool named = covers_url(round_of.exports, round_of.export_count, host, page) &&
                 covers_url(round_of.imports, round_of.import_count, host, page);
    bool free = round_of.has[host][page] && (round_of.is_public[host][page] || (is_local && round_of.trusted));
    ctie_opened_by by = CTIE_OPENED_BY_NONE;
    CHECK_STATUS(ctie_can_open_anywhere(bus, ctie_str_from(url_names[host][page]), origin, CTIE_MATCH_DEFAULT, &by), CTIE_OK);
    CHECK((by == CTIE_OPENED_BY_PEER) == named);
    ctie_status status = ctie_open(bus, ctie_str_from(url_names[host][page]), origin, options, NULL, NULL);
    expect_ran(named && free, url_names[host][page], is_local);
    CHECK(status == (named && free ? CTIE_OK
                     : named && round_of.has[host][page] ? CTIE_E_DENIED
                     : named ? CTIE_E_NO_ROUTE
                             : status));
    if (!named) CHECK(status == CTIE_E_NO_ROUTE || status == CTIE_E_BLOCKED);
}

static void request_one(ctie_bus *bus) {
    unsigned what = pick(4), first = pick(HOSTS), second = pick(PAGES);
    bool is_local = chance(2);
    ctie_request_options options = *without_end();
    options.flags = chance(2) ? CTIE_REQUEST_ELSEWHERE : 0;
    ran.count = 0;
    if (what < 2) return open_one(bus, first, second, is_local, &options);
    options.flags |= is_local ? 0u : CTIE_REQUEST_REMOTE;
    if (what == 2) {
        char component[8];
        snprintf(component, sizeof component, "c%u", first);
        bool may = covers_action(round_of.exports, round_of.export_count, first, second) &&
                   covers_action(round_of.imports, round_of.import_count, first, second);
        ctie_target target = {ctie_str_from(component), ctie_str_from(action_names[first][second])};
        ctie_status status = ctie_component_call(bus, target, NULL, &options, NULL, NULL);
        expect_ran(may, action_names[first][second], is_local);
        CHECK(status == (may ? CTIE_OK : CTIE_E_NO_COMPONENT));
        return;
    }
    bool may = covers_event(round_of.exports, round_of.export_count, first) &&
               covers_event(round_of.imports, round_of.import_count, first);
    ctie_value *result = NULL;
    CHECK_STATUS(ctie_component_broadcast(bus, ctie_str_from(event_names[first]), NULL, &options, &result, NULL), CTIE_OK);
    expect_ran(may, event_names[first], is_local);
    CHECK(int_at(result, "count") == may);
    ctie_value_release(result);
}

static void play_round(ctie_wormhole *group) {
    ctie_bus *callee = make_bus(), *caller = make_bus();
    memset(&round_of, 0, sizeof round_of);
    round_of.trusted = chance(2);
    fill(callee);
    ctie_join *other = join_at_random(callee, group, true), *own = join_at_random(caller, group, false);
    for (int i = 0; i < REQUESTS; i++) request_one(caller);
    CHECK_STATUS(ctie_join_release(own), CTIE_OK);
    CHECK_STATUS(ctie_join_release(other), CTIE_OK);
    CHECK_STATUS(ctie_bus_release(caller), CTIE_OK);
    CHECK_STATUS(ctie_bus_release(callee), CTIE_OK);
}

int main(void) {
    int rounds = test_rounds(ROUNDS);
    name_directory();
    ctie_wormhole *group = open_group();
    for (int i = 0; i < rounds; i++) {
        seed = (unsigned)i + 1;
        play_round(group);
    }
    FIGURES(", %u reached, %u kept out", reached, kept_out);
    CHECK(rounds == 0 || (reached > 0 && kept_out > 0));
    CHECK_STATUS(ctie_wormhole_release(group), CTIE_OK);
    remove_directory();
    return check_end();
}
