/* Several messages that are sent one after another, where one step cannot be. */
#include "engine_listening.h"

enum { COUNT = 6 };

static const ctie_header NAMED = {{"n", 1}, {"1", 1}};

static ctie_wormhole *open_without_steps(engine_memory *it, const char *group) {
    *it = (engine_memory){.abilities = CTIE_ENGINE_TOKENS | CTIE_ENGINE_SCHEDULES | CTIE_ENGINE_EXACT_MISSED};
    return open_engine(it, group, "sender");
}

/* Values 0 to COUNT - 1 of `a`, but a signal in the place 2. */
static ctie_status send_some(ctie_wormhole *wormhole, const ctie_send_options *options, uint64_t *sequence,
                             ctie_error **error) {
    ctie_outgoing messages[COUNT];
    for (int i = 0; i < COUNT; i++) {
        messages[i] = (ctie_outgoing){CTIE_STR("a"), i == 2 ? NULL : ctie_value_int(i)};
    }
    return ctie_wormhole_send_many(wormhole, messages, COUNT, options, sequence, error);
}

static ctie_send_options one_after_another(const char *token) {
    ctie_send_options options = CTIE_SEND_OPTIONS_INIT;
    options.flags = CTIE_SEND_NOT_ATOMIC;
    if (token != NULL) { options.token = (ctie_bytes){token, CTIE_TRANSPORT_TOKEN_SIZE}; }
    return options;
}

/* Each message is in the group's log, once and in order. */
static void check_log(const engine_memory *it, size_t count) {
    CHECK(it->group->count == count);
    for (size_t i = 0; i < count && i < it->group->count; i++) {
        const em_record *each = it->group->log[i];
        CHECK(each->sequence == i + 1);
        CHECK(each->kind == (i == 2 ? CTIE_MESSAGE_SIGNAL : CTIE_MESSAGE_VALUE));
        CHECK(i == 2 || (each->value_size == 1 && each->value[0] == i));
    }
}

static void check_location(ctie_error *error, const char *expected) {
    CHECK(text_is(ctie_error_location(error), expected));
    ctie_error_release(error);
}

static void it_must_be_asked_for(void) {
    engine_memory one;
    ctie_wormhole *wormhole = open_without_steps(&one, "asked");
    ctie_error *error = NULL;
    uint64_t sequence = 9;
    uint32_t bits = 0;
    CHECK_STATUS(ctie_wormhole_abilities(wormhole, &bits, NULL), CTIE_OK);
    CHECK((bits & CTIE_ENGINE_BATCHES) != 0 && (bits & CTIE_ENGINE_ATOMIC_BATCHES) == 0);
    CHECK_STATUS(send_some(wormhole, NULL, &sequence, &error), CTIE_E_UNSUPPORTED);
    CHECK(strstr(ctie_error_message(error).data, "CTIE_SEND_NOT_ATOMIC") != NULL);
    ctie_error_release(error);
    CHECK(sequence == 9 && one.sends == 0 && one.sends_each == 0);
    ctie_send_options options = one_after_another(NULL);
    options.headers = &NAMED, options.header_count = 1;
    CHECK_STATUS(send_some(wormhole, &options, &sequence, NULL), CTIE_OK);
    CHECK(sequence == 1 && one.sends == 0 && one.sends_each == 1);
    check_log(&one, COUNT);
    for (size_t i = 0; i < COUNT; i++) { CHECK(one.group->log[i]->header_count == 1); }
    ctie_outgoing single = {CTIE_STR("a"), ctie_value_int(COUNT)};
    CHECK_STATUS(ctie_wormhole_send_many(wormhole, &single, 1, &options, &sequence, NULL), CTIE_OK);
    CHECK(sequence == COUNT + 1 && one.sends == 1 && one.sends_each == 1);
    close_engine(wormhole, &one);
}

/* An engine that can do it in one step does. */
static void one_step_is_preferred(void) {
    engine_memory one = {0};
    ctie_wormhole *wormhole = open_engine(&one, "preferred", "sender");
    ctie_send_options options = one_after_another(NULL);
    CHECK_STATUS(send_some(wormhole, &options, NULL, NULL), CTIE_OK);
    CHECK(one.sends == 1 && one.sends_each == 0);
    check_log(&one, COUNT);
    close_engine(wormhole, &one);
}

static void a_failure_has_its_place(void) {
    engine_memory one;
    ctie_wormhole *wormhole = open_without_steps(&one, "failure");
    ctie_send_options options = one_after_another("0123456789abcdef");
    ctie_error *error = NULL;
    uint64_t sequence = 9;
    one.failure = CTIE_E_NO_SPACE;
    one.fails_at = 4;
    CHECK_STATUS(send_some(wormhole, &options, &sequence, &error), CTIE_E_NO_SPACE);
    check_location(error, "messages[4]");
    CHECK(sequence == 9);
    check_log(&one, 4);
    /* With the same token what is missing is sent, and nothing twice. */
    for (int i = 0; i < 2; i++) {
        CHECK_STATUS(send_some(wormhole, &options, &sequence, NULL), CTIE_OK);
        CHECK(sequence == 1);
        check_log(&one, COUNT);
    }
    CHECK(one.sends_each == 3);
    close_engine(wormhole, &one);
}

/* The library repeats it with a token of its own. */
static void an_uncertain_one_is_repeated(void) {
    engine_memory one;
    ctie_wormhole *wormhole = open_without_steps(&one, "uncertain");
    ctie_send_options options = one_after_another(NULL);
    uint64_t sequence = 0;
    one.failure = CTIE_E_UNCERTAIN;
    one.fails_at = 3;
    CHECK_STATUS(send_some(wormhole, &options, &sequence, NULL), CTIE_OK);
    CHECK(sequence == 1 && one.sends_each == 2);
    check_log(&one, COUNT);
    close_engine(wormhole, &one);
}

static void an_engine_may_lack_it(void) {
    engine_memory one = {.abilities = CTIE_ENGINE_TOKENS};
    ctie_engine engine = ENGINE_MEMORY;
    ctie_wormhole_options opening = CTIE_WORMHOLE_OPTIONS_INIT;
    ctie_wormhole *wormhole = NULL;
    ctie_error *error = NULL;
    uint32_t bits = 0;
    engine.send_each = NULL;
    opening.engine = &engine, opening.engine_data = &one;
    CHECK_STATUS(ctie_wormhole_open(CTIE_STR("lacking"), &opening, &wormhole, NULL), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_abilities(wormhole, &bits, NULL), CTIE_OK);
    CHECK((bits & CTIE_ENGINE_BATCHES) == 0);
    ctie_send_options options = one_after_another(NULL);
    CHECK_STATUS(send_some(wormhole, &options, NULL, &error), CTIE_E_UNSUPPORTED);
    CHECK(strstr(ctie_error_message(error).data, "several messages") != NULL);
    ctie_error_release(error);
    CHECK(one.sends == 0);
    close_engine(wormhole, &one);
}

static void delayed_ones_wait(void) {
    engine_memory one;
    ctie_wormhole *wormhole = open_without_steps(&one, "delayed");
    ctie_send_options options = one_after_another(NULL);
    ctie_value *list = NULL;
    options.delay_ms = 3600000;
    CHECK_STATUS(send_some(wormhole, &options, NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_scheduled(wormhole, CTIE_STR("a"), &list, NULL), CTIE_OK);
    CHECK(ctie_value_count(list) == COUNT && one.group->count == 0);
    ctie_value_release(list);
    close_engine(wormhole, &one);
}

/* ---- In a directory -------------------------------------------------------------------------------- */

static void a_local_group_sends_in_one_step(void) {
    ctie_wormhole *wormhole = open_group();
    ctie_send_options options = one_after_another("fedcba9876543210");
    ctie_error *error = NULL;
    uint64_t sequence = 0;
    options.headers = &NAMED, options.header_count = 1;
    for (int i = 0; i < 2; i++) { /* the second time its token is known */
        CHECK_STATUS(send_some(wormhole, &options, &sequence, NULL), CTIE_OK);
        CHECK(sequence == 1);
    }
    ctie_message *message = NULL;
    CHECK_STATUS(ctie_wormhole_message(wormhole, CTIE_STR("a"), &message, NULL), CTIE_OK);
    CHECK(int_of(message) == COUNT - 1 && ctie_message_sequence(message) == COUNT);
    CHECK(text_is(ctie_message_header(message, CTIE_STR("n")), "1"));
    ctie_message_release(message);
    ctie_outgoing malformed[] = {{CTIE_STR("b"), ctie_value_int(1)}, {CTIE_STR("not one"), NULL}};
    options.token = (ctie_bytes){0};
    CHECK_STATUS(ctie_wormhole_send_many(wormhole, malformed, 2, &options, NULL, &error), CTIE_E_IDENTIFIER);
    check_location(error, "messages[1]");
    CHECK_STATUS(ctie_wormhole_message(wormhole, CTIE_STR("b"), &message, NULL), CTIE_E_NOT_FOUND);
    for (uint32_t flag = 1; flag != 0; flag <<= 1) {
        options.flags = flag;
        bool is_known = flag == CTIE_SEND_NOW || flag == CTIE_SEND_LASTING || flag == CTIE_SEND_NOT_ATOMIC;
        CHECK_STATUS(send_some(wormhole, &options, NULL, NULL), is_known ? CTIE_OK : CTIE_E_INVALID);
    }
    options.flags = CTIE_SEND_NOT_ATOMIC; /* of one message it says nothing */
    CHECK_STATUS(ctie_wormhole_send(wormhole, CTIE_STR("b"), ctie_value_int(1), &options, NULL, NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
}

int main(void) {
    it_must_be_asked_for();
    one_step_is_preferred();
    a_failure_has_its_place();
    an_uncertain_one_is_repeated();
    an_engine_may_lack_it();
    delayed_ones_wait();
    name_directory();
    a_local_group_sends_in_one_step();
    remove_directory();
    em_free_groups();
    return check_end();
}
