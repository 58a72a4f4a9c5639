/* Good arguments for the calls that generate_bad_arguments.py writes, and what must come of the bad ones. */
#ifndef BAD_ARGUMENTS_H
#define BAD_ARGUMENTS_H

#include <crosstie.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* One live object of each type, and one good struct of each kind. */
static struct {
    ctie_bus *bus;
    ctie_registration *registration;
    ctie_request *request;
    ctie_response *response;
    ctie_call *call;
    ctie_loop *loop;
    ctie_wormhole *wormhole;
    ctie_listener *listener;
    ctie_join *join;
    ctie_instance *instance;
    ctie_message *message;
    ctie_value *value;
    ctie_value *value_item;
    ctie_error *error;
    ctie_pair pair;
    ctie_runtime runtime;
    ctie_bus_options bus_options;
    ctie_route_options route_options;
    ctie_request_options request_options;
    ctie_action action;
    ctie_component_options component_options;
    ctie_declared_action declared_action;
    ctie_declaration declaration;
    ctie_dispatcher_options dispatcher_options;
    ctie_wormhole_options wormhole_options;
    ctie_listen_options listen_options;
    ctie_durable_options durable_options;
    ctie_send_options send_options;
    ctie_join_options join_options;
    ctie_instance_options instance_options;
    ctie_outgoing outgoing;
    ctie_transport transport;
    ctie_engine engine;
    ctie_foreign_type foreign_type;
    ctie_handler_options handler_options;
    ctie_interceptor_options interceptor_options;
    ctie_system_opener_options system_opener_options;
    ctie_system_provider_options system_provider_options;
    ctie_provider provider;
    ctie_provider_endpoint endpoint;
    ctie_rules_options rules_options;
    ctie_handler interceptor;
    ctie_str text;
} good;

/* Handles whose objects have been destroyed. */
static struct {
    ctie_bus *bus;
    ctie_registration *registration;
    ctie_request *request;
    ctie_response *response;
    ctie_call *call;
    ctie_loop *loop;
    ctie_wormhole *wormhole;
    ctie_listener *listener;
    ctie_join *join;
    ctie_instance *instance;
} stale;

static _Alignas(16) char foreign_memory[256];
static char filler[1 << 17]; /* more than any limit that text is read up to before its size is refused */
static ctie_handler many_interceptors[65];
static ctie_action many_actions[1025];
static char directory[64];
static ctie_request *retained_request;
/* One count for each case: the destroy of an asynchronous success may come while a later case runs. */
static _Atomic int destroyed[1 << 14];
static int case_number;
static int failures;
static const char *current = "the setting up";

/* ---- Saying what went wrong --------------------------------------------------------------------- */

static void fail(const char *what) {
    fprintf(stderr, "%s: %s\n", current, what);
    failures++;
}

static void on_signal(int number) {
    const char *what = number == SIGALRM ? ": it hangs\n" : ": a signal came\n";
    ssize_t ignored = write(STDERR_FILENO, current, strlen(current));
    ignored = write(STDERR_FILENO, what, strlen(what));
    (void)ignored;
    _exit(1);
}

static void begin(const char *label) {
    current = label;
    case_number = (case_number + 1) % (1 << 14);
    destroyed[case_number] = 0;
}

static void expect_status(ctie_status status, bool must_fail) {
    if (must_fail && status >= 0) fail("succeeded");
    if (strcmp(ctie_status_name(status), "CTIE_UNLISTED") == 0) fail("answered a status that is not in the list");
}

static inline void expect_error(const ctie_error *error, ctie_status status) {
    if (error == NULL) return;
    if (error == (const void *)foreign_memory) return fail("left the error as it was");
    if (status >= 0) fail("gave an error and a success");
    if (ctie_error_status(error) != status) fail("the error's status is not the one that was returned");
}

/* Whether the size of a struct was one that some header has had. */
static inline void expect_size(const ctie_error *error, bool is_known) {
    ctie_str location = ctie_error_location(error);
    bool is_refused = location.size == 12 && memcmp(location.data, "options.size", 12) == 0;
    if (is_refused && is_known) fail("refused the size");
    if (!is_refused && !is_known) fail("took the size");
}

static inline void expect_newer(ctie_status status) {
    if (status != CTIE_E_ABI) fail("took what it does not know");
}

/* A callback's destroy has run once when registering has failed. */
static inline void expect_destroyed(ctie_status status) {
    if (status < 0 && destroyed[case_number] != 1) fail("destroy did not run exactly once");
}

/* Borrowed and copied results stay unchanged if the call fails, so that they may hold a default. */
static inline void expect_kept(const void *out, size_t size, ctie_status status) {
    const unsigned char *bytes = out;
    for (size_t i = 0; status < 0 && i < size; i++) {
        if (bytes[i] != 0x5a) return fail("changed what the caller keeps on failure");
    }
}

/* Results that the caller is to own are set in any case, so that they may be released. */
static inline void expect_set(const void *out) {
    if (out == (const void *)foreign_memory) fail("left as it was what the caller is to own");
}

static inline void expect_pointer(const void *result, bool must_be_null) {
    if (must_be_null && result != NULL) fail("gave a result");
}

static inline void expect_text(ctie_str text) {
    unsigned sum = 0;
    for (size_t i = 0; i < text.size; i++) sum += (unsigned char)text.data[i];
    foreign_memory[0] = (char)sum; /* read every byte, so that a wild pointer shows */
}

/* ---- Callbacks ---------------------------------------------------------------------------------- */

static void good_destroy_fn(void *user_data) {
    (*(_Atomic int *)user_data)++;
}

static void good_handler_fn(ctie_request *request, void *user_data) {
    (void)request, (void)user_data;
}

static void keeping_handler(ctie_request *request, void *user_data) {
    (void)user_data;
    if (ctie_request_retain(request) == CTIE_OK) __atomic_store_n(&retained_request, request, __ATOMIC_RELEASE);
}

static bool good_param_visit_fn(ctie_str name, ctie_str text, const ctie_value *value, void *user_data) {
    expect_text(name), expect_text(text);
    (void)value, (void)user_data;
    return true;
}

static void good_completion_fn(ctie_response *response, void *user_data) {
    (void)response, (void)user_data;
}

static void good_provider_logger_fn(ctie_str message, ctie_str file, ctie_str function, int32_t line, void *user_data) {
    (void)message, (void)file, (void)function, (void)line, (void)user_data;
}

static void good_logger_fn(int32_t level, ctie_str message, void *user_data) {
    (void)level, (void)message, (void)user_data;
}

static void good_notice_fn(void *user_data) {
    (void)user_data;
}

static void good_receiver_fn(const ctie_message *message, void *user_data) {
    (void)message, (void)user_data;
}

static inline void good_peer_listener_fn(ctie_peer_event event, const ctie_value *peer, void *user_data) {
    (void)event, (void)peer, (void)user_data;
}

static inline bool good_wait_fn(void *user_data) {
    (void)user_data;
    return false;
}

static void *good_factory_fn(void *user_data) {
    return user_data;
}

static void ignore_object(void *object) {
    (void)object;
}

/* ---- The fixture -------------------------------------------------------------------------------- */

static void must(ctie_status status, const char *what) {
    if (status == CTIE_OK) return;
    fprintf(stderr, "the fixture: %s: %s\n", what, ctie_status_name(status));
    exit(1);
}
#define MUST(call) must(call, #call)

static void set_up_components(void) {
    good.action = (ctie_action){CTIE_STR("go"), good_handler_fn, NULL, CTIE_ACTION_EVENT, CTIE_STR("doc")};
    for (size_t i = 0; i < 1025; i++) many_actions[i] = good.action;
    good.component_options = (ctie_component_options)CTIE_COMPONENT_OPTIONS_INIT;
    good.component_options.flags = CTIE_COMPONENT_REPLACE;
    good.declared_action.action = good.action;
    good.declaration = (ctie_declaration){sizeof(ctie_declaration), CTIE_DECLARATION_FORM, CTIE_STR("declared"),
                                          &good.declared_action, CTIE_INSTANCE(NULL), &good.component_options};
}

static void set_up_provider(void) {
    good.endpoint.endpoint = CTIE_STR("com.example.endpoint");
    good.provider = (ctie_provider)CTIE_PROVIDER_INIT;
    good.provider.name = CTIE_STR("provider");
    good.provider.share = good.provider.oauth = good.provider.launch = good_handler_fn;
    good.provider.open_url = good.provider.open_activity = good_handler_fn;
    good.provider.endpoints = &good.endpoint;
    good.provider.endpoint_count = 1;
    good.provider.platform = CTIE_STR("com.example.platform");
    good.provider.app_id = CTIE_STR("wx1");
    good.provider.universal_link = CTIE_STR("https://example.com/");
    MUST(ctie_provider_add(good.bus, &good.provider, 0, NULL, NULL));
}

static void set_up_structs(void) {
    good.bus_options = (ctie_bus_options)CTIE_BUS_OPTIONS_INIT;
    good.route_options = (ctie_route_options)CTIE_ROUTE_OPTIONS_INIT;
    good.request_options = (ctie_request_options)CTIE_REQUEST_OPTIONS_INIT;
    good.dispatcher_options = (ctie_dispatcher_options)CTIE_DISPATCHER_OPTIONS_INIT;
    good.handler_options = (ctie_handler_options)CTIE_HANDLER_OPTIONS_INIT;
    good.interceptor_options = (ctie_interceptor_options)CTIE_INTERCEPTOR_OPTIONS_INIT;
    good.system_opener_options = (ctie_system_opener_options)CTIE_SYSTEM_OPENER_OPTIONS_INIT;
    good.system_provider_options = (ctie_system_provider_options)CTIE_SYSTEM_PROVIDER_OPTIONS_INIT;
    good.rules_options = (ctie_rules_options)CTIE_RULES_OPTIONS_INIT;
    good.interceptor = (ctie_handler){good_handler_fn, NULL, NULL};
    for (size_t i = 0; i < 65; i++) many_interceptors[i] = good.interceptor;
    good.text = CTIE_STR("text");
    good.listen_options = (ctie_listen_options)CTIE_LISTEN_OPTIONS_INIT;
    good.durable_options = (ctie_durable_options)CTIE_DURABLE_OPTIONS_INIT;
    good.send_options = (ctie_send_options)CTIE_SEND_OPTIONS_INIT;
    good.join_options = (ctie_join_options)CTIE_JOIN_OPTIONS_INIT;
    good.instance_options = (ctie_instance_options)CTIE_INSTANCE_OPTIONS_INIT;
    good.instance_options.directory = ctie_str_from(directory);
    good.outgoing = (ctie_outgoing){CTIE_STR("some.identifier"), NULL};
    good.wormhole_options = (ctie_wormhole_options)CTIE_WORMHOLE_OPTIONS_INIT;
    good.wormhole_options.directory = ctie_str_from(directory);
    good.wormhole_options.map_size = 1 << 20;
    good.runtime.size = sizeof good.runtime;
    good.transport.size = sizeof good.transport;
    good.engine.size = sizeof good.engine;
    good.foreign_type = (ctie_foreign_type){CTIE_FOREIGN_TYPE_INIT};
    good.foreign_type.tag = CTIE_STR("bad_arguments");
    good.foreign_type.retain = ignore_object;
    good.foreign_type.release = ignore_object;
}

static void set_up_values(void) {
    ctie_value *out = NULL;
    good.value_item = ctie_value_int(1);
    good.pair = (ctie_pair){CTIE_STR("key"), ctie_value_int(1)};
    ctie_pair pair = {CTIE_STR("key"), ctie_value_string(CTIE_STR("a text too long for a pointer"))};
    good.value = ctie_value_map(&pair, 1);
    ctie_value_from_json(CTIE_STR("{"), &out, &good.error);
    if (good.value == NULL || good.error == NULL) must(CTIE_E_NO_MEMORY, "values");
}

static void set_up_requests(void) {
    ctie_str kept = CTIE_STR("app://kept/42"), users = CTIE_STR("app://users/42");
    MUST(ctie_route_add(good.bus, CTIE_STR("app://kept/:id"), CTIE_HANDLER(keeping_handler, NULL), NULL, NULL, NULL));
    MUST(ctie_open_async(good.bus, kept, CTIE_ORIGIN_LOCAL, CTIE_COMPLETION(NULL, NULL), NULL, &stale.call, NULL));
    while ((good.request = __atomic_load_n(&retained_request, __ATOMIC_ACQUIRE)) == NULL) usleep(100);
    MUST(ctie_call_release(stale.call));
    MUST(ctie_open(good.bus, users, CTIE_ORIGIN_LOCAL, NULL, &good.response, NULL));
    MUST(ctie_open(good.bus, users, CTIE_ORIGIN_LOCAL, NULL, &stale.response, NULL));
    MUST(ctie_response_release(stale.response));
    MUST(ctie_open_async(good.bus, users, CTIE_ORIGIN_LOCAL, CTIE_COMPLETION(NULL, NULL), NULL, &good.call, NULL));
    MUST(ctie_call_wait(good.call, -1, NULL));
}

/* The request of a handler that has returned is stale by itself. */
static void stale_handler(ctie_request *request, void *user_data) {
    (void)user_data;
    stale.request = request;
}

static void set_up_bus(void) {
    ctie_str pattern = CTIE_STR("app://stale/:id");
    MUST(ctie_bus_new(NULL, &stale.bus, NULL));
    MUST(ctie_bus_release(stale.bus));
    MUST(ctie_bus_new(NULL, &good.bus, NULL));
    MUST(ctie_route_add(good.bus, pattern, CTIE_HANDLER(stale_handler, NULL), NULL, &stale.registration, NULL));
    MUST(ctie_open(good.bus, CTIE_STR("app://stale/1"), CTIE_ORIGIN_LOCAL, NULL, NULL, NULL));
    MUST(ctie_registration_release(stale.registration));
    pattern = CTIE_STR("app://users/:id");
    MUST(ctie_route_add(good.bus, pattern, CTIE_HANDLER(good_handler_fn, NULL), NULL, &good.registration, NULL));
}

static void set_up_calls(void) {
    MUST(ctie_component_add(good.bus, CTIE_STR("home"), (ctie_action_list){&good.action, 1},
                            CTIE_INSTANCE(foreign_memory), NULL, NULL, NULL));
    MUST(ctie_performer_allow(good.bus, CTIE_STR("x:y"), NULL));
    set_up_provider();
    MUST(ctie_loop_new(&stale.loop, NULL));
    MUST(ctie_loop_release(stale.loop));
    MUST(ctie_loop_new(&good.loop, NULL));
}

static void set_up_wormhole(void) {
    ctie_str group = CTIE_STR("bad.arguments"), some = CTIE_STR("some.identifier");
    const ctie_wormhole_options *options = &good.wormhole_options;
    MUST(ctie_wormhole_open(group, options, &stale.wormhole, NULL));
    MUST(ctie_wormhole_release(stale.wormhole));
    MUST(ctie_wormhole_open(group, options, &good.wormhole, NULL));
    MUST(ctie_wormhole_send(good.wormhole, some, ctie_value_int(1), NULL, NULL, NULL, NULL));
    MUST(ctie_wormhole_message(good.wormhole, some, &good.message, NULL));
    MUST(ctie_wormhole_listen(good.wormhole, some, CTIE_RECEIVER(good_receiver_fn, NULL), NULL, &stale.listener, NULL));
    MUST(ctie_listener_release(stale.listener));
    MUST(ctie_wormhole_listen(good.wormhole, some, CTIE_RECEIVER(good_receiver_fn, NULL), NULL, &good.listener, NULL));
    MUST(ctie_bus_join(good.bus, good.wormhole, &good.join_options, &stale.join, NULL));
    MUST(ctie_join_release(stale.join));
    MUST(ctie_bus_join(good.bus, good.wormhole, &good.join_options, &good.join, NULL));
    MUST(ctie_instance_claim(good.bus, CTIE_STR("com.example.good"), &good.instance_options, &stale.instance, NULL));
    MUST(ctie_instance_release(stale.instance));
    MUST(ctie_instance_claim(good.bus, CTIE_STR("com.example.good"), &good.instance_options, &good.instance, NULL));
}

static void set_up(void) {
    const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT, SIGALRM};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) signal(signals[i], on_signal);
    alarm(240); /* a watchdog for calls that hang */
    const char *temporary = getenv("TMPDIR");
    snprintf(directory, sizeof directory, "%s/crosstie-XXXXXX", temporary == NULL ? "/tmp" : temporary);
    if (mkdtemp(directory) == NULL) must(CTIE_E_SYSTEM, "mkdtemp");
    memset(filler, 'a', sizeof filler);
    set_up_structs();
    set_up_components();
    set_up_values();
    set_up_bus();
    set_up_requests();
    set_up_calls();
    set_up_wormhole();
}

static void remove_directory(void) {
    const char *files[] = {"data.mdb", "lock.mdb", "wakeups", "opening"};
    char path[128];
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "%s/%s", directory, files[i]);
        unlink(path);
    }
    snprintf(path, sizeof path, "rm -rf %s/.instances", directory);
    if (system(path) != 0) fail("left the lock of an instance");
    snprintf(path, sizeof path, "%s/peers", directory);
    if (rmdir(path) != 0) fail("left sockets in the wormhole's directory");
    if (rmdir(directory) != 0) fail("left files in the wormhole's directory");
}

static int tear_down(int functions, int calls) {
    current = "the end";
    ctie_message_release(good.message);
    ctie_join_release(good.join);
    ctie_instance_release(good.instance);
    ctie_listener_release(good.listener);
    ctie_wormhole_release(good.wormhole);
    remove_directory();
    ctie_call_release(good.call);
    ctie_loop_release(good.loop);
    ctie_response_release(good.response);
    ctie_request_release(good.request);
    ctie_registration_release(good.registration);
    if (ctie_bus_close(good.bus) != CTIE_OK) fail("the bus did not close");
    ctie_value_release(good.value);
    ctie_error_release(good.error);
    printf("%d functions, %d calls with a bad argument, %d failures\n", functions, calls, failures);
    return failures != 0;
}

#endif
