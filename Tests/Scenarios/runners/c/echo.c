/* The parts of a request that a handler may reply or note. */
#include "player.h"

static ctie_value *string_or_null(ctie_status status, ctie_str text) {
    return status == CTIE_OK ? ctie_value_string(text) : ctie_value_null();
}

static ctie_value *borrowed_or_null(const ctie_value *value) {
    return value == NULL ? ctie_value_null() : ctie_value_retain(value);
}

static ctie_value *params_of(player *p, ctie_request *request) {
    ctie_pair *pairs = keep_memory(p, sizeof *pairs * 64);
    size_t count = 0;
    ctie_str found;
    while (count < 64 && ctie_request_path_param_at(request, count, &pairs[count].key, &found) == CTIE_OK) {
        pairs[count++].value = ctie_value_string(found);
    }
    return ctie_value_map(pairs, count);
}

static ctie_value *pairs_of(player *p, ctie_request *request) {
    ctie_value **items = keep_memory(p, sizeof *items * 128);
    size_t count = 0;
    ctie_str key, found;
    while (count < 128 && ctie_request_query_at(request, count, &key, &found) == CTIE_OK) {
        ctie_value *pair[2] = {ctie_value_string(key), ctie_value_string(found)};
        items[count++] = ctie_value_list(pair, 2);
    }
    return ctie_value_list(items, count);
}

static ctie_value *converted_of(player *p, ctie_request *request) {
    ctie_value *params = NULL;
    expect_ok(p, "params", ctie_request_params(request, &params));
    return params;
}

static ctie_value *origin_seen(player *p, ctie_request *request) {
    ctie_origin origin = -1;
    expect_ok(p, "origin", ctie_request_origin(request, &origin));
    return ctie_value_string(origin == CTIE_ORIGIN_LOCAL ? CTIE_STR("local") : CTIE_STR("remote"));
}

static ctie_value *kind_of(player *p, ctie_request *request) {
    int32_t kind = -1;
    expect_ok(p, "kind", ctie_request_kind(request, &kind));
    return ctie_value_string(ctie_str_from(request_kind_name(kind)));
}

static ctie_value *is_cached(player *p, ctie_request *request) {
    uint32_t flags = 0;
    expect_ok(p, "flags", ctie_request_flags(request, &flags));
    return ctie_value_bool((flags & CTIE_REQUEST_CACHED) != 0);
}

static ctie_value *is_release(player *p, ctie_request *request) {
    uint32_t flags = 0;
    expect_ok(p, "flags", ctie_request_flags(request, &flags));
    return ctie_value_bool((flags & CTIE_REQUEST_RELEASE) != 0);
}

static ctie_value *is_ended(player *p, ctie_request *request) {
    bool ended = false;
    expect_ok(p, "ended", ctie_request_is_ended(request, &ended));
    return ctie_value_bool(ended);
}

static ctie_value *is_cancelled(player *p, ctie_request *request) {
    bool cancelled = false;
    expect_ok(p, "cancelled", ctie_request_is_cancelled(request, &cancelled));
    return ctie_value_bool(cancelled);
}

/* Whether it has a deadline. */
static ctie_value *is_timed(player *p, ctie_request *request) {
    int64_t left = 0;
    expect_ok(p, "time_left", ctie_request_time_left(request, &left));
    return ctie_value_bool(left >= 0);
}

/* The minutes that it has left, rounded up: no test depends on less. */
static ctie_value *minutes_left(player *p, ctie_request *request) {
    int64_t left = 0;
    expect_ok(p, "time_left", ctie_request_time_left(request, &left));
    return left < 0 ? ctie_value_null() : ctie_value_int((left + 59999) / 60000);
}

/* The name of the peer that made it. */
static ctie_value *peer_of(player *p, ctie_request *request) {
    const ctie_value *peer = NULL;
    ctie_status status = ctie_request_peer(request, &peer);
    if (status == CTIE_E_NOT_FOUND) { return ctie_value_null(); }
    expect_ok(p, "peer", status);
    return borrowed_or_null(ctie_value_get(peer, CTIE_STR("name")));
}

static ctie_value *is_leaving(player *p, ctie_request *request) {
    bool leaving = false;
    expect_ok(p, "leaving", ctie_request_is_leaving(request, &leaving));
    return ctie_value_bool(leaving);
}

static const struct {
    const char *name;
    ctie_value *(*of)(player *p, ctie_request *request);
} PARTS[] = {
    {"params", params_of}, {"pairs", pairs_of},      {"converted", converted_of}, {"origin", origin_seen},
    {"kind", kind_of},     {"cached", is_cached},    {"releasing", is_release},   {"ended", is_ended},
    {"timed", is_timed},   {"cancelled", is_cancelled}, {"minutes", minutes_left},
    {"peer", peer_of},     {"leaving", is_leaving},
};

/* Texts that not every request has. */
static const struct {
    const char *name;
    ctie_status (*of)(const ctie_request *request, ctie_str *out);
} TEXTS[] = {
    {"pattern", ctie_request_pattern},
    {"unmatched", ctie_request_unmatched},
    {"target", ctie_request_target},
    {"action", ctie_request_action},
};

static const struct {
    const char *name;
    ctie_status (*of)(const ctie_request *request, const ctie_value **out);
} VALUES[] = {
    {"user_info", ctie_request_user_info},
    {"rule", ctie_request_rule},
    {"arguments", ctie_request_arguments},
};

ctie_value *part_of(player *p, ctie_request *request, ctie_str part) {
    static const char *const URL_PARTS[] = {"url", "scheme", "host", "path", "query", "fragment"};
    ctie_str found = {"", 0};
    const ctie_value *value = NULL;
    for (ctie_url_part i = CTIE_URL_WHOLE; i <= CTIE_URL_FRAGMENT; i++) {
        if (is(part, URL_PARTS[i])) { return string_or_null(ctie_request_url(request, i, &found), found); }
    }
    for (size_t i = 0; i < sizeof TEXTS / sizeof TEXTS[0]; i++) {
        if (is(part, TEXTS[i].name)) { return string_or_null(TEXTS[i].of(request, &found), found); }
    }
    for (size_t i = 0; i < sizeof PARTS / sizeof PARTS[0]; i++) {
        if (is(part, PARTS[i].name)) { return PARTS[i].of(p, request); }
    }
    for (size_t i = 0; i < sizeof VALUES / sizeof VALUES[0]; i++) {
        if (!is(part, VALUES[i].name)) { continue; }
        VALUES[i].of(request, &value);
        return borrowed_or_null(value);
    }
    failf(p, "no such part: %.*s", (int)part.size, part.data);
    return ctie_value_null();
}

/* One part is answered as it is, several as a map. */
ctie_value *echo(player *p, ctie_request *request, step *action) {
    step *parts = ctie_value_get(action, CTIE_STR("parts"));
    size_t count = ctie_value_count(parts);
    ctie_pair *pairs = keep_memory(p, sizeof *pairs * (count + 1));
    for (size_t i = 0; i < count; i++) {
        ctie_value_get_string(ctie_value_at(parts, i), &pairs[i].key);
        pairs[i].value = part_of(p, request, pairs[i].key);
    }
    return count == 1 ? pairs[0].value : ctie_value_map(pairs, count);
}
