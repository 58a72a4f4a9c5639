/* Providers from C: the list, changes of it during requests, logging, and the lifetime of their data. */
#include "check.h"
#include "latch.h"

static ctie_bus *bus;
/* The number of runs of each. */
static atomic_int destroyed, shared, signed_in, launched, opened, continued;
static latch entered = LATCH_INIT, go_on = LATCH_INIT;

static void count(void *counter) {
    (*(atomic_int *)counter)++;
}

static void share(ctie_request *request, void *unused) {
    (void)unused;
    shared++;
    CHECK_STATUS(ctie_request_reply(request, ctie_value_null()), CTIE_OK);
}

static void stay(ctie_request *request, void *unused) {
    (void)unused;
    latch_add(&entered);
    latch_wait(&go_on, 1);
    CHECK_STATUS(ctie_request_reply(request, ctie_value_null()), CTIE_OK);
}

static void sign_in(ctie_request *request, void *unused) {
    (void)unused;
    signed_in++;
    ctie_str platform;
    CHECK_STATUS(ctie_request_target(request, &platform), CTIE_OK);
    CHECK(text_is(platform, CTIE_PLATFORM_WECHAT));
    ctie_pair info[] = {{CTIE_STR(CTIE_INFO_WECHAT_CODE), ctie_value_string(CTIE_STR("c0de"))},
                        {CTIE_STR(CTIE_INFO_QQ_OPEN_ID), ctie_value_string(CTIE_STR(""))}};
    CHECK_STATUS(ctie_request_reply(request, ctie_value_map(info, 2)), CTIE_OK);
}

static void launch(ctie_request *request, void *unused) {
    (void)unused;
    launched++;
    CHECK_STATUS(ctie_request_reply(request, ctie_value_bool(true)), CTIE_OK);
}

static void open_url(ctie_request *request, void *unused) {
    (void)request;
    (void)unused;
    opened++;
}

static void open_activity(ctie_request *request, void *unused) {
    (void)request;
    (void)unused;
    continued++;
}

static ctie_provider_endpoint endpoint;

/* A provider that does everything. */
static ctie_provider provider(const char *name) {
    ctie_provider own = CTIE_PROVIDER_INIT;
    own.name = ctie_str_from(name);
    own.share = share;
    own.endpoints = &endpoint;
    own.endpoint_count = 1;
    own.platform = CTIE_STR(CTIE_PLATFORM_WECHAT);
    own.oauth = sign_in;
    own.launch = launch;
    own.app_id = CTIE_STR("wx123");
    own.open_url = open_url;
    own.universal_link = CTIE_STR("https://example.com/app");
    own.open_activity = open_activity;
    own.user_data = &destroyed;
    own.destroy = count;
    return own;
}

static ctie_value *text_message(void) {
    ctie_pair fields[] = {{CTIE_STR("identifier"), ctie_value_string(CTIE_STR(CTIE_SHARE_KIND_TEXT))},
                          {CTIE_STR("text"), ctie_value_string(CTIE_STR("hello"))}};
    return ctie_value_map(fields, 2);
}

static ctie_status share_text(void) {
    ctie_value *message = text_message();
    ctie_status status = ctie_share(bus, CTIE_STR(CTIE_ENDPOINT_WECHAT_FRIEND), message, NULL, NULL, NULL);
    ctie_value_release(message);
    return status;
}

/* The names in the list, one after the other. */
static bool list_is(const char *expected) {
    char names[256] = "";
    ctie_value *list = NULL;
    CHECK_STATUS(ctie_provider_list(bus, &list), CTIE_OK);
    for (size_t i = 0; i < ctie_value_count(list); i++) {
        ctie_str name;
        const ctie_value *each = ctie_value_at(list, i), *found = ctie_value_get(each, CTIE_STR("name"));
        CHECK_STATUS(ctie_value_get_string(found, &name), CTIE_OK);
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%.*s", i == 0 ? "" : " ", (int)name.size, name.data);
    }
    ctie_value_release(list);
    return strcmp(names, expected) == 0;
}

static void add(const char *name, size_t position) {
    ctie_provider own = provider(name);
    CHECK_STATUS(ctie_provider_add(bus, &own, position, NULL, NULL), CTIE_OK);
}

static void begin(void) {
    CHECK_STATUS(ctie_bus_new(NULL, &bus, NULL), CTIE_OK);
    destroyed = shared = signed_in = launched = opened = continued = 0;
}

static void end(int expected_to_be_destroyed) {
    CHECK_STATUS(ctie_bus_release(bus), CTIE_OK);
    CHECK(destroyed == expected_to_be_destroyed);
}

/* ---- The list ------------------------------------------------------------------------------------ */

static void list_is_edited(void) {
    begin();
    add("b", CTIE_PROVIDER_LAST);
    add("a", 0);
    add("d", 99);
    add("c", 2);
    CHECK(list_is("a b c d"));
    CHECK_STATUS(ctie_provider_move(bus, CTIE_STR("a"), CTIE_PROVIDER_LAST, NULL), CTIE_OK);
    CHECK_STATUS(ctie_provider_move(bus, CTIE_STR("d"), 0, NULL), CTIE_OK);
    CHECK(list_is("d b c a"));
    CHECK_STATUS(ctie_provider_move(bus, CTIE_STR("x"), 0, NULL), CTIE_E_NOT_FOUND);
    CHECK_STATUS(ctie_provider_remove(bus, CTIE_STR("b"), NULL), CTIE_OK);
    CHECK(destroyed == 1);
    CHECK_STATUS(ctie_provider_remove(bus, CTIE_STR("b"), NULL), CTIE_E_NOT_FOUND);
    CHECK(list_is("d c a"));
    end(4);
}

static void list_is_swapped(void) {
    begin();
    add("a", 0);
    add("b", 1);
    ctie_provider others[] = {provider("c"), provider("a")};
    CHECK_STATUS(ctie_provider_set_all(bus, others, 2, NULL), CTIE_OK);
    CHECK(destroyed == 2);
    CHECK(list_is("c a"));
    ctie_provider twice[] = {provider("d"), provider("d")};
    CHECK_STATUS(ctie_provider_set_all(bus, twice, 2, NULL), CTIE_E_CONFLICT);
    CHECK(destroyed == 4);
    ctie_provider refused[] = {provider("d"), provider("no name"), provider("e")};
    CHECK_STATUS(ctie_provider_set_all(bus, refused, 3, NULL), CTIE_E_IDENTIFIER);
    CHECK(destroyed == 7);
    CHECK(list_is("c a"));
    CHECK_STATUS(ctie_provider_set_all(bus, NULL, 0, NULL), CTIE_OK);
    CHECK(list_is(""));
    end(9);
}

static void registration_takes_it_away(void) {
    begin();
    ctie_provider own = provider("a");
    ctie_registration *registration = NULL;
    CHECK_STATUS(ctie_provider_add(bus, &own, 0, &registration, NULL), CTIE_OK);
    CHECK_STATUS(ctie_provider_add(bus, &own, 0, NULL, NULL), CTIE_E_CONFLICT);
    CHECK(destroyed == 1);
    CHECK_STATUS(share_text(), CTIE_OK);
    CHECK_STATUS(ctie_registration_release(registration), CTIE_OK);
    CHECK(destroyed == 2);
    CHECK_STATUS(ctie_registration_release(registration), CTIE_E_HANDLE);
    CHECK_STATUS(share_text(), CTIE_E_NO_HANDLER);
    CHECK(shared == 1);
    end(2);
}

static void list_has_an_end(void) {
    begin();
    char name[16];
    for (int i = 0; i < CTIE_PROVIDERS_MAX; i++) {
        snprintf(name, sizeof name, "p%d", i);
        add(name, CTIE_PROVIDER_LAST);
    }
    ctie_provider own = provider("one-too-many");
    CHECK_STATUS(ctie_provider_add(bus, &own, 0, NULL, NULL), CTIE_E_LIMIT);
    end(CTIE_PROVIDERS_MAX + 1);
}

/* ---- What they do -------------------------------------------------------------------------------- */

static void every_capability_is_reached(void) {
    begin();
    add("all", 0);
    CHECK_STATUS(share_text(), CTIE_OK);
    ctie_response *response = NULL;
    CHECK_STATUS(ctie_oauth(bus, CTIE_STR(CTIE_PLATFORM_WECHAT), NULL, NULL, &response, NULL), CTIE_OK);
    const ctie_value *info = ctie_response_value(response);
    ctie_str code;
    CHECK(ctie_value_count(info) == 1);
    const ctie_value *found = ctie_value_get(info, CTIE_STR(CTIE_INFO_WECHAT_CODE));
    CHECK_STATUS(ctie_value_get_string(found, &code), CTIE_OK);
    CHECK(text_is(code, "c0de"));
    CHECK_STATUS(ctie_response_release(response), CTIE_OK);
    CHECK_STATUS(ctie_launch(bus, CTIE_STR(CTIE_PLATFORM_WECHAT), NULL, NULL, NULL, NULL), CTIE_OK);
    bool taken = false;
    CHECK_STATUS(ctie_provider_open_url(bus, CTIE_STR("WX123:answer"), CTIE_ORIGIN_LOCAL, NULL, &taken, NULL), CTIE_OK);
    CHECK(taken && opened == 1);
    CHECK_STATUS(ctie_provider_open_url(bus, CTIE_STR("wx124:answer"), CTIE_ORIGIN_LOCAL, NULL, &taken, NULL), CTIE_OK);
    CHECK(!taken && opened == 1);
    ctie_pair fields[] = {{CTIE_STR("activityType"), ctie_value_string(CTIE_STR(CTIE_ACTIVITY_BROWSING_WEB))},
                          {CTIE_STR("webpageURL"), ctie_value_string(CTIE_STR("https://example.com/app/7"))}};
    ctie_value *activity = ctie_value_map(fields, 2);
    CHECK_STATUS(ctie_provider_open_activity(bus, activity, CTIE_ORIGIN_LOCAL, NULL, &taken, NULL), CTIE_OK);
    CHECK(taken && continued == 1);
    CHECK_STATUS(ctie_provider_open_activity(bus, activity, CTIE_ORIGIN_REMOTE, NULL, &taken, NULL), CTIE_OK);
    CHECK(!taken && continued == 1);
    ctie_value_release(activity);
    CHECK(shared == 1 && signed_in == 1 && launched == 1);
    end(1);
}

static latch completed = LATCH_INIT;

static void complete(ctie_response *response, void *expected) {
    CHECK(ctie_response_status(response) == (ctie_status)(intptr_t)expected);
    latch_add(&completed);
}

static void all_three_run_on_workers(void) {
    begin();
    add("all", 0);
    ctie_value *message = text_message();
    int before = latch_count(&completed);
    CHECK_STATUS(ctie_share_async(bus, CTIE_STR(CTIE_ENDPOINT_WECHAT_FRIEND), message,
                                  CTIE_COMPLETION(complete, (void *)(intptr_t)CTIE_OK), NULL, NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_oauth_async(bus, CTIE_STR(CTIE_PLATFORM_QQ), NULL,
                                  CTIE_COMPLETION(complete, (void *)(intptr_t)CTIE_E_NO_HANDLER), NULL, NULL, NULL),
                 CTIE_OK);
    CHECK_STATUS(ctie_launch_async(bus, CTIE_STR(CTIE_PLATFORM_WECHAT), NULL,
                                   CTIE_COMPLETION(complete, (void *)(intptr_t)CTIE_OK), NULL, NULL, NULL), CTIE_OK);
    latch_wait(&completed, before + 3);
    ctie_value_release(message);
    end(1);
}

static void endpoints_are_bounded_and_unique(void) {
    char names[65][8];
    ctie_provider_endpoint endpoints[65];
    ctie_provider own = CTIE_PROVIDER_INIT;
    begin();
    own.name = CTIE_STR("many");
    own.share = share;
    own.endpoints = endpoints;
    for (int i = 0; i < 65; i++) {
        snprintf(names[i], sizeof names[i], "e%d", i);
        endpoints[i] = (ctie_provider_endpoint){.endpoint = ctie_str_from(names[i])};
    }
    own.endpoint_count = 65;
    CHECK_STATUS(ctie_provider_add(bus, &own, CTIE_PROVIDER_LAST, NULL, NULL), CTIE_E_LIMIT);
    own.endpoint_count = 64;
    CHECK_STATUS(ctie_provider_add(bus, &own, CTIE_PROVIDER_LAST, NULL, NULL), CTIE_OK);
    own.name = CTIE_STR("twice");
    endpoints[63] = endpoints[7];
    CHECK_STATUS(ctie_provider_add(bus, &own, CTIE_PROVIDER_LAST, NULL, NULL), CTIE_E_CONFLICT);
    end(0);
}

/* ---- Changes while one runs ---------------------------------------------------------------------- */

static void *share_on_a_thread(void *unused) {
    (void)unused;
    CHECK_STATUS(share_text(), CTIE_OK);
    return NULL;
}

static void *remove_on_a_thread(void *unused) {
    (void)unused;
    CHECK_STATUS(ctie_provider_remove(bus, CTIE_STR("slow"), NULL), CTIE_OK);
    CHECK(destroyed == 1);
    return NULL;
}

/* Removing waits for the running share; meanwhile the next share goes to a remaining provider. */
static void removal_waits(void) {
    begin();
    ctie_provider slow = provider("slow");
    slow.share = stay;
    CHECK_STATUS(ctie_provider_add(bus, &slow, 0, NULL, NULL), CTIE_OK);
    add("next", 1);
    pthread_t sharing, removing;
    CHECK(pthread_create(&sharing, NULL, share_on_a_thread, NULL) == 0);
    latch_wait(&entered, 1);
    CHECK(pthread_create(&removing, NULL, remove_on_a_thread, NULL) == 0);
    while (!list_is("next")) usleep(100);
    CHECK_STATUS(share_text(), CTIE_OK);
    CHECK(shared == 1 && destroyed == 0);
    latch_add(&go_on);
    pthread_join(sharing, NULL);
    pthread_join(removing, NULL);
    end(2);
}

static void remove_itself(ctie_request *request, void *unused) {
    (void)unused;
    CHECK_STATUS(ctie_provider_remove(bus, CTIE_STR("own"), NULL), CTIE_PENDING);
    CHECK(destroyed == 0);
    CHECK_STATUS(ctie_request_reply(request, ctie_value_null()), CTIE_OK);
}

static void one_removes_itself(void) {
    begin();
    ctie_provider own = provider("own");
    own.share = remove_itself;
    CHECK_STATUS(ctie_provider_add(bus, &own, 0, NULL, NULL), CTIE_OK);
    CHECK_STATUS(share_text(), CTIE_OK);
    CHECK(destroyed == 1);
    end(1);
}

static atomic_bool is_over;

static void *move_on_a_thread(void *unused) {
    while (!atomic_load(&is_over)) CHECK_STATUS(ctie_provider_move(bus, CTIE_STR("other"), 0, NULL), CTIE_OK);
    return unused;
}

/* A list that somebody is just replacing must not keep one that has been removed. */
static void removing_is_the_end(void) {
    begin();
    add("other", 0);
    atomic_store(&is_over, false);
    pthread_t moving;
    CHECK(pthread_create(&moving, NULL, move_on_a_thread, NULL) == 0);
    for (int i = 1; i <= 2000; i++) {
        add("own", CTIE_PROVIDER_LAST);
        CHECK_STATUS(ctie_provider_remove(bus, CTIE_STR("own"), NULL), CTIE_OK);
        CHECK(destroyed == i);
    }
    atomic_store(&is_over, true);
    pthread_join(moving, NULL);
    end(2001);
}

/* ---- Hooks and what comes from outside ----------------------------------------------------------- */

static atomic_int deepest;

static bool ask_again(ctie_request *request, void *unused) {
    (void)request;
    (void)unused;
    deepest++;
    ctie_opened_by opener;
    ctie_status status = ctie_can_open(bus, CTIE_STR("wx123:x"), CTIE_ORIGIN_LOCAL, CTIE_MATCH_DEFAULT, &opener);
    CHECK(status == CTIE_OK || status == CTIE_E_DEPTH);
    return true;
}

static bool never(ctie_request *request, void *unused) {
    (void)request;
    (void)unused;
    return false;
}

static bool continues(const char *url) {
    ctie_pair said[] = {{CTIE_STR("activityType"), ctie_value_string(CTIE_STR(CTIE_ACTIVITY_BROWSING_WEB))},
                        {CTIE_STR("webpageURL"), ctie_value_string(ctie_str_from(url))}};
    ctie_value *activity = ctie_value_map(said, 2);
    bool is_taken = false;
    CHECK_STATUS(ctie_provider_open_activity(bus, activity, CTIE_ORIGIN_LOCAL, NULL, &is_taken, NULL), CTIE_OK);
    ctie_value_release(activity);
    return is_taken;
}

/* Deciding about sharing does not imply a claim to web pages. */
static void each_question_stands_for_one_comparison(void) {
    begin();
    ctie_provider own = provider("own");
    own.can_share = never;
    own.open_activity = share;
    CHECK_STATUS(ctie_provider_add(bus, &own, 0, NULL, NULL), CTIE_OK);
    CHECK_STATUS(share_text(), CTIE_E_NO_HANDLER);
    CHECK(continues("https://example.com/app/page") && shared == 1);
    CHECK(!continues("https://example.org/app/page") && !continues("https://example.com/apple"));
    CHECK_STATUS(ctie_launch(bus, CTIE_STR(CTIE_PLATFORM_QQ), NULL, NULL, NULL, NULL), CTIE_E_NO_HANDLER);
    CHECK_STATUS(ctie_launch(bus, CTIE_STR(CTIE_PLATFORM_WECHAT), NULL, NULL, NULL, NULL), CTIE_OK);
    ctie_provider without = provider("without");
    without.can_share = without.can_oauth = without.can_launch = without.can_open_url = never;
    without.universal_link = CTIE_STR("");
    CHECK_STATUS(ctie_provider_add(bus, &without, 0, NULL, NULL), CTIE_E_INVALID);
    without.can_open_activity = never;
    without.endpoint_count = 0;
    without.platform = without.app_id = CTIE_STR("");
    CHECK_STATUS(ctie_provider_add(bus, &without, 0, NULL, NULL), CTIE_OK);
    end(3);
}

static void asking_has_an_end(void) {
    begin();
    ctie_provider own = provider("own");
    own.can_open_url = ask_again;
    CHECK_STATUS(ctie_provider_add(bus, &own, 0, NULL, NULL), CTIE_OK);
    deepest = 0;
    ctie_opened_by opener;
    CHECK_STATUS(ctie_can_open(bus, CTIE_STR("wx123:x"), CTIE_ORIGIN_LOCAL, CTIE_MATCH_DEFAULT, &opener), CTIE_OK);
    CHECK(opener == CTIE_OPENED_BY_PROVIDER && deepest > 64 && deepest <= 128);
    end(1);
}

static void private_schemes_are_private_for_providers_too(void) {
    begin();
    ctie_str rules = CTIE_STR("{\"format\": 1, \"version\": \"1.0.0\", \"publicSchemes\": [\"shop\"], "
                              "\"privateSchemes\": [\"wx123\"], \"routeHosts\": [\"go\"], \"webHosts\": [], "
                              "\"rules\": []}");
    CHECK_STATUS(ctie_rules_load(bus, rules, NULL, NULL), CTIE_OK);
    ctie_provider own = provider("own");
    own.flags = CTIE_PROVIDER_PUBLIC;
    CHECK_STATUS(ctie_provider_add(bus, &own, 0, NULL, NULL), CTIE_OK);
    bool taken;
    ctie_str url = CTIE_STR("wx123://x");
    CHECK_STATUS(ctie_provider_open_url(bus, url, CTIE_ORIGIN_REMOTE, NULL, &taken, NULL), CTIE_E_DENIED);
    CHECK(opened == 0);
    CHECK_STATUS(ctie_provider_open_url(bus, url, CTIE_ORIGIN_LOCAL, NULL, &taken, NULL), CTIE_OK);
    CHECK(taken && opened == 1);
    end(1);
}

static void a_long_name_does_not_hide_the_status(void) {
    begin();
    add("own", 0);
    static char key[100000];
    memset(key, 'k', sizeof key);
    ctie_pair fields[] = {{CTIE_STR("identifier"), ctie_value_string(CTIE_STR(CTIE_SHARE_KIND_TEXT))},
                          {CTIE_STR("text"), ctie_value_string(CTIE_STR("hello"))},
                          {{key, sizeof key}, ctie_value_bool(true)}};
    ctie_value *surplus = ctie_value_map(fields, 3);
    ctie_str endpoint_name = CTIE_STR(CTIE_ENDPOINT_WECHAT_FRIEND);
    CHECK_STATUS(ctie_share(bus, endpoint_name, surplus, NULL, NULL, NULL), CTIE_E_PARAM);
    ctie_value_release(surplus);
    ctie_pair kind = {CTIE_STR("identifier"), ctie_value_string((ctie_str){key, sizeof key})};
    ctie_value *unknown = ctie_value_map(&kind, 1);
    CHECK_STATUS(ctie_share(bus, endpoint_name, unknown, NULL, NULL, NULL), CTIE_E_UNSUPPORTED_MESSAGE);
    ctie_value_release(unknown);
    end(1);
}

/* ---- What they log ------------------------------------------------------------------------------- */

static char logged[256];

static void log_line(int32_t level, ctie_str message, void *unused) {
    (void)unused;
    snprintf(logged, sizeof logged, "%d %.*s", (int)level, (int)message.size, message.data);
}

static void log_for_one(ctie_str message, ctie_str file, ctie_str function, int32_t line, void *unused) {
    (void)unused;
    CHECK(line > 0 && file.size > 0);
    snprintf(logged, sizeof logged, "%.*s in %.*s", (int)message.size, message.data, (int)function.size, function.data);
}

static void logs_go_where_the_owner_wants(void) {
    begin();
    add("all", 0);
    CHECK_STATUS(CTIE_PROVIDER_LOG(bus, CTIE_STR("all"), CTIE_STR("unheard")), CTIE_OK);
    CHECK_STATUS(ctie_bus_set_log(bus, CTIE_LOGGER(log_line, NULL), NULL), CTIE_OK);
    CHECK_STATUS(CTIE_PROVIDER_LOG(bus, CTIE_STR("all"), CTIE_STR("one")), CTIE_OK);
    CHECK(strcmp(logged, "1 all: one") == 0);
    atomic_int ended = 0;
    CHECK_STATUS(ctie_provider_set_log(bus, CTIE_STR("all"), CTIE_PROVIDER_LOGGER_OWNED(log_for_one, &ended, count), NULL),
                 CTIE_OK);
    CHECK_STATUS(CTIE_PROVIDER_LOG(bus, CTIE_STR("all"), CTIE_STR("two")), CTIE_OK);
    CHECK(strcmp(logged, "two in logs_go_where_the_owner_wants") == 0);
    CHECK_STATUS(ctie_provider_log(bus, CTIE_STR("none"), CTIE_STR("three"), NULL, NULL, 0, NULL), CTIE_E_NOT_FOUND);
    CHECK_STATUS(ctie_provider_set_log(bus, CTIE_STR("none"), CTIE_PROVIDER_LOGGER_OWNED(log_for_one, &ended, count), NULL),
                 CTIE_E_NOT_FOUND);
    CHECK(ended == 1);
    CHECK_STATUS(ctie_provider_set_log(bus, CTIE_STR("all"), CTIE_PROVIDER_LOGGER(NULL, NULL), NULL), CTIE_OK);
    CHECK(ended == 2);
    CHECK_STATUS(ctie_provider_log(bus, CTIE_STR("all"), CTIE_STR("four"), NULL, NULL, 0, NULL), CTIE_OK);
    CHECK(strcmp(logged, "1 all: four") == 0);
    CHECK_STATUS(ctie_launch(bus, CTIE_STR("nobody's"), NULL, NULL, NULL, NULL), CTIE_E_NO_HANDLER);
    CHECK(strcmp(logged, "3 no provider launches programs of 'nobody's'") == 0);
    CHECK_STATUS(ctie_provider_set_log(bus, CTIE_STR("all"), CTIE_PROVIDER_LOGGER_OWNED(log_for_one, &ended, count), NULL),
                 CTIE_OK);
    end(1);
    CHECK(ended == 3);
}

int main(void) {
    endpoint.endpoint = CTIE_STR(CTIE_ENDPOINT_WECHAT_FRIEND);
    list_is_edited();
    list_is_swapped();
    registration_takes_it_away();
    list_has_an_end();
    every_capability_is_reached();
    all_three_run_on_workers();
    endpoints_are_bounded_and_unique();
    removal_waits();
    one_removes_itself();
    removing_is_the_end();
    each_question_stands_for_one_comparison();
    asking_has_an_end();
    private_schemes_are_private_for_providers_too();
    a_long_name_does_not_hide_the_status();
    logs_go_where_the_owner_wants();
    return check_end();
}
