/*
 * The single instance: claiming, handing URLs over, what their handlers see, order, failures, and the first instance's
 * own URLs.
 */
#define _GNU_SOURCE
#include "instances.h"

static ctie_bus *bus;

static const ctie_value *item_of(const ctie_value *answers, size_t index) {
    return ctie_value_get(ctie_value_at(answers, index), CTIE_STR("value"));
}

static void a_url_opens_in_the_first_instance(void) {
    pid_t child = start_first(true);
    ctie_instance *instance = claim(bus);
    ctie_value *answers = NULL;
    CHECK(!is_first(instance));
    setenv("XDG_ACTIVATION_TOKEN", "token-1", 1);
    CHECK_STATUS(hand(instance, "app://items/0", -1, &answers), CTIE_OK);
    unsetenv("XDG_ACTIVATION_TOKEN");
    CHECK(ctie_value_count(answers) == 1 && answer_status(answers, 0) == CTIE_OK);
    const ctie_value *item = item_of(answers, 0);
    CHECK(int_at(item, "number") == 0 && int_at(item, "origin") == CTIE_ORIGIN_REMOTE && int_at(item, "pid") == child);
    const ctie_value *activation = ctie_value_get(ctie_value_get(item, CTIE_STR("info")), CTIE_STR("activation"));
    ctie_str token = {NULL, 0}, cwd = {NULL, 0};
    char here[4096] = "";
    CHECK_STATUS(ctie_value_get_string(ctie_value_get(activation, CTIE_STR("activation-token")), &token), CTIE_OK);
    CHECK(text_is(token, "token-1"));
    CHECK(getcwd(here, sizeof here) != NULL);
    CHECK_STATUS(ctie_value_get_string(ctie_value_get(activation, CTIE_STR("cwd")), &cwd), CTIE_OK);
    CHECK(text_is(cwd, here));
    CHECK(ctie_value_count(ctie_value_get(activation, CTIE_STR("arguments"))) == 1);
    CHECK(ctie_value_get(activation, CTIE_STR("desktop-startup-id")) == NULL);
    ctie_value_release(answers);
    CHECK_STATUS(ctie_instance_release(instance), CTIE_OK);
    end_first(child);
}

static void failures_are_answers(void) {
    pid_t child = start_first(true);
    ctie_instance *instance = claim(bus);
    ctie_str urls[] = {CTIE_STR("app://items/0"), CTIE_STR("app://missing"), CTIE_STR("app://private"),
                       CTIE_STR("app://nowhere"), CTIE_STR("app://items/1")};
    ctie_value *answers = NULL;
    ctie_error *error = NULL;
    CHECK_STATUS(ctie_instance_hand(instance, (ctie_str_list){urls, 5}, NULL, -1, &answers, &error), CTIE_E_HANDLER);
    CHECK(text_has(ctie_error_message(error), "3 of 5 URLs are not open"));
    CHECK(answer_status(answers, 0) == CTIE_OK && answer_status(answers, 4) == CTIE_OK && board->opened == 2);
    CHECK(answer_status(answers, 1) == CTIE_E_HANDLER && int_at(ctie_value_at(answers, 1), "code") == 7);
    CHECK(text_is(answer_message(answers, 1), "no such item"));
    CHECK(answer_status(answers, 2) == CTIE_E_DENIED && answer_status(answers, 3) == CTIE_E_NO_ROUTE);
    ctie_error_release(error);
    ctie_value_release(answers);
    CHECK_STATUS(hand(instance, "no URL", -1, NULL), CTIE_E_URL);
    CHECK_STATUS(ctie_instance_release(instance), CTIE_OK);
    end_first(child);
}

static void urls_of_a_hand_over_keep_their_order(void) {
    enum { COUNT = 200 };
    pid_t child = start_first(true);
    ctie_instance *instance = claim(bus);
    ctie_str urls[COUNT];
    char texts[COUNT][32];
    for (int i = 0; i < COUNT; i++) {
        snprintf(texts[i], sizeof texts[i], "app://items/%d", i);
        urls[i] = ctie_str_from(texts[i]);
    }
    CHECK_STATUS(ctie_instance_hand(instance, (ctie_str_list){urls, COUNT}, NULL, -1, NULL, NULL), CTIE_OK);
    CHECK(board->opened == COUNT && board->wrong == 0);
    CHECK_STATUS(ctie_instance_release(instance), CTIE_OK);
    end_first(child);
}

static void *hand_item(void *instance) {
    CHECK_STATUS(hand(instance, "app://items/0", -1, NULL), CTIE_OK);
    return NULL;
}

static void a_first_instance_that_starts_is_waited_for(void) {
    pthread_t thread;
    pid_t child = start_first(false);
    ctie_instance *instance = claim(bus);
    CHECK_STATUS(hand(instance, "app://items/0", 100, NULL), CTIE_E_TIMEOUT);
    pthread_create(&thread, NULL, hand_item, instance);
    nap_ns(20000000);
    CHECK(board->opened == 0);
    board->go = 1;
    pthread_join(thread, NULL);
    CHECK(board->opened == 1);
    CHECK_STATUS(ctie_instance_release(instance), CTIE_OK);
    end_first(child);
}

static _Atomic int complaints;

static void note_complaint(int32_t level, ctie_str line, void *user_data CTIE_UNUSED) {
    complaints += level == CTIE_LOG_ERROR && text_has(line, "app://");
}

static void open_slowly(ctie_request *request, void *user_data CTIE_UNUSED) {
    nap_ns(50000000);
    ctie_request_reply(request, NULL);
}

/* Failures of them are in the log, also when they never open. */
static void own_urls_open_when_the_first_instance_is_ready(void) {
    ctie_instance *instance = claim(bus);
    ctie_value *answers = NULL;
    board->opened = 0;
    CHECK_STATUS(ctie_bus_set_log(bus, CTIE_LOGGER(note_complaint, NULL), NULL), CTIE_OK);
    CHECK(is_first(instance));
    CHECK_STATUS(hand(instance, "app://items/0", -1, &answers), CTIE_PENDING);
    CHECK(answer_status(answers, 0) == CTIE_PENDING);
    ctie_value_release(answers);
    /* Nobody waits for it any more, so its deadline does not count. */
    add_route(bus, "app://slow", open_slowly, true);
    CHECK_STATUS(hand(instance, "app://slow", 10, NULL), CTIE_PENDING);
    CHECK_STATUS(hand(instance, "app://nowhere", -1, NULL), CTIE_PENDING);
    CHECK_STATUS(ctie_instance_ready(instance, NULL), CTIE_OK);
    AWAIT(complaints == 1);
    CHECK(board->opened == 1);
    CHECK_STATUS(hand(instance, "app://items/1", -1, &answers), CTIE_OK);
    CHECK(int_at(item_of(answers, 0), "pid") == getpid());
    ctie_value_release(answers);
    CHECK_STATUS(ctie_instance_ready(instance, NULL), CTIE_OK);
    CHECK_STATUS(ctie_instance_release(instance), CTIE_OK);
    instance = claim(bus);
    CHECK_STATUS(hand(instance, "app://nowhere", -1, NULL), CTIE_PENDING);
    CHECK_STATUS(ctie_instance_release(instance), CTIE_OK);
    CHECK(complaints == 2);
    CHECK_STATUS(ctie_bus_set_log(bus, CTIE_LOGGER(NULL, NULL), NULL), CTIE_OK);
}

static _Atomic int activations;

static void activate(ctie_request *request, void *user_data CTIE_UNUSED) {
    const ctie_value *info = NULL;
    ctie_origin origin = CTIE_ORIGIN_LOCAL;
    CHECK_STATUS(ctie_request_user_info(request, &info), CTIE_OK);
    CHECK_STATUS(ctie_request_origin(request, &origin), CTIE_OK);
    CHECK(ctie_value_get(ctie_value_get(info, CTIE_STR("activation")), CTIE_STR("cwd")) != NULL);
    CHECK(origin == CTIE_ORIGIN_REMOTE);
    activations++;
}

/* Two buses of one process are two instances. */
static void no_urls_are_an_activation(void) {
    ctie_bus *other = make_bus();
    add_action(bus, "window", "activate", activate, NULL, CTIE_ACTION_EVENT);
    ctie_instance *first = claim(bus), *second = claim(other);
    CHECK(is_first(first) && !is_first(second));
    CHECK_STATUS(hand(first, NULL, -1, NULL), CTIE_PENDING);
    CHECK_STATUS(ctie_instance_ready(first, NULL), CTIE_OK);
    AWAIT(activations == 1);
    CHECK_STATUS(hand(second, NULL, -1, NULL), CTIE_OK);
    CHECK(activations == 2);
    CHECK_STATUS(ctie_instance_ready(second, NULL), CTIE_E_INVALID);
    CHECK_STATUS(ctie_instance_release(second), CTIE_OK);
    CHECK_STATUS(ctie_instance_release(first), CTIE_OK);
    CHECK_STATUS(ctie_bus_release(other), CTIE_OK);
}

static void names_and_activations_are_checked(void) {
    static const char *const refused[] = {"", ".", "..", "../app", "com/example", "-app", "com example", "app\n"};
    ctie_instance *instance = NULL;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        CHECK_STATUS(claim_status(bus, refused[i], &instance), CTIE_E_IDENTIFIER);
    }
    char name[202];
    memset(name, 'a', sizeof name);
    name[201] = 0;
    CHECK_STATUS(claim_status(bus, name, &instance), CTIE_E_LIMIT);
    name[200] = 0;
    CHECK_STATUS(claim_status(bus, name, &instance), CTIE_OK);
    char bytes[70000] = "";
    ctie_value *number = ctie_value_int(1), *large = CTIE_MAP("a", ctie_value_bytes((ctie_str){bytes, sizeof bytes}));
    CHECK_STATUS(ctie_instance_hand(instance, (ctie_str_list){NULL, 0}, number, -1, NULL, NULL), CTIE_E_TYPE);
    CHECK_STATUS(ctie_instance_hand(instance, (ctie_str_list){NULL, 0}, large, -1, NULL, NULL), CTIE_E_LIMIT);
    ctie_value_release(number);
    ctie_value_release(large);
    CHECK_STATUS(ctie_instance_release(instance), CTIE_OK);
    CHECK_STATUS(ctie_instance_release(instance), CTIE_E_HANDLE);
}

int main(void) {
    name_directory();
    board = share(sizeof *board);
    bus = make_bus();
    int files = open_files(), threads = thread_count();
    a_url_opens_in_the_first_instance();
    failures_are_answers();
    urls_of_a_hand_over_keep_their_order();
    a_first_instance_that_starts_is_waited_for();
    CHECK(open_files() == files && threads_end(threads));
    add_routes(bus);
    own_urls_open_when_the_first_instance_is_ready();
    no_urls_are_an_activation();
    names_and_activations_are_checked();
    CHECK(open_files() == files);
    CHECK_STATUS(ctie_bus_release(bus), CTIE_OK);
    remove_directory();
    return check_end();
}
