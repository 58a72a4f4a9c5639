/* Components: ownership, lifetime, and limits. */
#include "components.h"

#include <stdlib.h>

static ctie_bus *bus;

static void new_bus(void) {
    CHECK_STATUS(ctie_bus_new(NULL, &bus, NULL), CTIE_OK);
}

static void close_bus(void) {
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

static ctie_status add_with(const char *name, const ctie_component_options *options, latch *destroyed,
                            ctie_registration **out) {
    ctie_action action = action_of("go", reply_null, NULL, 0);
    return ctie_component_add(bus, ctie_str_from(name), (ctie_action_list){&action, 1},
                              CTIE_INSTANCE_OWNED(destroyed, latch_destroy), options, out, NULL);
}

/* ---- What a component is destroyed by ------------------------------------------------------------ */

static void a_component_is_destroyed_once_however_it_goes(void) {
    latch destroyed = LATCH_INIT;
    ctie_component_options replacing = CTIE_COMPONENT_OPTIONS_INIT;
    replacing.flags = CTIE_COMPONENT_REPLACE;
    ctie_registration *registration = NULL;
    new_bus();
    CHECK_STATUS(add_with("a", NULL, &destroyed, &registration), CTIE_OK);
    CHECK_STATUS(ctie_registration_release(registration), CTIE_OK);
    CHECK(latch_count(&destroyed) == 1);
    CHECK_STATUS(add_with("a", NULL, &destroyed, NULL), CTIE_OK);
    CHECK_STATUS(ctie_component_remove(bus, CTIE_STR("a"), NULL), CTIE_OK);
    CHECK(latch_count(&destroyed) == 2);
    CHECK_STATUS(add_with("a", NULL, &destroyed, &registration), CTIE_OK);
    CHECK_STATUS(add_with("a", &replacing, &destroyed, NULL), CTIE_OK);
    CHECK(latch_count(&destroyed) == 3);
    CHECK_STATUS(ctie_registration_release(registration), CTIE_E_HANDLE);
    CHECK_STATUS(call_now(bus, "a", "go"), CTIE_OK);
    CHECK_STATUS(ctie_component_remove_instance(bus, &destroyed, NULL), CTIE_OK);
    CHECK(latch_count(&destroyed) == 4);
    replacing.type = CTIE_STR("Type");
    CHECK_STATUS(add_with("a", &replacing, &destroyed, NULL), CTIE_OK);
    CHECK_STATUS(ctie_component_remove_type(bus, CTIE_STR("Type"), NULL), CTIE_OK);
    CHECK(latch_count(&destroyed) == 5);
    CHECK_STATUS(add_with("a", NULL, &destroyed, &registration), CTIE_OK);
    close_bus();
    CHECK(latch_count(&destroyed) == 6);
    CHECK_STATUS(ctie_registration_release(registration), CTIE_E_HANDLE);
}

static void refused_callbacks_are_destroyed_once(void) {
    latch destroyed = LATCH_INIT;
    ctie_action twice[2] = {action_of("go", reply_null, NULL, 0), action_of("go", reply_null, NULL, 0)};
    ctie_handler interceptor = {reply_null, &destroyed, latch_destroy};
    ctie_component_options options = CTIE_COMPONENT_OPTIONS_INIT;
    options.interceptors = &interceptor;
    options.interceptor_count = 1;
    new_bus();
    CHECK_STATUS(add_with("1", &options, &destroyed, NULL), CTIE_E_IDENTIFIER);
    CHECK(latch_count(&destroyed) == 2);
    CHECK_STATUS(ctie_component_add(bus, CTIE_STR("a"), CTIE_ACTIONS(twice),
                                    CTIE_INSTANCE_OWNED(&destroyed, latch_destroy), &options, NULL, NULL),
                 CTIE_E_CONFLICT);
    CHECK(latch_count(&destroyed) == 4);
    CHECK_STATUS(ctie_component_add(NULL, CTIE_STR("a"), (ctie_action_list){twice, 1},
                                    CTIE_INSTANCE_OWNED(&destroyed, latch_destroy), &options, NULL, NULL),
                 CTIE_E_HANDLE);
    CHECK(latch_count(&destroyed) == 6);
    struct { ctie_component_options known; size_t appended; } newer = {options, 1};
    newer.known.size = sizeof newer;
    CHECK_STATUS(add_with("a", &newer.known, &destroyed, NULL), CTIE_E_ABI);
    CHECK(latch_count(&destroyed) == 8);
    // Options that are too short to have an interceptor: only the instance is destroyed.
    options.size = 1;
    CHECK_STATUS(add_with("a", &options, &destroyed, NULL), CTIE_E_INVALID);
    CHECK(latch_count(&destroyed) == 9);
    CHECK_STATUS(call_now(bus, "a", "go"), CTIE_E_NO_COMPONENT);
    close_bus();
    CHECK(latch_count(&destroyed) == 9);
}

/* ---- Whose data an action gets -------------------------------------------------------------------- */

static void *seen;

static void see(ctie_request *request, void *user_data) {
    seen = user_data;
    reply_null(request, NULL);
}

static int instance, ended;

static void *make_instance(void *user_data) {
    latch_add(user_data);
    return &instance;
}

static void *make_nothing(void *user_data) {
    latch_add(user_data);
    return NULL;
}

static void end_instance(void *object) {
    CHECK(object == &instance);
    ended++;
}

static void an_action_gets_its_own_data_else_the_instance_else_the_components(void) {
    latch made = LATCH_INIT;
    int own = 0, data = 0;
    ctie_action two[2] = {action_of("own", see, &own, 0), action_of("none", see, NULL, 0)};
    ctie_component_options options = CTIE_COMPONENT_OPTIONS_INIT;
    new_bus();
    CHECK_STATUS(ctie_component_add(bus, CTIE_STR("a"), CTIE_ACTIONS(two), CTIE_INSTANCE(&data), NULL, NULL,
                                    NULL), CTIE_OK);
    CHECK_STATUS(ctie_component_add(bus, CTIE_STR("b"), CTIE_ACTIONS(two), CTIE_FACTORY(make_instance, &made), &options,
                                    NULL, NULL), CTIE_OK);
    CHECK(call_now(bus, "a", "own") == CTIE_OK && seen == &own);
    CHECK(call_now(bus, "a", "none") == CTIE_OK && seen == &data);
    CHECK(call_now(bus, "b", "own") == CTIE_OK && seen == &own);
    CHECK(call_now(bus, "b", "none") == CTIE_OK && seen == &instance);
    CHECK_STATUS(ctie_component_remove_instance(bus, &made, NULL), CTIE_E_NO_COMPONENT);
    CHECK_STATUS(ctie_component_remove_instance(bus, NULL, NULL), CTIE_E_INVALID);
    CHECK_STATUS(ctie_component_remove_instance(bus, &instance, NULL), CTIE_OK);
    CHECK_STATUS(call_now(bus, "b", "none"), CTIE_E_NO_COMPONENT);
    CHECK_STATUS(call_now(bus, "a", "none"), CTIE_OK);
    close_bus();
}

static void an_instance_is_ended_before_its_component_is_destroyed(void) {
    latch made = LATCH_INIT;
    ctie_action action = action_of("go", reply_null, NULL, 0);
    ended = 0;
    new_bus();
    CHECK_STATUS(ctie_component_add(bus, CTIE_STR("a"), (ctie_action_list){&action, 1}, (ctie_factory){make_instance, &made, NULL, end_instance}, NULL,
                                    NULL, NULL), CTIE_OK);
    CHECK(latch_count(&made) == 1 && ended == 0);
    CHECK_STATUS(ctie_component_remove(bus, CTIE_STR("a"), NULL), CTIE_OK);
    CHECK(ended == 1);
    CHECK_STATUS(ctie_component_add(bus, CTIE_STR("a"), (ctie_action_list){&action, 1}, (ctie_factory){make_instance, &made, NULL, end_instance}, NULL,
                                    NULL, NULL), CTIE_OK);
    close_bus();
    CHECK(latch_count(&made) == 2 && ended == 2);
}

static void an_instance_never_made_is_never_ended(void) {
    latch made = LATCH_INIT;
    ctie_component_options lazy = CTIE_COMPONENT_OPTIONS_INIT;
    ctie_action action = action_of("go", reply_null, NULL, 0);
    lazy.flags = CTIE_COMPONENT_LAZY;
    ended = 0;
    new_bus();
    CHECK_STATUS(ctie_component_add(bus, CTIE_STR("a"), (ctie_action_list){&action, 1}, (ctie_factory){make_instance, &made, NULL, end_instance}, &lazy,
                                    NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_component_remove(bus, CTIE_STR("a"), NULL), CTIE_OK);
    CHECK(latch_count(&made) == 0 && ended == 0);
    CHECK_STATUS(ctie_component_add(bus, CTIE_STR("a"), (ctie_action_list){&action, 1},
                                    (ctie_factory){make_nothing, &made, latch_destroy, end_instance}, NULL, NULL, NULL),
                 CTIE_E_NOT_COMPONENT);
    CHECK(latch_count(&made) == 2 && ended == 0);
    close_bus();
}

/* ---- Lazy components and several callers ----------------------------------------------------------- */

static void *make_slowly(void *user_data) {
    turnstile *own = user_data;
    latch_add(&own->waiting);
    latch_wait(&own->opened, 1);
    return &instance;
}

static void all_callers_wait_for_the_one_that_makes(void) {
    turnstile making = TURNSTILE_INIT;
    ctie_component_options options = CTIE_COMPONENT_OPTIONS_INIT;
    ctie_action action = action_of("go", see, NULL, 0);
    ctie_call *calls[4];
    options.flags = CTIE_COMPONENT_LAZY;
    ended = 0;
    new_bus();
    CHECK_STATUS(ctie_component_add(bus, CTIE_STR("a"), (ctie_action_list){&action, 1}, (ctie_factory){make_slowly, &making, NULL, end_instance},
                                    &options, NULL, NULL), CTIE_OK);
    for (int i = 0; i < 4; i++) { calls[i] = call_later(bus, "a", "go", NULL); }
    latch_wait(&making.waiting, 1);
    latch_add(&making.opened);
    for (int i = 0; i < 4; i++) { CHECK_STATUS(call_end(calls[i]), CTIE_OK); }
    CHECK(latch_count(&making.waiting) == 1 && seen == &instance);
    close_bus();
    CHECK(ended == 1);
}

/* ---- Removing what runs ----------------------------------------------------------------------------- */

static void *remove_component(void *user_data) {
    CHECK_STATUS(ctie_component_remove(bus, CTIE_STR("a"), NULL), CTIE_OK);
    latch_add(user_data);
    return NULL;
}

static void removing_waits_for_what_runs(void) {
    turnstile running = TURNSTILE_INIT;
    latch removed = LATCH_INIT, destroyed = LATCH_INIT;
    pthread_t remover;
    ctie_action action = action_of("go", wait_there, &running, 0);
    new_bus();
    CHECK_STATUS(ctie_component_add(bus, CTIE_STR("a"), (ctie_action_list){&action, 1},
                                    CTIE_INSTANCE_OWNED(&destroyed, latch_destroy), NULL, NULL, NULL), CTIE_OK);
    ctie_call *call = call_later(bus, "a", "go", NULL);
    latch_wait(&running.waiting, 1);
    pthread_create(&remover, NULL, remove_component, &removed);
    while (call_now(bus, "a", "gone") != CTIE_E_NO_COMPONENT) { usleep(1000); }
    CHECK(latch_count(&removed) == 0 && latch_count(&destroyed) == 0);
    latch_add(&running.opened);
    pthread_join(remover, NULL);
    CHECK(latch_count(&removed) == 1 && latch_count(&destroyed) == 1);
    CHECK_STATUS(call_end(call), CTIE_OK);
    close_bus();
}

static latch outlived = LATCH_INIT;

static void remove_itself(ctie_request *request, void *user_data) {
    (void)user_data;
    CHECK_STATUS(ctie_component_remove(bus, CTIE_STR("a"), NULL), CTIE_PENDING);
    CHECK_STATUS(ctie_component_remove(bus, CTIE_STR("a"), NULL), CTIE_E_NO_COMPONENT);
    CHECK(latch_count(&outlived) == 0);
    reply_null(request, NULL);
}

static void one_that_removes_itself_ends_when_it_returns(void) {
    ctie_action action = action_of("go", remove_itself, NULL, 0);
    new_bus();
    CHECK_STATUS(ctie_component_add(bus, CTIE_STR("a"), (ctie_action_list){&action, 1},
                                    CTIE_INSTANCE_OWNED(&outlived, latch_destroy), NULL, NULL, NULL), CTIE_OK);
    CHECK_STATUS(call_now(bus, "a", "go"), CTIE_OK);
    CHECK(latch_count(&outlived) == 1);
    close_bus();
}

/* ---- Limits ------------------------------------------------------------------------------------------ */

static void a_component_has_at_most_1024_actions(void) {
    static ctie_action many[1025];
    static char names[1025][8];
    for (int i = 0; i < 1025; i++) {
        snprintf(names[i], sizeof names[i], "a%d", i);
        many[i] = action_of(names[i], reply_null, NULL, 0);
    }
    new_bus();
    CHECK_STATUS(ctie_component_add(bus, CTIE_STR("a"), CTIE_ACTIONS(many), CTIE_INSTANCE(NULL), NULL, NULL,
                                    NULL), CTIE_E_LIMIT);
    CHECK_STATUS(ctie_component_add(bus, CTIE_STR("a"), (ctie_action_list){many, 1024}, CTIE_INSTANCE(NULL), NULL, NULL,
                                    NULL), CTIE_OK);
    CHECK_STATUS(call_now(bus, "a", "a0"), CTIE_OK);
    CHECK_STATUS(call_now(bus, "a", "a1023"), CTIE_OK);
    CHECK_STATUS(call_now(bus, "a", "a1024"), CTIE_E_NO_ACTION);
    close_bus();
}

static void names_have_a_limit(void) {
    char name[130] = {0};
    memset(name, 'a', 129);
    ctie_action action = action_of(name, reply_null, NULL, 0);
    new_bus();
    CHECK_STATUS(add_with(name, NULL, &(latch)LATCH_INIT, NULL), CTIE_E_LIMIT);
    CHECK_STATUS(ctie_component_add(bus, CTIE_STR("a"), (ctie_action_list){&action, 1}, CTIE_INSTANCE(NULL), NULL, NULL,
                                    NULL), CTIE_E_LIMIT);
    CHECK_STATUS(ctie_dispatcher_add(bus, ctie_str_from(name), NULL, NULL), CTIE_E_LIMIT);
    CHECK_STATUS(ctie_component_broadcast(bus, ctie_str_from(name), NULL, NULL, NULL, NULL), CTIE_E_LIMIT);
    CHECK_STATUS(call_now(bus, name, "go"), CTIE_E_LIMIT);
    close_bus();
}

static void docs_have_a_limit(void) {
    static char text[4097];
    memset(text, 'd', sizeof text);
    ctie_action action = action_of("go", reply_null, NULL, 0);
    action.doc = (ctie_str){text, 4097};
    new_bus();
    CHECK_STATUS(ctie_component_add(bus, CTIE_STR("a"), (ctie_action_list){&action, 1}, CTIE_INSTANCE(NULL), NULL, NULL,
                                    NULL), CTIE_E_LIMIT);
    action.doc = (ctie_str){"\xff", 1};
    CHECK_STATUS(ctie_component_add(bus, CTIE_STR("a"), (ctie_action_list){&action, 1}, CTIE_INSTANCE(NULL), NULL, NULL,
                                    NULL), CTIE_E_UTF8);
    action.doc = (ctie_str){text, 4096};
    CHECK_STATUS(ctie_component_add(bus, CTIE_STR("a"), (ctie_action_list){&action, 1}, CTIE_INSTANCE(NULL), NULL, NULL,
                                    NULL), CTIE_OK);
    close_bus();
}

static bool is_static(const ctie_value *list, size_t index) {
    bool answer = false;
    CHECK_STATUS(ctie_value_get_bool(ctie_value_get(ctie_value_at(list, index), CTIE_STR("static")), &answer), CTIE_OK);
    return answer;
}

static void a_listing_says_the_language_and_what_is_static(void) {
    ctie_component_options options = CTIE_COMPONENT_OPTIONS_INIT;
    options.language = CTIE_STR("cobol");
    options.flags = CTIE_COMPONENT_STATIC;
    ctie_value *list = NULL;
    ctie_str language;
    new_bus();
    CHECK_STATUS(ctie_component_list(bus, NULL), CTIE_E_INVALID);
    CHECK_STATUS(add_with("a", NULL, &outlived, NULL), CTIE_OK);
    CHECK_STATUS(add_with("b", &options, &outlived, NULL), CTIE_OK);
    CHECK_STATUS(ctie_component_list(bus, &list), CTIE_OK);
    CHECK(ctie_value_count(list) == 2);
    ctie_value_get_string(ctie_value_get(ctie_value_at(list, 0), CTIE_STR("language")), &language);
    CHECK(text_is(language, "c"));
    ctie_value_get_string(ctie_value_get(ctie_value_at(list, 1), CTIE_STR("language")), &language);
    CHECK(text_is(language, "cobol"));
    CHECK(!is_static(list, 0) && is_static(list, 1));
    ctie_value_release(list);
    close_bus();
}

static void many_components_are_found(void) {
    char name[16];
    new_bus();
    for (int i = 0; i < 3000; i++) {
        snprintf(name, sizeof name, "c%d", i);
        add_action(bus, name, "go", reply_null, NULL, 0);
    }
    for (int i = 0; i < 3000; i += 2) {
        snprintf(name, sizeof name, "c%d", i);
        CHECK_STATUS(ctie_component_remove(bus, ctie_str_from(name), NULL), CTIE_OK);
    }
    int wrong = 0;
    for (int i = 0; i < 3000; i++) {
        snprintf(name, sizeof name, "c%d", i);
        wrong += call_now(bus, name, "go") != (i % 2 == 0 ? CTIE_E_NO_COMPONENT : CTIE_OK);
    }
    CHECK(wrong == 0);
    close_bus();
}

int main(void) {
    a_component_is_destroyed_once_however_it_goes();
    refused_callbacks_are_destroyed_once();
    an_action_gets_its_own_data_else_the_instance_else_the_components();
    an_instance_is_ended_before_its_component_is_destroyed();
    an_instance_never_made_is_never_ended();
    all_callers_wait_for_the_one_that_makes();
    removing_waits_for_what_runs();
    one_that_removes_itself_ends_when_it_returns();
    a_component_has_at_most_1024_actions();
    names_have_a_limit();
    docs_have_a_limit();
    a_listing_says_the_language_and_what_is_static();
    many_components_are_found();
    return check_end();
}
