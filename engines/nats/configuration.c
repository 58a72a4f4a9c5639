#include "configuration.h"

#include <string.h>

#define TWO_MINUTES ((int64_t)120 * 1000000000)

/* ---- Configurations ------------------------------------------------------------------------------ */

static void limit(json_t *config, const char *key, uint64_t most) {
    json_object_set_new(config, key, json_integer(most > 0 && most <= INT64_MAX ? (json_int_t)most : -1));
}

static json_t *common_config(const engine *it, const char *name) {
    int64_t age = settings_max_age(it->settings);
    json_t *config = json_pack("{s:s, s:s, s:s, s:s, s:i, s:I, s:b}", "name", name, "retention", "limits",
                               "storage", "file", "discard", "old", "num_replicas",
                               (int)settings_replicas(it->settings), "max_age", (json_int_t)age, "allow_direct", 1);
    int64_t window = age > 0 && age < TWO_MINUTES ? age : TWO_MINUTES;
    json_object_set_new(config, "duplicate_window", json_integer(window));
    return config;
}

json_t *configuration_of_all(const engine *it, uint64_t first) {
    json_t *config = common_config(it, it->names.stream);
    json_object_set_new(config, "subjects", json_pack("[s]", it->names.messages));
    limit(config, "max_msgs", settings_max_messages(it->settings));
    limit(config, "max_bytes", settings_max_bytes(it->settings));
    if (first > 1) { json_object_set_new(config, "first_seq", json_integer((json_int_t)first)); }
    return config;
}

json_t *configuration_of_now(const engine *it) {
    json_t *config = common_config(it, it->names.now);
    json_object_set_new(config, "sources", json_pack("[{s:s}]", "name", it->names.stream));
    json_object_set_new(config, "max_msgs_per_subject", json_integer(1));
    return config;
}

/* ---- Checking ------------------------------------------------------------------------------------ */

static const char *foreign_in_all(const engine *it, const json_t *config) {
    const json_t *subjects = json_object_get(config, "subjects");
    const char *first = json_string_value(json_array_get(subjects, 0));
    if (json_array_size(subjects) != 1 || first == NULL || strcmp(first, it->names.messages) != 0) {
        return "it has other subjects";
    }
    if (json_array_size(json_object_get(config, "sources")) > 0 || json_is_object(json_object_get(config, "mirror"))) {
        return "it copies another stream";
    }
    return strcmp(api_text(config, "retention"), "limits") == 0 ? NULL : "its retention is not by limits";
}

static const char *foreign_in_now(const engine *it, const json_t *config) {
    const json_t *sources = json_object_get(config, "sources");
    const char *source = api_text(json_array_get(sources, 0), "name");
    if (json_array_size(sources) != 1 || strcmp(source, it->names.stream) != 0) { return "it copies other streams"; }
    if (json_array_size(json_object_get(config, "subjects")) > 0) { return "it has subjects of its own"; }
    return api_number(config, "max_msgs_per_subject") == 1 ? NULL : "it keeps several messages of a subject";
}

void configuration_compare(engine *it, const json_t *config) {
    uint64_t replicas = api_number(config, "num_replicas");
    if (replicas != settings_replicas(it->settings) && settings_has_replicas(it->settings)) {
        log_line(it, CTIE_LOG_INFO, "the group has %llu replicas on the server, as it was made",
                 (unsigned long long)replicas);
    }
    int64_t age = settings_max_age(it->settings);
    if (age > 0 && api_number(config, "max_age") != (uint64_t)age) {
        log_line(it, CTIE_LOG_INFO, "the group keeps messages for another time than max_age_ms, as it was made");
    }
}

ctie_status configuration_check(engine *it, const char *name, const json_t *info) {
    const json_t *config = json_object_get(info, "config");
    bool is_all = name == it->names.stream;
    const char *problem = is_all ? foreign_in_all(it, config) : foreign_in_now(it, config);
    if (problem == NULL) { return CTIE_OK; }
    return fail(it, CTIE_E_CONFLICT, "the server has a stream %s that is not of this group: %s", name, problem);
}

bool configuration_may_be_made(const json_t *answer) {
    /* A stream that is being made is known to the server by its subjects, or by name but without a store. */
    enum { NAME_IN_USE = 10058, SUBJECTS_OVERLAP = 10065, CREATE_FAILED = 10049 };
    int64_t error = api_error(answer);
    return error == NAME_IN_USE || error == SUBJECTS_OVERLAP || error == CREATE_FAILED;
}
