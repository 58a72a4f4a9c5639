/* Rule tables. */
#include "player.h"

/* A map with other entries in the place of its own, and new ones after them; null takes one away. Both are taken. */
static ctie_value *changed(player *p, ctie_value *map, ctie_value *changes) {
    size_t own = ctie_value_count(map), all = own + ctie_value_count(changes), count = 0;
    ctie_pair *pairs = keep_memory(p, sizeof *pairs * (all + 1));
    for (size_t i = 0; i < all; i++) {
        ctie_pair *next = &pairs[count];
        const ctie_value *found = NULL;
        ctie_value_entry_at(i < own ? map : changes, i < own ? i : i - own, &next->key, &found);
        const ctie_value *change = ctie_value_get(changes, next->key);
        if (i >= own && ctie_value_get(map, next->key) != NULL) { continue; }
        if (change != NULL && ctie_value_kind(change) == CTIE_KIND_NULL) { continue; }
        next->value = ctie_value_retain(change != NULL ? change : found);
        count++;
    }
    ctie_value *result = ctie_value_map(pairs, count);
    ctie_value_release(changes);
    ctie_value_release(map);
    return result;
}

/* The list of rules with changes of its last one. */
static ctie_value *changed_rules(player *p, const ctie_value *rules, ctie_value *changes_taken) {
    size_t count = ctie_value_count(rules);
    ctie_value **items = keep_memory(p, sizeof *items * (count + 1));
    for (size_t i = 0; i < count; i++) { items[i] = ctie_value_retain(ctie_value_at(rules, i)); }
    if (count > 0) { items[count - 1] = changed(p, items[count - 1], changes_taken); }
    return ctie_value_list(items, count);
}

/* The document of a step, with what the step changes of it. */
static ctie_value *document_of(player *p, step *s) {
    ctie_value *document = value(p, s, "json");
    if (has(s, "change_rule")) {
        const ctie_value *rules = ctie_value_get(document, CTIE_STR("rules"));
        ctie_value *new_rules = changed_rules(p, rules, value(p, s, "change_rule"));
        document = changed(p, document, pair_map("rules", new_rules));
    }
    return has(s, "change") ? changed(p, document, value(p, s, "change")) : document;
}

/* The same as JSON; or the step's text as it is. */
static ctie_str json_of(player *p, step *s) {
    if (!has(s, "json")) { return text(p, s, "text", ""); }
    ctie_value *document = document_of(p, s), *json = NULL;
    ctie_str written = {"", 0};
    expect_ok(p, "the document as JSON", ctie_value_to_json(document, 0, &json, NULL));
    ctie_value_get_string(json, &written);
    written = copy(p, written);
    ctie_value_release(json);
    ctie_value_release(document);
    return written;
}

static ctie_rules_options rules_options(player *p, step *s) {
    ctie_rules_options options = CTIE_RULES_OPTIONS_INIT;
    options.flags |= flag(s, "rollback", false) ? CTIE_RULES_ROLLBACK : 0;
    options.platform = text(p, s, "platform", "");
    options.public_schemes = texts(p, s, "public_schemes");
    options.private_schemes = texts(p, s, "private_schemes");
    options.route_hosts = texts(p, s, "route_hosts");
    options.web_hosts = texts(p, s, "web_hosts");
    return options;
}

ctie_status rules_load(player *p, step *s, ctie_bus *bus, ctie_error **error) {
    ctie_rules_options options = rules_options(p, s);
    return ctie_rules_load(bus, json_of(p, s), &options, error);
}

void step_rules(player *p, step *s) {
    ctie_error *error = NULL;
    ctie_status status = rules_load(p, s, bus_of(p, s), &error);
    expect_status(p, s, status, error);
}

void step_unload_rules(player *p, step *s) {
    ctie_error *error = NULL;
    ctie_status status = ctie_rules_unload(bus_of(p, s), &error);
    expect_status(p, s, status, error);
}

void step_rule(player *p, step *s) {
    handler *h = handler_of(p, ctie_value_get(s, CTIE_STR("handler")), text(p, s, "id", ""));
    ctie_handler_options options = handler_options(p, s);
    ctie_registration *registration = NULL;
    ctie_error *error = NULL;
    ctie_status status = ctie_rules_handle(bus_of(p, s), h->otherwise, CTIE_HANDLER(handler_run, h), &options,
                                           has(s, "as") ? &registration : NULL, &error);
    expect_registered(p, s, status, registration, error);
}

void step_rules_document(player *p, step *s) {
    ctie_value *document = NULL;
    ctie_status status = ctie_rules_document(bus_of(p, s), &document);
    if (expect_status(p, s, status, NULL)) { expect_value(p, "document", value(p, s, "value"), document); }
    ctie_value_release(document);
}

void step_rules_convert(player *p, step *s) {
    ctie_rules_options options = rules_options(p, s);
    ctie_value *json = NULL, *document = NULL;
    ctie_str written = {"", 0};
    ctie_error *error = NULL;
    ctie_status status = ctie_rules_convert(json_of(p, s), &options, &json, &error);
    if (expect_status(p, s, status, error)) {
        expect_ok(p, "the document is a string", ctie_value_get_string(json, &written));
        expect_ok(p, "the document is JSON", ctie_value_from_json(written, &document, NULL));
        if (has(s, "value")) { expect_value(p, "document", value(p, s, "value"), document); }
        if (has(s, "first_rule")) {
            step *rules = ctie_value_get(document, CTIE_STR("rules"));
            expect_value(p, "first rule", value(p, s, "first_rule"), ctie_value_at(rules, 0));
        }
    }
    ctie_value_release(document);
    ctie_value_release(json);
}

void step_generate_rule(player *p, step *s) {
    ctie_value *params = has(s, "params") ? value(p, s, "params") : NULL, *url = NULL;
    uint32_t flags = flag(s, "web", false) ? CTIE_RULES_WEB : 0;
    flags |= flag(s, "private", false) ? CTIE_RULES_PRIVATE : 0;
    flags |= flag(s, "by_target", false) ? CTIE_RULES_BY_TARGET : 0;
    ctie_error *error = NULL;
    ctie_status status = ctie_rules_generate(bus_of(p, s), text(p, s, "name", ""), params, flags, &url, &error);
    expect_url(p, s, status, url, error);
    ctie_value_release(params);
}
