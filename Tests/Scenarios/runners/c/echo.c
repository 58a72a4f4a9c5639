/* The parts of a request that a handler may reply or note. */
#include "player.h"

static ctie_value *string_or_null(ctie_status status, ctie_str text) {
    return status == CTIE_OK ? ctie_value_string(text) : ctie_value_null();
}

static ctie_value *borrowed_or_null(const ctie_value *value) {
    return value == NULL ? ctie_value_null() : ctie_value_retain((ctie_value *)value);
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

ctie_value *part_of(player *p, ctie_request *request, ctie_str part) {
    static const char *const URL_PARTS[] = {"url", "scheme", "host", "path", "query", "fragment"};
    ctie_str found = {"", 0};
    const ctie_value *value = NULL;
    for (ctie_url_part i = CTIE_URL_WHOLE; i <= CTIE_URL_FRAGMENT; i++) {
        if (is(part, URL_PARTS[i])) { return string_or_null(ctie_request_url(request, i, &found), found); }
    }
    if (is(part, "pattern")) { return string_or_null(ctie_request_pattern(request, &found), found); }
    if (is(part, "unmatched")) { return string_or_null(ctie_request_unmatched(request, &found), found); }
    if (is(part, "params")) { return params_of(p, request); }
    if (is(part, "pairs")) { return pairs_of(p, request); }
    if (is(part, "converted")) { return converted_of(p, request); }
    if (is(part, "origin")) { return origin_seen(p, request); }
    if (is(part, "user_info")) {
        ctie_request_user_info(request, &value);
    } else if (is(part, "rule")) {
        ctie_request_rule(request, &value);
    } else {
        failf(p, "no such part: %.*s", (int)part.size, part.data);
    }
    return borrowed_or_null(value);
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
