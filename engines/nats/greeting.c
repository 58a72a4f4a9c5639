#include "presence.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>

enum { GREETING_MOST = 1024 };

static bool read_text(const json_t *from, const char *key, char *out, size_t room) {
    const json_t *text = json_object_get(from, key);
    if (!json_is_string(text) || json_string_length(text) >= room) { return false; }
    memcpy(out, json_string_value(text), json_string_length(text) + 1);
    return true;
}

static bool read_object(const json_t *from, greeting *out) {
    json_int_t pid = json_integer_value(json_object_get(from, "pid"));
    json_int_t since = json_integer_value(json_object_get(from, "since"));
    json_int_t known = json_integer_value(json_object_get(from, "known"));
    if (!read_text(from, "type", out->type, sizeof out->type)) { return false; }
    if (!read_text(from, "member", out->who.id, sizeof out->who.id) || !members_is_id(out->who.id)) { return false; }
    if (!read_text(from, "name", out->who.name, sizeof out->who.name)) { return false; }
    if (pid < 1 || pid > INT32_MAX || since < 1) { return false; }
    out->who.pid = (int32_t)pid, out->who.since = since;
    read_text(from, "durable", out->durable, sizeof out->durable); /* else empty */
    out->known = known > 0 && known <= MEMBERS_MOST ? (size_t)known : 0;
    return true;
}

bool greeting_read(natsMsg *from, greeting *out) {
    int size = natsMsg_GetDataLength(from);
    memset(out, 0, sizeof *out);
    if (size < 2 || size > GREETING_MOST) { return false; }
    json_t *object = json_loadb(natsMsg_GetData(from), (size_t)size, 0, NULL);
    bool is_one = json_is_object(object) && read_object(object, out);
    json_decref(object);
    return is_one;
}

char *greeting_text(const engine *of, const char *type, size_t known, const char *durable) {
    json_t *object = json_pack("{s:s, s:s, s:s, s:i, s:I, s:I}", "type", type, "member", of->self.member, "name",
                               of->self.name, "pid", (int)of->self.pid, "since", (json_int_t)of->since, "known",
                               (json_int_t)known);
    if (durable != NULL) { json_object_set_new(object, "durable", json_string(durable)); }
    char *text = object != NULL ? json_dumps(object, JSON_COMPACT) : NULL;
    json_decref(object);
    return text;
}
