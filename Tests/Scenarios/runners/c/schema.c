/* The keys that a step may have, by `steps.schema`: a key that no player reads is a mistake of the scenario. */
#include "player.h"

#include <stdio.h>

static step *schema;

void schema_set(step *document) {
    schema = document;
}

static ctie_str text_at(step *list, size_t position) {
    ctie_str found = {"", 0};
    ctie_value_get_string(ctie_value_at(list, position), &found);
    return found;
}

/* Whether a list of keys has this one; `@name` in it stands for a group. */
static bool lists(step *keys, ctie_str key) {
    for (size_t i = 0; i < ctie_value_count(keys); i++) {
        ctie_str each = text_at(keys, i);
        if (each.size > 0 && each.data[0] == '@') {
            ctie_str group = {each.data + 1, each.size - 1};
            if (lists(ctie_value_get(ctie_value_get(schema, CTIE_STR("groups")), group), key)) { return true; }
        } else if (same_text(each, key)) {
            return true;
        }
    }
    return false;
}

static bool knows(const char *kind, ctie_str name, ctie_str key) {
    return lists(ctie_value_get(ctie_value_get(schema, ctie_str_from(kind)), name), key);
}

static void check_nested(player *p, ctie_str name, step *s);

/* An action, or a list of them; anything else is none, such as `true` for a capability. */
static void check_actions(player *p, step *data) {
    if (ctie_value_kind(data) == CTIE_KIND_LIST) {
        for (size_t i = 0; i < ctie_value_count(data); i++) { check_actions(p, ctie_value_at(data, i)); }
        return;
    }
    if (ctie_value_kind(data) != CTIE_KIND_MAP) { return; }
    ctie_str verb = text(p, data, "do", ""), key = {NULL, 0};
    const ctie_value *inner = NULL;
    for (size_t i = 0; ctie_value_entry_at(data, i, &key, &inner) == CTIE_OK; i++) {
        bool is_common = is(key, "do") || knows("groups", CTIE_STR("action"), key);
        if (!is_common && !knows("actions", verb, key)) {
            failf(p, "the action %.*s has no key %.*s", (int)verb.size, verb.data, (int)key.size, key.data);
        }
    }
    check_nested(p, verb, data);
}

static void check_part(player *p, const char *name, step *part) {
    ctie_str key = {NULL, 0};
    const ctie_value *inner = NULL;
    for (size_t i = 0; ctie_value_entry_at(part, i, &key, &inner) == CTIE_OK; i++) {
        if (!knows("parts", ctie_str_from(name), key)) { failf(p, "%s has no key %.*s", name, (int)key.size, key.data); }
    }
    check_nested(p, ctie_str_from(name), part);
}

/* The actions and parts that a step, an action or a part has. */
static void check_nested(player *p, ctie_str name, step *s) {
    static const char *const ACTIONS[] = {"handler", "interceptors", "then", "share", "oauth", "launch", "open_url",
                                          "open_activity"};
    for (size_t i = 0; i < sizeof ACTIONS / sizeof ACTIONS[0]; i++) {
        check_actions(p, ctie_value_get(s, ctie_str_from(ACTIONS[i])));
    }
    ctie_str key = {NULL, 0};
    const ctie_value *inner = NULL;
    for (size_t i = 0; ctie_value_entry_at(s, i, &key, &inner) == CTIE_OK; i++) {
        char part[128];
        snprintf(part, sizeof part, "%.*s.%.*s", (int)name.size, name.data, (int)key.size, key.data);
        if (!has(ctie_value_get(schema, CTIE_STR("parts")), part)) { continue; }
        if (ctie_value_kind(inner) != CTIE_KIND_LIST) { check_part(p, part, inner); }
        for (size_t each = 0; each < ctie_value_count(inner) && ctie_value_kind(inner) == CTIE_KIND_LIST; each++) {
            check_part(p, part, ctie_value_at(inner, each));
        }
    }
}

static void check_steps(player *p, step *steps) {
    for (size_t i = 0; i < ctie_value_count(steps); i++) { check_step(p, ctie_value_at(steps, i)); }
}

/* Each column is a key of one of the table's steps at least. */
static void check_columns(player *p, step *table) {
    step *columns = ctie_value_get(table, CTIE_STR("columns")), *steps = ctie_value_get(table, CTIE_STR("steps"));
    for (size_t i = 0; i < ctie_value_count(columns); i++) {
        ctie_str column = text_at(columns, i);
        bool known = false;
        for (size_t each = 0; each < ctie_value_count(steps); each++) {
            known |= knows("steps", text(p, ctie_value_at(steps, each), "do", ""), column);
        }
        if (!known) { failf(p, "no step of the table has the key %.*s", (int)column.size, column.data); }
    }
}

void check_step(player *p, step *s) {
    if (schema == NULL) { return; } /* another process's steps, which its parent has checked */
    ctie_str verb = text(p, s, "do", ""), key = {NULL, 0};
    const ctie_value *inner = NULL;
    for (size_t i = 0; ctie_value_entry_at(s, i, &key, &inner) == CTIE_OK; i++) {
        if (!is(key, "do") && !knows("steps", verb, key)) {
            failf(p, "%.*s has no key %.*s", (int)verb.size, verb.data, (int)key.size, key.data);
        }
    }
    check_nested(p, verb, s);
    check_steps(p, ctie_value_get(s, CTIE_STR("steps")));
    if (is(verb, "table")) { check_columns(p, s); }
}
