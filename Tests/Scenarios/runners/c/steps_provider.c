/* Providers: registering them, their order, and what they and their bus log. */
#include "player.h"

/* A provider's step, which its functions play. */
typedef struct offered {
    player *player;
    step *described;
} offered;

/* The name of the capability for requests of a kind. */
static ctie_str key_of(int32_t kind) {
    static const struct {
        int32_t kind;
        const char *key;
    } CAPABILITIES[] = {
        {CTIE_REQUEST_KIND_SHARE, "share"},   {CTIE_REQUEST_KIND_OAUTH, "oauth"},            {CTIE_REQUEST_KIND_LAUNCH, "launch"},
        {CTIE_REQUEST_KIND_OPEN, "open_url"}, {CTIE_REQUEST_KIND_ACTIVITY, "open_activity"},
    };
    for (size_t i = 0; i < sizeof CAPABILITIES / sizeof CAPABILITIES[0]; i++) {
        if (CAPABILITIES[i].kind == kind) { return ctie_str_from(CAPABILITIES[i].key); }
    }
    return (ctie_str){"", 0};
}

/* A provider's handler for requests of a kind; NULL if it has no such capability. */
static step *actions_at(step *described, int32_t kind) { return ctie_value_get(described, key_of(kind)); }

static int32_t kind_asked(player *p, ctie_request *request) {
    int32_t kind = -1;
    expect_ok(p, "kind", ctie_request_kind(request, &kind));
    return kind;
}

/* A provider that says no more than that it can replies its name; a sign-in's answer is a map. */
static void serve(ctie_request *request, void *user_data) {
    offered *own = user_data;
    player *p = own->player;
    int32_t kind = kind_asked(p, request);
    step *actions = actions_at(own->described, kind);
    if (ctie_value_kind(actions) != CTIE_KIND_BOOL) {
        act_each(handler_of(p, actions, (ctie_str){"", 0}), request, actions);
        return;
    }
    ctie_value *name = ctie_value_string(text(p, own->described, "name", ""));
    expect_ok(p, "reply", ctie_request_reply(request, kind == CTIE_REQUEST_KIND_OAUTH ? pair_map("by", name) : name));
}

/* The subject of a provider's decision: the URL, the web page of an activity, else the endpoint or the platform. */
static ctie_str asked_about(player *p, ctie_request *request) {
    ctie_str found = {"", 0};
    const ctie_value *activity = NULL;
    switch (kind_asked(p, request)) {
    case CTIE_REQUEST_KIND_OPEN: expect_ok(p, "url", ctie_request_url(request, CTIE_URL_WHOLE, &found)); break;
    case CTIE_REQUEST_KIND_ACTIVITY:
        expect_ok(p, "activity", ctie_request_arguments(request, &activity));
        ctie_value_get_string(ctie_value_get(activity, CTIE_STR("webpageURL")), &found);
        break;
    default: expect_ok(p, "target", ctie_request_target(request, &found));
    }
    return found;
}

static bool can(ctie_request *request, void *user_data) {
    offered *own = user_data;
    ctie_str_list listed = texts(own->player, own->described, "can");
    ctie_str about = asked_about(own->player, request);
    for (size_t i = 0; i < listed.count; i++) {
        if (same_text(listed.items[i], about)) { return true; }
    }
    return flag(own->described, "can", false);
}

static bool is_installed(void *user_data) {
    return flag(((offered *)user_data)->described, "installed", true);
}

static bool is_supported(void *user_data) {
    return flag(((offered *)user_data)->described, "supported", true);
}

/* A map from each endpoint to its kinds, or a list of endpoints alone. */
static const ctie_provider_endpoint *endpoints_of(player *p, step *s, size_t *count) {
    step *given = ctie_value_get(s, CTIE_STR("endpoints"));
    ctie_provider_endpoint *endpoints = keep_memory(p, sizeof *endpoints * (ctie_value_count(given) + 1));
    ctie_str_list names = texts(p, s, "endpoints");
    *count = ctie_value_count(given);
    for (size_t i = 0; i < *count; i++) {
        if (ctie_value_kind(given) == CTIE_KIND_LIST) {
            endpoints[i].endpoint = names.items[i];
            continue;
        }
        const ctie_value *kinds = NULL;
        ctie_value_entry_at(given, i, &endpoints[i].endpoint, &kinds);
        endpoints[i].kinds = texts(p, given, copy(p, endpoints[i].endpoint).data);
    }
    return endpoints;
}

static ctie_handler_fn capability(step *s, int32_t kind) {
    return actions_at(s, kind) == NULL ? NULL : serve;
}

/* Its own word about a capability: about all where the step does not say which. */
static ctie_provider_can_fn decision(player *p, step *s, int32_t kind) {
    ctie_str_list decided = texts(p, s, "decides");
    bool is_decided = !has(s, "decides");
    for (size_t i = 0; i < decided.count; i++) { is_decided |= same_text(decided.items[i], key_of(kind)); }
    return has(s, "can") && is_decided ? can : NULL;
}

static ctie_provider provider_of(player *p, step *s) {
    offered *own = keep_memory(p, sizeof *own);
    *own = (offered){p, s};
    ctie_provider provider = CTIE_PROVIDER_INIT;
    provider.name = text(p, s, "name", "");
    provider.flags = flag(s, "public", false) ? CTIE_PROVIDER_PUBLIC : 0;
    provider.share = capability(s, CTIE_REQUEST_KIND_SHARE);
    provider.endpoints = endpoints_of(p, s, &provider.endpoint_count);
    provider.platform = text(p, s, "platform", "");
    provider.oauth = capability(s, CTIE_REQUEST_KIND_OAUTH);
    provider.launch = capability(s, CTIE_REQUEST_KIND_LAUNCH);
    provider.app_id = text(p, s, "app_id", "");
    provider.open_url = capability(s, CTIE_REQUEST_KIND_OPEN);
    provider.universal_link = text(p, s, "universal_link", "");
    provider.open_activity = capability(s, CTIE_REQUEST_KIND_ACTIVITY);
    provider.can_share = decision(p, s, CTIE_REQUEST_KIND_SHARE);
    provider.can_oauth = decision(p, s, CTIE_REQUEST_KIND_OAUTH);
    provider.can_launch = decision(p, s, CTIE_REQUEST_KIND_LAUNCH);
    provider.can_open_url = decision(p, s, CTIE_REQUEST_KIND_OPEN);
    provider.can_open_activity = decision(p, s, CTIE_REQUEST_KIND_ACTIVITY);
    provider.is_installed = is_installed;
    provider.is_supported = is_supported;
    provider.user_data = own;
    return provider;
}

static size_t position_of(step *s) {
    return has(s, "position") ? (size_t)number(s, "position", 0) : CTIE_PROVIDER_LAST;
}

void step_provider(player *p, step *s) {
    ctie_provider provider = provider_of(p, s);
    ctie_registration *registration = NULL;
    ctie_error *error = NULL;
    ctie_status status =
        ctie_provider_add(bus_of(p, s), &provider, position_of(s), has(s, "as") ? &registration : NULL, &error);
    expect_registered(p, s, status, registration, error);
}

void step_set_providers(player *p, step *s) {
    step *list = ctie_value_get(s, CTIE_STR("providers"));
    size_t count = ctie_value_count(list);
    ctie_provider *providers = keep_memory(p, sizeof *providers * (count + 1));
    for (size_t i = 0; i < count; i++) { providers[i] = provider_of(p, ctie_value_at(list, i)); }
    ctie_error *error = NULL;
    ctie_status status = ctie_provider_set_all(bus_of(p, s), providers, count, &error);
    expect_status(p, s, status, error);
}

void step_move_provider(player *p, step *s) {
    ctie_error *error = NULL;
    ctie_status status = ctie_provider_move(bus_of(p, s), text(p, s, "name", ""), position_of(s), &error);
    expect_status(p, s, status, error);
}

void step_remove_provider(player *p, step *s) {
    ctie_error *error = NULL;
    ctie_status status = ctie_provider_remove(bus_of(p, s), text(p, s, "name", ""), &error);
    expect_status(p, s, status, error);
}

static ctie_value *names_of(player *p, const ctie_value *providers) {
    size_t count = ctie_value_count(providers);
    ctie_value **names = keep_memory(p, sizeof *names * (count + 1));
    for (size_t i = 0; i < count; i++) {
        names[i] = ctie_value_retain(ctie_value_get(ctie_value_at(providers, i), CTIE_STR("name")));
    }
    return ctie_value_list(names, count);
}

void step_providers(player *p, step *s) {
    ctie_value *found = NULL;
    if (!expect_status(p, s, ctie_provider_list(bus_of(p, s), &found), NULL)) { return; }
    ctie_value *names = names_of(p, found);
    if (has(s, "value")) { expect_value(p, "the providers", value(p, s, "value"), found); }
    if (has(s, "names")) { expect_value(p, "their names", value(p, s, "names"), names); }
    ctie_value_release(names);
    ctie_value_release(found);
}

/* ---- What is logged ------------------------------------------------------------------------------ */

static void note_logged(int32_t level, ctie_str message, void *user_data) {
    static const char *const LEVELS[] = {"debug", "info", "warning", "error"};
    ctie_pair pairs[] = {
        {CTIE_STR("level"), ctie_value_string(ctie_str_from(LEVELS[level]))},
        {CTIE_STR("message"), ctie_value_string(message)},
    };
    note_add(user_data, ctie_value_map(pairs, 2));
}

static void note_redirected(ctie_str message, ctie_str file, ctie_str function, int32_t line, void *user_data) {
    (void)file, (void)function, (void)line;
    note_add(user_data, pair_map("redirected", ctie_value_string(message)));
}

void step_log(player *p, step *s) {
    expect_status(p, s, ctie_bus_set_log(bus_of(p, s), CTIE_LOGGER(note_logged, p), NULL), NULL);
}

void step_provider_log(player *p, step *s) {
    ctie_status status =
        CTIE_PROVIDER_LOG(bus_of(p, s), text(p, s, "provider", ""), text(p, s, "text", ""));
    expect_status(p, s, status, NULL);
}

void step_redirect_log(player *p, step *s) {
    ctie_provider_logger_fn fn = flag(s, "off", false) ? NULL : note_redirected;
    expect_status(p, s, ctie_provider_set_log(bus_of(p, s), text(p, s, "provider", ""), CTIE_PROVIDER_LOGGER(fn, p), NULL),
                  NULL);
}
