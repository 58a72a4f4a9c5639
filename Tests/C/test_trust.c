/*
 * Random tables, routes, URLs and origins against a plain model of the rules of trust: a remote caller never runs
 * private code, and every caller gets the most specific match or nothing. CTIE_TEST_SEED begins elsewhere.
 */
#include "check.h"
#include "latch.h"

enum { MOST_SEGMENTS = 3, MOST_RULES = 10, MOST_ROUTES = 24, FALLBACK = -1 };

/* In the order of precedence. */
typedef enum { LITERAL, INT, PARAMETER, WILDCARD, ANY, REST, KINDS } kind;

typedef struct segment {
    kind kind;
    const char *text; /* of a literal */
} segment;

/* A pattern: the host, then the path. A fallback has a scheme alone. */
typedef struct entry {
    int number; /* what its handler replies */
    bool is_public;
    const char *scheme; /* of a route; NULL for a rule, which belongs to the whole table */
    segment host;
    int count; /* of segments; FALLBACK */
    segment segments[MOST_SEGMENTS];
} entry;

static struct {
    entry rules[MOST_RULES], routes[MOST_ROUTES];
    int rule_count, route_count;
    bool has_web, is_loaded;
} model;

typedef struct url {
    const char *scheme, *host;
    int count;
    const char *segments[MOST_SEGMENTS + 1];
    char text[128];
} url;

static const char *const HOSTS[] = {"go", "at", ""};
static const char *const WORDS[] = {"a", "b", "7", "x%2Fy"};
static const char *const SCHEMES[] = {"pub", "priv", "app", "https"};
static ctie_bus *bus;
static unsigned seed;
static int next_number = 1;
static int handled, denied, left; /* so that one sees that all of it happens */

static int below(int limit) {
    return rand_r(&seed) % limit;
}

/* ---- The model ---------------------------------------------------------------------------------- */

static bool segment_matches(segment s, const char *text) {
    bool has_slash = strchr(text, '%') != NULL;
    switch (s.kind) {
    case LITERAL: return strcmp(s.text, text) == 0;
    case INT: return strcmp(text, "7") == 0;
    case ANY: return true;
    default: return !has_slash;
    }
}

static bool path_matches(const entry *e, const url *u, int count) {
    for (int i = 0; i < e->count; i++) {
        if (i >= count || !segment_matches(e->segments[i], u->segments[i])) { return false; }
        if (e->segments[i].kind != REST) { continue; }
        for (; i < count; i++) {
            if (!segment_matches(e->segments[e->count - 1], u->segments[i])) { return false; }
        }
        return true;
    }
    return e->count == count;
}

static bool is_web(const url *u) {
    return strcmp(u->scheme, "https") == 0;
}

/* A web link sets scheme and host aside, for rules that have a host. */
static bool entry_matches(const entry *e, const url *u, int count) {
    if (e->scheme == NULL && is_web(u)) {
        return model.has_web && e->host.text[0] != 0 && path_matches(e, u, count);
    }
    bool same_scheme = e->scheme == NULL ? strcmp(u->scheme, "app") != 0 : strcmp(e->scheme, u->scheme) == 0;
    if (!same_scheme || e->count == FALLBACK) { return false; }
    bool same_host = e->host.kind == LITERAL ? strcmp(e->host.text, u->host) == 0 : u->host[0] != 0;
    return same_host && path_matches(e, u, count);
}

static bool comes_before(const entry *left, const entry *right) {
    if (right == NULL) { return true; }
    if (left->host.kind != right->host.kind) { return left->host.kind < right->host.kind; }
    for (int i = 0; i < left->count && i < right->count; i++) {
        if (left->segments[i].kind != right->segments[i].kind) {
            return left->segments[i].kind < right->segments[i].kind;
        }
    }
    return false;
}

static const entry *best_of(const entry *all, int total, const url *u, int count, const entry *best) {
    for (int i = 0; i < total; i++) {
        if (entry_matches(&all[i], u, count) && comes_before(&all[i], best)) { best = &all[i]; }
    }
    return best;
}

static const entry *find(const url *u, bool nearest) {
    for (int count = u->count; count >= (nearest ? 0 : u->count); count--) {
        const entry *best = best_of(model.rules, model.rule_count, u, count, NULL);
        best = best_of(model.routes, model.route_count, u, count, best);
        if (best != NULL) { return best; }
    }
    for (int i = 0; i < model.route_count; i++) {
        const entry *e = &model.routes[i];
        if (e->count == FALLBACK && strcmp(e->scheme, u->scheme) == 0) { return e; }
    }
    return NULL;
}

/* The number of the handler of the URL; 0 for none, -1 for denied. */
static int expected(const url *u, bool nearest, ctie_origin origin) {
    bool remote = origin != CTIE_ORIGIN_LOCAL;
    if (remote && model.is_loaded && strcmp(u->scheme, "priv") == 0) { return -1; }
    const entry *best = find(u, nearest);
    if (best == NULL) { return 0; }
    return remote && !best->is_public ? -1 : best->number;
}

static bool same_segment(segment left, segment right) {
    return left.kind == right.kind && (left.kind != LITERAL || strcmp(left.text, right.text) == 0);
}

static bool same_path(const entry *left, const entry *right) {
    bool same = left->count == right->count;
    for (int i = 0; same && i < left->count; i++) { same = same_segment(left->segments[i], right->segments[i]); }
    return same;
}

static bool same_shape(const entry *left, const entry *right) {
    if (left->scheme != NULL && right->scheme != NULL && strcmp(left->scheme, right->scheme) != 0) { return false; }
    const char *scheme = left->scheme != NULL ? left->scheme : right->scheme;
    if ((left->scheme == NULL) != (right->scheme == NULL) && strcmp(scheme, "app") == 0) { return false; }
    if (left->count == FALLBACK || right->count == FALLBACK) { return left->count == right->count; }
    return same_segment(left->host, right->host) && same_path(left, right);
}

static bool conflicts(const entry *e, const entry *others, int count) {
    for (int i = 0; i < count; i++) {
        if (same_shape(e, &others[i])) { return true; }
    }
    return false;
}

static bool rules_conflict(const entry *rules, int count, bool has_web) {
    for (int i = 0; i < count; i++) {
        if (conflicts(&rules[i], rules, i) || conflicts(&rules[i], model.routes, model.route_count)) { return true; }
        for (int other = 0; has_web && other < i; other++) {
            bool both = rules[i].host.text[0] != 0 && rules[other].host.text[0] != 0;
            if (both && same_path(&rules[i], &rules[other])) { return true; }
        }
    }
    return false;
}

/* ---- Making tables, routes and URLs ------------------------------------------------------------- */

static void write_segment(char *out, size_t size, segment s, int position) {
    static const char *const FORMS[KINDS] = {"", ":p%d<int>", ":p%d", "~", ":p%d<any>", "*p%d"};
    size_t used = strlen(out);
    if (s.kind == LITERAL) {
        snprintf(out + used, size - used, "%s", s.text);
    } else {
        snprintf(out + used, size - used, FORMS[s.kind], position);
    }
}

static void write_path(char *out, size_t size, const entry *e) {
    if (e->count == 0) { strncat(out, "/", size - strlen(out) - 1); }
    for (int i = 0; i < e->count; i++) {
        strncat(out, "/", size - strlen(out) - 1);
        write_segment(out, size, e->segments[i], i);
    }
}

static entry any_entry(const char *scheme) {
    entry e = {.number = next_number++, .is_public = below(2) == 0, .scheme = scheme};
    e.count = below(MOST_SEGMENTS + 1);
    e.host = (segment){LITERAL, HOSTS[below(3)]};
    if (scheme != NULL && below(5) == 0) { e.host = (segment){PARAMETER, ""}; }
    for (int i = 0; i < e.count; i++) {
        kind chosen = below(2) == 0 ? LITERAL : (kind)below(KINDS);
        e.segments[i] = (segment){chosen, WORDS[below(3)]};
        if (chosen == REST) { e.count = i + 1; }
    }
    if (scheme != NULL && below(12) == 0) { e.count = FALLBACK; }
    return e;
}

static url any_url(void) {
    url u = {.scheme = SCHEMES[below(4)], .host = HOSTS[below(3)], .count = below(MOST_SEGMENTS + 2)};
    if (is_web(&u)) { u.host = "m.example"; }
    snprintf(u.text, sizeof u.text, "%s://%s%s", u.scheme, u.host, u.count == 0 ? "/" : "");
    for (int i = 0; i < u.count; i++) {
        u.segments[i] = WORDS[below(4)];
        strcat(strcat(u.text, "/"), u.segments[i]);
    }
    return u;
}

static void load_some_table(void) {
    entry rules[MOST_RULES];
    int count = below(MOST_RULES + 1);
    bool has_web = below(2) == 0;
    static char json[8192], path[256];
    snprintf(json, sizeof json, "{\"format\": 1, \"version\": \"1.0.0\", \"publicSchemes\": [\"pub\"],"
             " \"privateSchemes\": [\"priv\"], \"routeHosts\": [\"go\", \"at\"], \"webHosts\": [%s], \"rules\": [",
             has_web ? "\"m.example\"" : "");
    for (int i = 0; i < count; i++) {
        rules[i] = any_entry(NULL);
        path[0] = 0;
        write_path(path, sizeof path, &rules[i]);
        size_t used = strlen(json);
        snprintf(json + used, sizeof json - used,
                 "%s{\"id\": \"r%d\", \"host\": \"%s\", \"path\": \"%s\", \"visibility\": \"%s\"}", i == 0 ? "" : ", ",
                 rules[i].number, rules[i].host.text, path, rules[i].is_public ? "public" : "private");
    }
    strcat(json, "]}");
    bool refused = rules_conflict(rules, count, has_web);
    CHECK_STATUS(ctie_rules_load(bus, ctie_str_from(json), NULL, NULL), refused ? CTIE_E_CONFLICT : CTIE_OK);
    if (refused) { return; }
    memcpy(model.rules, rules, sizeof rules);
    model.rule_count = count;
    model.has_web = has_web;
    model.is_loaded = true;
}

/* ---- Handlers ----------------------------------------------------------------------------------- */

static void answer(ctie_request *request, void *number) {
    CHECK_STATUS(ctie_request_reply(request, ctie_value_int((intptr_t)number)), CTIE_OK);
}

static void navigate(ctie_request *request, void *user_data) {
    (void)user_data;
    const ctie_value *rule = NULL;
    ctie_str id = {"r0", 2};
    ctie_origin origin = -1;
    CHECK_STATUS(ctie_request_rule(request, &rule), CTIE_OK);
    ctie_value_get_string(ctie_value_get(rule, CTIE_STR("id")), &id);
    ctie_str visibility = {"", 0};
    ctie_value_get_string(ctie_value_get(rule, CTIE_STR("visibility")), &visibility);
    ctie_request_origin(request, &origin);
    CHECK(origin == CTIE_ORIGIN_LOCAL || text_is(visibility, "public"));
    CHECK_STATUS(ctie_request_reply(request, ctie_value_int(strtol(id.data + 1, NULL, 10))), CTIE_OK);
}

static void register_some_route(void) {
    if (model.route_count == MOST_ROUTES) { return; }
    entry e = any_entry(SCHEMES[below(3)]);
    char pattern[256];
    snprintf(pattern, sizeof pattern, "%s://", e.scheme);
    if (e.count != FALLBACK) {
        write_segment(pattern, sizeof pattern, e.host, 9);
        write_path(pattern, sizeof pattern, &e);
    }
    ctie_route_options options = CTIE_ROUTE_OPTIONS_INIT;
    options.flags = e.is_public ? CTIE_ROUTE_PUBLIC : 0;
    bool refused = conflicts(&e, model.routes, model.route_count) || conflicts(&e, model.rules, model.rule_count);
    ctie_status status = ctie_route_add(bus, ctie_str_from(pattern), CTIE_HANDLER(answer, (void *)(intptr_t)e.number),
                                        &options, NULL, NULL);
    CHECK_STATUS(status, refused ? CTIE_E_CONFLICT : CTIE_OK);
    if (!refused) { model.routes[model.route_count++] = e; }
}

/* ---- Opening by every way there is -------------------------------------------------------------- */

static const char *target; /* of the ways that lead elsewhere */
static ctie_match_mode target_mode;

static void open_target(ctie_request *request, void *user_data) {
    (void)user_data;
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    options.mode = target_mode;
    ctie_response *response = NULL;
    ctie_status status = ctie_open(bus, ctie_str_from(target), CTIE_ORIGIN_LOCAL, &options, &response, NULL);
    ctie_value *own = status == CTIE_OK ? ctie_value_retain(ctie_response_value(response))
                                        : ctie_value_int(status == CTIE_E_DENIED ? -1 : 0);
    CHECK_STATUS(ctie_request_reply(request, own), CTIE_OK);
    ctie_response_release(response);
}

static void send_to_target(ctie_request *request, void *user_data) {
    (void)user_data;
    ctie_str path;
    CHECK_STATUS(ctie_request_url(request, CTIE_URL_SCHEME, &path), CTIE_OK);
    CHECK_STATUS(text_is(path, "jump") ? ctie_request_rewrite(request, ctie_str_from(target), NULL)
                                       : ctie_request_proceed(request), CTIE_OK);
}

typedef enum { DIRECTLY, ON_A_WORKER, NESTED, REWRITTEN, ASKED, WAYS } way;

static int number_of(ctie_status status, ctie_response *response) {
    int64_t number = 0;
    if (status == CTIE_E_DENIED) { return -1; }
    if (status == CTIE_OK) { CHECK_STATUS(ctie_value_get_int(ctie_response_value(response), &number), CTIE_OK); }
    return (int)number;
}

static int open_by(way w, const url *u, ctie_origin origin, ctie_match_mode mode) {
    static const char *const WAYS[] = {NULL, NULL, "nest://nested", "jump://rewritten"};
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    ctie_response *response = NULL;
    ctie_call *call = NULL;
    ctie_status status;
    target = u->text;
    target_mode = options.mode = mode;
    if (w == ON_A_WORKER) {
        CHECK_STATUS(ctie_open_async(bus, ctie_str_from(u->text), origin, CTIE_COMPLETION(NULL, NULL), &options, &call,
                                     NULL), CTIE_OK);
        CHECK_STATUS(ctie_call_wait(call, -1, &response), CTIE_OK);
        status = ctie_response_status(response);
    } else {
        status = ctie_open(bus, ctie_str_from(w == DIRECTLY ? u->text : WAYS[w]), origin, &options, &response, NULL);
    }
    int number = number_of(status, response);
    ctie_response_release(response);
    ctie_call_release(call);
    return number;
}

static void open_some(void) {
    url u = any_url();
    way w = (way)below(WAYS);
    ctie_origin origin = below(3) == 0 ? CTIE_ORIGIN_LOCAL : CTIE_ORIGIN_REMOTE;
    ctie_match_mode mode = below(3) == 0 ? CTIE_MATCH_NEAREST : CTIE_MATCH_EXACT;
    int wanted = expected(&u, mode == CTIE_MATCH_NEAREST, origin), found = wanted;
    if (w == ASKED) {
        ctie_opened_by opener = -1;
        CHECK_STATUS(ctie_can_open(bus, ctie_str_from(u.text), origin, mode, &opener), CTIE_OK);
        if ((opener == CTIE_OPENED_BY_ROUTE) != (wanted > 0)) { found = -2; }
    } else {
        found = open_by(w, &u, origin, mode);
    }
    if (found != wanted) {
        fprintf(stderr, "%s, %s, mode %d, way %d: %d instead of %d\n", u.text,
                origin == CTIE_ORIGIN_LOCAL ? "local" : "remote", (int)mode, (int)w, found, wanted);
    }
    CHECK(found == wanted);
    *(wanted > 0 ? &handled : wanted < 0 ? &denied : &left) += 1;
}

static void play_world(void) {
    ctie_route_options public = CTIE_ROUTE_OPTIONS_INIT;
    ctie_system_opener_options off = CTIE_SYSTEM_OPENER_OPTIONS_INIT;
    memset(&model, 0, sizeof model);
    public.flags = CTIE_ROUTE_PUBLIC;
    off.flags = CTIE_SYSTEM_OPENER_OFF;
    CHECK_STATUS(ctie_bus_new(NULL, &bus, NULL), CTIE_OK);
    CHECK_STATUS(ctie_bus_set_system_opener(bus, CTIE_HANDLER(NULL, NULL), &off, NULL), CTIE_OK);
    CHECK_STATUS(ctie_rules_set_navigator(bus, CTIE_HANDLER(navigate, NULL), NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_route_add(bus, CTIE_STR("nest://nested"), CTIE_HANDLER(open_target, NULL), &public, NULL, NULL),
                 CTIE_OK);
    CHECK_STATUS(ctie_interceptor_add(bus, CTIE_HANDLER(send_to_target, NULL), NULL, NULL, NULL), CTIE_OK);
    for (int i = 0; i < 60; i++) {
        int what = below(10);
        if (what == 0) {
            load_some_table();
        } else if (what < 4) {
            register_some_route();
        } else {
            for (int n = 0; n < 5; n++) { open_some(); }
        }
    }
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

int main(void) {
    const char *given = getenv("CTIE_TEST_SEED");
    unsigned first = given == NULL ? 1 : (unsigned)strtoul(given, NULL, 10);
    for (int i = 0; i < test_rounds(600) && checks_failed == 0; i++) {
        seed = first + (unsigned)i;
        play_world();
        if (checks_failed > 0) { fprintf(stderr, "CTIE_TEST_SEED=%u shows it\n", first + (unsigned)i); }
    }
    printf("%d URLs handled, %d denied, %d left\n", handled, denied, left);
    CHECK(handled > denied / 4 && denied > 0 && left > 0);
    return check_end();
}
