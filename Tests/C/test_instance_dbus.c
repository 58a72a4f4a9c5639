/*
 * The first instance on a session bus of this test's own: what the desktop's tools call, what is refused, and that the
 * instance works without its name, its bus or libdbus-1.
 */
#define _GNU_SOURCE
#include "session_bus.h"

static ctie_bus *bus;
static const char *program;
static pid_t session;

static ctie_status dbus_status(const ctie_instance *instance) { return ctie_instance_dbus_status(instance, NULL); }

static ctie_instance *claim_with_name(ctie_bus *own) {
    ctie_instance *instance = claim(own);
    AWAIT(dbus_status(instance) == CTIE_OK);
    return instance;
}

static ctie_instance *claim_ready(void) {
    ctie_instance *instance = claim_with_name(bus);
    CHECK_STATUS(ctie_instance_ready(instance, NULL), CTIE_OK);
    return instance;
}

static void release(ctie_instance *instance) { CHECK_STATUS(ctie_instance_release(instance), CTIE_OK); }

/* ---- What runs over the bus ------------------------------------------------------------------------ */

static _Atomic int opened[8];
static _Atomic int activations, tokens, remote;

static void open_one(ctie_request *request, void *user_data CTIE_UNUSED) {
    const ctie_value *info = NULL;
    ctie_str number = {NULL, 0}, token = {NULL, 0};
    ctie_origin origin = CTIE_ORIGIN_LOCAL;
    CHECK_STATUS(ctie_request_param(request, CTIE_STR("number"), &number), CTIE_OK);
    CHECK_STATUS(ctie_request_user_info(request, &info), CTIE_OK);
    CHECK_STATUS(ctie_request_origin(request, &origin), CTIE_OK);
    const ctie_value *activation = ctie_value_get(info, CTIE_STR("activation"));
    ctie_value_get_string(ctie_value_get(activation, CTIE_STR("activation-token")), &token);
    tokens += text_is(token, "token-1");
    remote += origin == CTIE_ORIGIN_REMOTE;
    opened[strtol(number.data, NULL, 10) & 7]++;
    ctie_request_reply(request, NULL);
}

static void count_activation(ctie_request *request, void *user_data CTIE_UNUSED) {
    const ctie_value *info = NULL;
    ctie_str startup = {NULL, 0};
    CHECK_STATUS(ctie_request_user_info(request, &info), CTIE_OK);
    const ctie_value *activation = ctie_value_get(info, CTIE_STR("activation"));
    ctie_value_get_string(ctie_value_get(activation, CTIE_STR("desktop-startup-id")), &startup);
    CHECK(ctie_value_count(activation) <= 1);
    tokens += text_is(startup, "start-1");
    activations++;
}

static void release_inside(ctie_request *request, void *user_data CTIE_UNUSED);

static void add_handlers(ctie_bus *own) {
    add_route(own, "app://items/:number", open_one, true);
    add_route(own, "app://missing", fail_item, true);
    add_route(own, "app://private", open_item, false);
    add_route(own, "app://quit", release_inside, true);
    add_action(own, "window", "activate", count_activation, NULL, CTIE_ACTION_EVENT);
}

static void each_url_opens_once(void) {
    ctie_instance *instance = claim_ready();
    tokens = remote = 0;
    CHECK(run_tool(CALL_OF("Open") " \"['app://items/1', 'app://items/2']\" \"{'activation-token': <'token-1'>,"
                                   " 'other': <uint32 5>}\"") == 0);
    CHECK(opened[1] == 1 && opened[2] == 1 && tokens == 2 && remote == 2);
    CHECK(run_tool("timeout 60 gapplication launch " APPLICATION " app://items/3 2>&1") == 0);
    CHECK(opened[3] == 1);
    CHECK(run_tool(CALL_OF("Open") " '[]' '{}'") == 0);
    CHECK(activations == 0);
    CHECK(run_tool(CALL_OF("Activate") " \"{'desktop-startup-id': <'start-1'>, 'activation-token': <5>}\"") == 0);
    CHECK(activations == 1 && tokens == 3);
    release(instance);
}

static void failures_are_errors(void) {
    ctie_instance *instance = claim_ready();
    CHECK(run_tool(CALL_OF("Open") " \"['app://missing', 'app://nowhere', 'app://items/4']\" '{}'") != 0);
    CHECK(tool_said("org.freedesktop.DBus.Error.Failed") && tool_said("2 of 3 URLs are not open"));
    CHECK(tool_said("no such item") && opened[4] == 1);
    CHECK(run_tool(CALL_OF("Open") " \"['app://private']\" '{}'") != 0);
    CHECK(run_tool(CALL_OF("ActivateAction") " new-window '[]' '{}'") != 0);
    CHECK(tool_said("NotSupported") && tool_said("the application has no actions"));
    release(instance);
}

static void *call_early(void *exit_status) {
    *(int *)exit_status = run_tool(CALL_OF("Open") " \"['app://items/5']\" '{}'");
    return NULL;
}

/* The bus delivers the first call before the second one, whose caller does not wait. */
static void calls_wait_for_an_instance_that_starts(void) {
    pthread_t thread;
    int status = -1;
    ctie_instance *instance = claim_with_name(bus);
    pthread_create(&thread, NULL, call_early, &status);
    nap_ns(300000000);
    CHECK(opened[5] == 0);
    CHECK_STATUS(ctie_instance_ready(instance, NULL), CTIE_OK);
    pthread_join(thread, NULL);
    CHECK(status == 0 && opened[5] == 1);
    release(instance);
}

static void *call_that_is_refused(void *unused CTIE_UNUSED) {
    CHECK(run_tool(CALL_OF("Open") " \"['app://items/6']\" '{}'") != 0);
    return NULL;
}

static void a_release_refuses_calls_and_gives_the_name_up(void) {
    pthread_t thread;
    ctie_instance *instance = claim_with_name(bus);
    CHECK(name_has_owner());
    pthread_create(&thread, NULL, call_that_is_refused, NULL);
    nap_ns(300000000);
    release(instance);
    pthread_join(thread, NULL);
    CHECK(opened[6] == 0 && !name_has_owner());
}

static ctie_instance *leaving;

static void release_inside(ctie_request *request, void *user_data CTIE_UNUSED) {
    CHECK_STATUS(ctie_instance_release(leaving), CTIE_PENDING);
    ctie_request_reply(request, NULL);
}

static void a_handler_may_end_the_claim(void) {
    leaving = claim_ready();
    CHECK(run_tool(CALL_OF("Open") " \"['app://quit']\" '{}'") == 0);
    AWAIT(!name_has_owner());
}

/* ---- What is wrong --------------------------------------------------------------------------------- */

static void wrong_calls_are_refused(void) {
    static const char *const refused[][2] = {
        {RAW_CALL_OF("Activate"), "Activate has other types"},
        {RAW_CALL_OF("Activate a{ss} 0"), "Activate has other types"},
        {RAW_CALL_OF("Activate a{sv}s 0 more"), "Activate has other types"},
        {RAW_CALL_OF("Open"), "Open has other types"},
        {RAW_CALL_OF("Open s app://items/7"), "Open has other types"},
        {RAW_CALL_OF("Open asa{ss} 1 app://items/7 0"), "Open has other types"},
        {RAW_CALL_OF("Open a{sv}as 0 1 app://items/7"), "Open has other types"},
        {RAW_CALL_OF("Open aya{sv} 1 7 0"), "Open has other types"},
        {RAW_CALL_OF("Open asa{sv} $(seq -f app://items/%g -s ' ' 1025 | sed 's/^/1025 /') 0"), "too many URLs"},
        {RAW_CALL_OF("Open asa{sv} 1 app://items/7?$(printf %08192d 7) 0"), "too long ones"},
        {RAW_CALL_OF("Activate a{sv} 1 activation-token s $(printf %070000d 7)"), "at most 65536 bytes"},
        {RAW_CALL_OF("Close"), "no such method"},
        {"timeout 60 gdbus call --session --dest " APPLICATION " --object-path / --method "
         "org.freedesktop.Application.Activate '{}' 2>&1", ""},
        {"timeout 60 gdbus call --session --dest " APPLICATION " --object-path /com/example/app --method "
         "org.freedesktop.DBus.Properties.GetAll org.freedesktop.Application 2>&1", "no such method"},
    };
    ctie_instance *instance = claim_ready();
    activations = 0;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        CHECK(run_tool("%s", refused[i][0]) != 0);
        CHECK(tool_said(refused[i][1]));
        if (!tool_said(refused[i][1])) fprintf(stderr, "    %s: %s\n", refused[i][0], tool_output);
    }
    CHECK(opened[7] == 0 && activations == 0);
    CHECK(run_tool(RAW_CALL_OF("Activate a{sv} 2 activation-token as 1 x desktop-startup-id v s y")) == 0);
    CHECK(run_tool(RAW_CALL_OF("Open asa{sv} 1 app://items/7 1 x a{sv} 1 y i 5")) == 0);
    CHECK(opened[7] == 1);
    CHECK(run_tool("timeout 60 gdbus call --session --dest " APPLICATION " --object-path / --method "
                   "org.freedesktop.DBus.Peer.Ping 2>&1") == 0);
    release(instance);
}

static _Atomic int warnings;

static void note_warning(int32_t level, ctie_str line, void *user_data CTIE_UNUSED) {
    warnings += level == CTIE_LOG_WARNING && text_has(line, "another process has the name");
}

/* The owner keeps the name. A process that has not got it stays without it. */
static void a_name_of_another_process_is_reported(void) {
    char elsewhere[96];
    ctie_bus *other = make_bus();
    ctie_instance *owner = claim_with_name(other), *instance = NULL;
    ctie_instance_options options = CTIE_INSTANCE_OPTIONS_INIT;
    ctie_error *error = NULL;
    snprintf(elsewhere, sizeof elsewhere, "%s/elsewhere", directory);
    options.directory = ctie_str_from(elsewhere);
    CHECK_STATUS(ctie_bus_set_log(bus, CTIE_LOGGER(note_warning, NULL), NULL), CTIE_OK);
    CHECK_STATUS(ctie_instance_claim(bus, CTIE_STR(APPLICATION), &options, &instance, NULL), CTIE_OK);
    CHECK(is_first(instance));
    AWAIT(dbus_status(instance) == CTIE_E_CONFLICT);
    AWAIT(warnings == 1);
    CHECK_STATUS(ctie_instance_dbus_status(instance, &error), CTIE_E_CONFLICT);
    CHECK(text_has(ctie_error_message(error), "another process has the name"));
    ctie_error_release(error);
    CHECK_STATUS(dbus_status(owner), CTIE_OK);
    release(owner);
    CHECK(!name_has_owner());
    CHECK_STATUS(dbus_status(instance), CTIE_E_CONFLICT);
    release(instance);
    CHECK_STATUS(ctie_bus_set_log(bus, CTIE_LOGGER(NULL, NULL), NULL), CTIE_OK);
    CHECK_STATUS(ctie_bus_release(other), CTIE_OK);
}

/* ---- Without a bus, without the library ------------------------------------------------------------- */

/* There is the thread of the socket, and no other. */
static void claim_without(ctie_status status, uint32_t flags, const char *application) {
    int threads = thread_count();
    ctie_instance *instance = NULL;
    ctie_instance_options options = CTIE_INSTANCE_OPTIONS_INIT;
    options.directory = ctie_str_from(directory);
    options.flags = flags;
    CHECK_STATUS(ctie_instance_claim(bus, ctie_str_from(application), &options, &instance, NULL), CTIE_OK);
    CHECK_STATUS(dbus_status(instance), status);
    CHECK(is_first(instance) && thread_count() == threads + 1);
    CHECK_STATUS(ctie_instance_ready(instance, NULL), CTIE_OK);
    opened[0] = 0;
    CHECK_STATUS(hand(instance, "app://items/0", -1, NULL), CTIE_OK);
    CHECK(opened[0] == 1);
    release(instance);
    CHECK(threads_end(threads));
}

static void no_bus_is_needed(void) {
    char address[160], path[128];
    claim_without(CTIE_E_NOT_FOUND, CTIE_INSTANCE_NO_DBUS, APPLICATION);
    claim_without(CTIE_E_IDENTIFIER, 0, "app");
    claim_without(CTIE_E_IDENTIFIER, 0, "com.2example");
    setenv("DBUS_SESSION_BUS_ADDRESS", "autolaunch:", 1);
    claim_without(CTIE_E_NOT_FOUND, 0, APPLICATION);
    snprintf(path, sizeof path, "%s/started", directory);
    snprintf(address, sizeof address, "unixexec:path=touch,argv1=%s", path);
    setenv("DBUS_SESSION_BUS_ADDRESS", address, 1);
    claim_without(CTIE_E_NOT_FOUND, 0, APPLICATION);
    CHECK(access(path, F_OK) != 0);
    unsetenv("DBUS_SESSION_BUS_ADDRESS");
    unsetenv("XDG_RUNTIME_DIR");
    claim_without(CTIE_E_NOT_FOUND, 0, APPLICATION);
    setenv("XDG_RUNTIME_DIR", "/nowhere", 1);
    claim_without(CTIE_E_NOT_FOUND, 0, APPLICATION);
    setenv("XDG_RUNTIME_DIR", directory, 1);
    release(claim_with_name(bus));
    unsetenv("XDG_RUNTIME_DIR");
    setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere/bus", 1);
    ctie_instance *instance = claim(bus);
    AWAIT(dbus_status(instance) == CTIE_E_SYSTEM);
    release(instance);
    setenv("DBUS_SESSION_BUS_ADDRESS", session_address, 1);
}

/* This program again, where the library cannot be loaded. */
static int without_library(void *argument CTIE_UNUSED) {
    char path[128], search[4096];
    const char *before = getenv("LD_LIBRARY_PATH");
    snprintf(path, sizeof path, "%s/libdbus-1.so.3", directory);
    FILE *file = fopen(path, "w");
    if (file == NULL) return 1;
    fputs("no library", file);
    fclose(file);
    snprintf(search, sizeof search, "%s%s%s", directory, before != NULL ? ":" : "", before != NULL ? before : "");
    setenv("LD_LIBRARY_PATH", search, 1);
    execl(program, program, directory, (char *)NULL);
    return 1;
}

static int run_without_library(const char *given) {
    snprintf(directory, sizeof directory, "%s", given);
    board = share(sizeof *board);
    bus = make_bus();
    add_handlers(bus);
    claim_without(CTIE_E_NOT_INSTALLED, 0, APPLICATION);
    CHECK_STATUS(ctie_bus_release(bus), CTIE_OK);
    return checks_failed != 0;
}

/* The bus may not know yet that the process before has ended. */
static void the_next_first_instance_has_the_name(void) {
    pid_t child = start_first(true);
    ctie_instance *instance = claim(bus);
    CHECK_STATUS(hand(instance, "app://items/0", -1, NULL), CTIE_OK);
    AWAIT(name_has_owner());
    CHECK_STATUS(dbus_status(instance), CTIE_E_NOT_FOUND);
    kill_child(child);
    CHECK_STATUS(hand(instance, "app://items/1", -1, NULL), CTIE_PENDING);
    AWAIT(dbus_status(instance) == CTIE_OK);
    release(instance);
}

/* ---- Forks and ends -------------------------------------------------------------------------------- */

static int leave_by_exit(void *instance) {
    CHECK_STATUS(dbus_status(instance), CTIE_E_FORKED);
    CHECK_STATUS(ctie_instance_release(instance), CTIE_E_FORKED);
#ifndef __SANITIZE_ADDRESS__ /* it would look for leaks of threads that the child has not */
    if (checks_failed == 0) exit(0);
#endif
    return 0;
}

static int die_and_leave_a_child(void *argument CTIE_UNUSED) {
    claim_with_name(make_bus());
    if (fork() == 0) {
        board->go = 1;
        while (!board->shall_end) nap_ns(200000);
        _exit(0);
    }
    AWAIT(board->go == 1);
    return 0;
}

static void forks_do_not_touch_the_name(void) {
    ctie_instance *instance = claim_ready();
    CHECK(in_child(leave_by_exit, instance) == 0);
    CHECK_STATUS(dbus_status(instance), CTIE_OK);
    opened[1] = 0;
    CHECK(run_tool(CALL_OF("Open") " \"['app://items/1']\" '{}'") == 0);
    CHECK(opened[1] == 1);
    release(instance);
    board->shall_end = board->go = 0;
    CHECK(in_child(die_and_leave_a_child, NULL) == 0);
    AWAIT(!name_has_owner());
    board->shall_end = 1;
}

/* A release does not wait for such a bus for long. */
static void a_bus_that_does_not_answer_is_reported(void) {
    int status = 0;
    ctie_instance *named = claim_with_name(bus);
    kill(session, SIGSTOP);
    CHECK(waitpid(session, &status, WUNTRACED) == session && WIFSTOPPED(status));
    release(named);
    ctie_instance *instance = claim(bus);
    CHECK_STATUS(dbus_status(instance), CTIE_PENDING);
    release(instance);
    instance = claim(bus);
    AWAIT(dbus_status(instance) == CTIE_E_TIMEOUT);
    release(instance);
    kill(session, SIGCONT);
    AWAIT(!name_has_owner());
}

static void a_bus_that_ends_leaves_the_socket(void) {
    ctie_bus *other = make_bus();
    ctie_instance *instance = claim_ready(), *second = claim(other);
    CHECK_STATUS(dbus_status(second), CTIE_E_NOT_FOUND);
    kill_child(session);
    AWAIT(dbus_status(instance) == CTIE_E_PEER_GONE);
    opened[2] = 0;
    CHECK_STATUS(hand(second, "app://items/2", -1, NULL), CTIE_OK);
    CHECK(opened[2] == 1);
    release(second);
    release(instance);
    CHECK_STATUS(ctie_bus_release(other), CTIE_OK);
}

int main(int count, char **arguments) {
    program = arguments[0];
    if (count > 1) return run_without_library(arguments[1]);
    name_directory();
    board = share(sizeof *board);
    session = start_session_bus();
    struct sigaction before, after;
    sigaction(SIGPIPE, NULL, &before);
    int threads = thread_count();
    bus = make_bus();
    add_handlers(bus);
    release(claim_with_name(bus));
    int files = open_files();
    each_url_opens_once();
    failures_are_errors();
    calls_wait_for_an_instance_that_starts();
    a_release_refuses_calls_and_gives_the_name_up();
    a_handler_may_end_the_claim();
    wrong_calls_are_refused();
    a_name_of_another_process_is_reported();
    no_bus_is_needed();
    CHECK(in_child(without_library, NULL) == 0);
    the_next_first_instance_has_the_name();
    forks_do_not_touch_the_name();
    a_bus_that_does_not_answer_is_reported();
    a_bus_that_ends_leaves_the_socket();
    sigaction(SIGPIPE, NULL, &after);
    CHECK(before.sa_handler == after.sa_handler);
    CHECK(open_files() == files);
    CHECK_STATUS(ctie_bus_release(bus), CTIE_OK);
    CHECK(threads_end(threads));
    remove_directory();
    return check_end();
}
