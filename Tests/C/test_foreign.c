/* Foreign values: a host's own objects through the C interface. */
#include "check.h"

#include <stdlib.h>

/* Packed, because one test puts it at an odd address. */
typedef struct __attribute__((packed)) {
    int references;
    ctie_value *content;
    ctie_status answer;
} object;

static void retain_object(void *pointer) { ((object *)pointer)->references++; }
static void release_object(void *pointer) { ((object *)pointer)->references--; }

static ctie_status materialize_object(void *pointer, ctie_value **out) {
    object *self = pointer;
    *out = ctie_value_retain(self->content);
    return self->answer;
}

static ctie_foreign_type describe(const char *tag) {
    ctie_foreign_type type = {CTIE_FOREIGN_TYPE_INIT};
    type.tag = ctie_str_from(tag);
    type.retain = retain_object;
    type.release = release_object;
    type.materialize = materialize_object;
    return type;
}

static ctie_foreign_id register_type(const ctie_foreign_type *type) {
    ctie_foreign_id id = 0;
    CHECK_STATUS(ctie_foreign_register(type, &id, NULL), CTIE_OK);
    return id;
}

static void types_register_once(void) {
    ctie_foreign_type type = describe("test.object");
    ctie_foreign_id id = register_type(&type);
    CHECK(id != 0 && register_type(&type) == id);
    type.materialize = NULL;
    ctie_foreign_id other = 0;
    ctie_error *error = NULL;
    CHECK_STATUS(ctie_foreign_register(&type, &other, &error), CTIE_E_CONFLICT);
    CHECK_STATUS(ctie_error_status(error), CTIE_E_CONFLICT);
    ctie_error_release(error);
    CHECK_STATUS(ctie_foreign_register(NULL, &other, NULL), CTIE_E_INVALID);
    CHECK_STATUS(ctie_foreign_register(&type, NULL, NULL), CTIE_E_INVALID);
    type.size -= 1;
    CHECK_STATUS(ctie_foreign_register(&type, &other, NULL), CTIE_E_INVALID);
    static const char *const bad_tags[] = {"", "1a", "a b", "\xC3\xA4"};
    for (size_t i = 0; i < sizeof bad_tags / sizeof *bad_tags; i++) {
        type = describe(bad_tags[i]);
        CHECK_STATUS(ctie_foreign_register(&type, &other, NULL), CTIE_E_IDENTIFIER);
    }
    type = describe("no_retain");
    type.retain = NULL;
    CHECK_STATUS(ctie_foreign_register(&type, &other, NULL), CTIE_E_INVALID);
    CHECK(other == 0);
}

/* An odd address does not fit in the value's word, and takes the other representation. */
static void objects_cross_untouched(size_t misalignment) {
    ctie_foreign_type type = describe("test.object"), second = describe("test.other");
    ctie_foreign_id id = register_type(&type), other = register_type(&second);
    char memory[sizeof(object) + 16];
    size_t past = (uintptr_t)memory % 8;
    object *self = (object *)(void *)(memory + (8 - past) + misalignment);
    object start = {0, NULL, CTIE_OK};
    memcpy(self, &start, sizeof start);
    ctie_value *value = ctie_value_foreign(id, self);
    CHECK(ctie_value_kind(value) == CTIE_KIND_FOREIGN && self->references == 1);
    void *back = NULL;
    CHECK(ctie_value_foreign_object(value, id, &back) == CTIE_OK && back == self);
    CHECK_STATUS(ctie_value_foreign_object(value, other, &back), CTIE_E_TYPE);
    CHECK_STATUS(ctie_value_foreign_object(ctie_value_int(1), id, &back), CTIE_E_TYPE);
    CHECK_STATUS(ctie_value_foreign_object(NULL, id, &back), CTIE_E_INVALID);
    ctie_str tag;
    CHECK(ctie_value_foreign_tag(value, &tag) == CTIE_OK && text_is(tag, "test.object"));
    CHECK_STATUS(ctie_value_foreign_tag(ctie_value_null(), &tag), CTIE_E_TYPE);
    int64_t number;
    CHECK_STATUS(ctie_value_get_int(value, &number), CTIE_E_TYPE);
    ctie_value *same = ctie_value_foreign(id, self), *unlike = ctie_value_foreign(other, self);
    CHECK(ctie_value_equal(value, same) && !ctie_value_equal(value, unlike));
    ctie_value_release(same);
    ctie_value_release(unlike);
    ctie_value *list = ctie_value_list(&value, 1);
    CHECK(self->references > 0);
    ctie_value_release(list);
    CHECK(self->references == 0);
}

static void bad_foreign_values_are_refused(void) {
    object self = {0, NULL, CTIE_OK};
    CHECK(ctie_value_foreign(0, &self) == NULL);
    CHECK(ctie_value_foreign(CTIE_FOREIGN_MAX_TYPES + 1, &self) == NULL);
    CHECK(ctie_value_foreign(UINT32_MAX, &self) == NULL);
    ctie_foreign_type type = describe("test.object");
    CHECK(ctie_value_foreign(register_type(&type), NULL) == NULL);
    CHECK(self.references == 0);
}

/* {"user": {"avatar": <self>, "id": 1}} */
static ctie_value *nested(ctie_foreign_id id, object *self) {
    ctie_pair inner[] = {{CTIE_STR("avatar"), ctie_value_foreign(id, self)}, {CTIE_STR("id"), ctie_value_int(1)}};
    ctie_pair outer[] = {{CTIE_STR("user"), ctie_value_map(inner, 2)}};
    return ctie_value_map(outer, 1);
}

static void foreign_values_materialize(void) {
    ctie_foreign_type type = describe("test.object");
    ctie_foreign_id id = register_type(&type);
    object inner = {0, ctie_value_string(CTIE_STR("png")), CTIE_OK};
    ctie_value *of_inner = ctie_value_foreign(id, &inner);
    object self = {0, ctie_value_list(&of_inner, 1), CTIE_OK};
    ctie_value *value = nested(id, &self), *plain = NULL, *text = NULL;
    ctie_error *error = NULL;
    CHECK_STATUS(ctie_value_materialize(value, &plain, &error), CTIE_OK);
    ctie_str json = {NULL, 0};
    CHECK_STATUS(ctie_value_to_json(value, 0, &text, NULL), CTIE_OK);
    CHECK(ctie_value_get_string(text, &json) == CTIE_OK &&
          text_is(json, "{\"user\":{\"avatar\":[\"png\"],\"id\":1}}"));
    ctie_value *again = NULL;
    CHECK_STATUS(ctie_value_materialize(plain, &again, NULL), CTIE_OK);
    CHECK(again == plain);
    ctie_value_release(again);
    CHECK_STATUS(ctie_value_materialize(NULL, &again, NULL), CTIE_E_INVALID);
    CHECK_STATUS(ctie_value_materialize(value, NULL, NULL), CTIE_E_INVALID);
    ctie_value_release(again);
    ctie_value_release(plain);
    ctie_value_release(text);
    ctie_value_release(value);
    ctie_value_release(self.content);
    ctie_value_release(inner.content);
    CHECK(self.references == 0 && inner.references == 0);
}

/* Whatever its position in the value, and whatever follows it. */
static void one_object_among_many_materializes(void) {
    ctie_foreign_type type = describe("test.object");
    object self = {0, ctie_value_int(7), CTIE_OK};
    ctie_value *object_list = ctie_value_foreign(register_type(&type), &self), *number = ctie_value_int(1);
    ctie_value *items[] = {ctie_value_list(&object_list, 1), ctie_value_list(&number, 1), ctie_value_int(2)};
    ctie_value *list = ctie_value_list(items, 3), *text = NULL, *plain = NULL;
    ctie_str json = {NULL, 0};
    CHECK_STATUS(ctie_value_materialize(list, &plain, NULL), CTIE_OK);
    CHECK(plain != list && ctie_value_kind(ctie_value_at(ctie_value_at(plain, 0), 0)) == CTIE_KIND_INT);
    CHECK_STATUS(ctie_value_to_json(list, 0, &text, NULL), CTIE_OK);
    CHECK(ctie_value_get_string(text, &json) == CTIE_OK && text_is(json, "[[7],[1],2]"));
    ctie_value_release(text);
    ctie_value_release(plain);
    ctie_value_release(list);
    CHECK(self.references == 0);
}

static void failing_hooks_are_reported_with_the_path(void) {
    ctie_foreign_type type = describe("test.object");
    ctie_foreign_id id = register_type(&type);
    object self = {0, NULL, CTIE_E_HANDLER};
    ctie_value *value = nested(id, &self), *out = NULL;
    ctie_error *error = NULL;
    CHECK_STATUS(ctie_value_materialize(value, &out, &error), CTIE_E_FOREIGN);
    CHECK(text_is(ctie_error_location(error), "$.user.avatar"));
    ctie_error_release(error);
    CHECK_STATUS(ctie_value_to_msgpack(value, &out, &error), CTIE_E_FOREIGN);
    CHECK(text_is(ctie_error_location(error), "$.user.avatar"));
    ctie_error_release(error);
    CHECK_STATUS(ctie_value_to_json(value, 0, &out, NULL), CTIE_E_FOREIGN);
    self.answer = CTIE_OK;
    CHECK_STATUS(ctie_value_materialize(value, &out, NULL), CTIE_E_FOREIGN);
    self.content = ctie_value_string(CTIE_STR("the pixels were freed"));
    static const struct {
        ctie_status answer, status;
    } ANSWERS[] = {{CTIE_E_HANDLER, CTIE_E_FOREIGN}, {CTIE_E_FOREIGN, CTIE_E_FOREIGN}, {CTIE_E_UTF8, CTIE_E_UTF8},
                   {CTIE_E_LIMIT, CTIE_E_LIMIT},     {CTIE_PENDING, CTIE_E_FOREIGN},   {-4711, CTIE_E_FOREIGN}};
    for (size_t i = 0; i < sizeof ANSWERS / sizeof *ANSWERS; i++) {
        self.answer = ANSWERS[i].answer;
        CHECK_STATUS(ctie_value_materialize(value, &out, &error), ANSWERS[i].status);
        CHECK(text_is(ctie_error_message(error),
                      "a foreign value of type test.object has no plain form: the pixels were freed"));
        CHECK(text_is(ctie_error_location(error), "$.user.avatar"));
        ctie_error_release(error);
    }
    self.answer = CTIE_OK;
    ctie_value_release(self.content);
    ctie_value *endless = ctie_value_foreign(id, &self);
    self.content = endless;
    CHECK_STATUS(ctie_value_materialize(value, &out, NULL), CTIE_E_LIMIT);
    CHECK(out == NULL);
    ctie_value_release(endless);
    self.content = ctie_value_int(1); /* what it shows beside a failure is not looked at */
    self.answer = CTIE_E_HANDLER;
    CHECK_STATUS(ctie_value_materialize(value, &out, NULL), CTIE_E_FOREIGN);
    CHECK(out == NULL);
    ctie_value_release(value);
    CHECK(self.references == 0);

    ctie_foreign_type opaque = describe("test.opaque");
    opaque.materialize = NULL;
    value = ctie_value_foreign(register_type(&opaque), &self);
    CHECK_STATUS(ctie_value_to_json(value, 0, &out, NULL), CTIE_E_FOREIGN);
    ctie_value_release(value);
}

/* ---- Through a request --------------------------------------------------------------------------- */

typedef struct passage {
    ctie_foreign_id id;
    object *answer;
} passage;

static void look_at_both_forms(ctie_request *request, void *user_data) {
    passage *own = user_data;
    const ctie_value *raw = NULL, *plain = NULL;
    void *back = NULL;
    CHECK_STATUS(ctie_request_raw_user_info(request, &raw), CTIE_OK);
    CHECK(ctie_value_foreign_object(raw, own->id, &back) == CTIE_OK);
    CHECK_STATUS(ctie_request_user_info(request, &plain), CTIE_OK);
    CHECK(ctie_value_kind(plain) == CTIE_KIND_MAP);
    CHECK_STATUS(ctie_request_reply(request, ctie_value_foreign(own->id, own->answer)), CTIE_OK);
}

static void requests_show_both_forms(void) {
    ctie_foreign_type type = describe("test.object");
    object info = {0, ctie_value_map(NULL, 0), CTIE_OK}, answer = {0, ctie_value_int(7), CTIE_OK};
    passage own = {register_type(&type), &answer};
    ctie_bus *bus = NULL;
    CHECK_STATUS(ctie_bus_new(NULL, &bus, NULL), CTIE_OK);
    CHECK_STATUS(ctie_route_add(bus, CTIE_STR("app://a"), CTIE_HANDLER(look_at_both_forms, &own), NULL, NULL, NULL),
                 CTIE_OK);
    ctie_value *given = ctie_value_foreign(own.id, &info);
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    options.user_info = given;
    ctie_response *response = NULL;
    CHECK_STATUS(ctie_open(bus, CTIE_STR("app://a"), CTIE_ORIGIN_LOCAL, &options, &response, NULL), CTIE_OK);
    ctie_value_release(given);
    void *back = NULL;
    int64_t number = 0;
    CHECK_STATUS(ctie_value_foreign_object(ctie_response_raw_value(response), own.id, &back), CTIE_OK);
    CHECK(back == &answer);
    CHECK(ctie_value_get_int(ctie_response_value(response), &number) == CTIE_OK && number == 7);
    CHECK(ctie_response_value(response) == ctie_response_value(response));
    CHECK_STATUS(ctie_response_release(response), CTIE_OK);
    CHECK(info.references == 0 && answer.references == 0);
    CHECK(ctie_response_raw_value(response) == NULL);
    CHECK_STATUS(ctie_request_raw_user_info(NULL, NULL), CTIE_E_INVALID);
    CHECK_STATUS(ctie_bus_release(bus), CTIE_OK);
    ctie_value_release(info.content);
}

/* They are numbered from 1 on. */
static void types_are_bounded(void) {
    char tag[16];
    ctie_foreign_id id = 0, last = 0;
    ctie_status status = CTIE_OK;
    for (int i = 0; status == CTIE_OK && i <= CTIE_FOREIGN_MAX_TYPES; i++) {
        snprintf(tag, sizeof tag, "t%d", i);
        ctie_foreign_type type = describe(tag);
        status = ctie_foreign_register(&type, &id, NULL);
        if (status == CTIE_OK) { last = id; }
    }
    CHECK_STATUS(status, CTIE_E_LIMIT);
    CHECK(last == CTIE_FOREIGN_MAX_TYPES);
    ctie_foreign_type known = describe("t0");
    CHECK_STATUS(ctie_foreign_register(&known, &id, NULL), CTIE_OK);
}

int main(void) {
    types_register_once();
    objects_cross_untouched(0);
    objects_cross_untouched(4);
    bad_foreign_values_are_refused();
    foreign_values_materialize();
    one_object_among_many_materializes();
    failing_hooks_are_reported_with_the_path();
    requests_show_both_forms();
    types_are_bounded();
    return check_end();
}
