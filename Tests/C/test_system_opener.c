/*
 * The system opener: the program, its arguments, and its surroundings. The program that is started is this one itself.
 */
#define _GNU_SOURCE
#include "check.h"
#include "latch.h"
#include "recording.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

/* Everything that a shell would make something of, where a URL may hold it. */
#define HOSTILE "https://example.com/;$(touch$IFS'x')&*!~=+,@:%20%22/{a}|`b`?q=$HOME&r=<a>;\"b\"#'$(id)'"

/* ---- The host ----------------------------------------------------------------------------------- */

static ctie_bus *bus_with(const char *program_name, uint32_t flags) {
    ctie_bus *bus = NULL;
    ctie_system_opener_options options = CTIE_SYSTEM_OPENER_OPTIONS_INIT;
    options.program = ctie_str_from(program_name);
    options.flags = flags;
    CHECK_STATUS(ctie_bus_new(NULL, &bus, NULL), CTIE_OK);
    CHECK_STATUS(ctie_bus_set_system_opener(bus, CTIE_HANDLER(NULL, NULL), &options, NULL), CTIE_OK);
    return bus;
}

static ctie_status open_url(ctie_bus *bus, const char *url, ctie_origin origin) {
    return ctie_open(bus, ctie_str_from(url), origin, NULL, NULL, NULL);
}

static void copy_url(ctie_request *request, void *user_data) {
    ctie_str url;
    CHECK_STATUS(ctie_request_url(request, CTIE_URL_WHOLE, &url), CTIE_OK);
    snprintf(user_data, 512, "%.*s", (int)url.size, url.data);
}

/* The normal form, as a handler in the program's place would get it. */
static const char *normal_form(const char *url) {
    static char normal[512];
    ctie_bus *bus = bus_with("", 0);
    CHECK_STATUS(ctie_bus_set_system_opener(bus, CTIE_HANDLER(copy_url, normal), NULL, NULL), CTIE_OK);
    CHECK_STATUS(open_url(bus, url, CTIE_ORIGIN_LOCAL), CTIE_OK);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    return normal;
}

static void the_url_is_the_one_argument(void) {
    ctie_bus *bus = bus_with(program, 0);
    const char *expected = normal_form(HOSTILE);
    CHECK(strstr(expected, "$(touch$IFS'x')&*!") != NULL);
    CHECK_STATUS(open_url(bus, HOSTILE, CTIE_ORIGIN_LOCAL), CTIE_OK);
    record seen = next_record();
    CHECK(seen.count == 2);
    CHECK(strcmp(seen.arguments[0], program) == 0);
    CHECK(strcmp(seen.arguments[1], expected) == 0);
    CHECK(ends(seen.process));
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

/* The host's own descriptors, though nothing marks them as its own. */
static void nothing_of_the_host_leaks(void) {
    int pipes[2], other = open("/dev/null", O_RDONLY), old_input = dup(0);
    char host_input[64] = "";
    CHECK(pipe(pipes) == 0 && other >= 0);
    CHECK(dup2(pipes[0], 0) == 0);
    CHECK(readlink("/proc/self/fd/0", host_input, sizeof host_input - 1) > 0);
    ctie_bus *bus = bus_with(program, 0);
    CHECK_STATUS(open_url(bus, "https://example.com", CTIE_ORIGIN_LOCAL), CTIE_OK);
    record seen = next_record();
    CHECK(seen.inherited == 0);
    CHECK(strcmp(seen.input, host_input) != 0);
    CHECK(seen.session == seen.process && seen.session != getsid(0));
    CHECK(ends(seen.process));
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    dup2(old_input, 0);
    const int mine[] = {pipes[0], pipes[1], other, old_input};
    for (int i = 0; i < 4; i++) { close(mine[i]); }
}

static void no_program_is_left_behind(void) {
    ctie_bus *bus = bus_with(program, 0);
    CHECK_STATUS(open_url(bus, "https://example.com/1", CTIE_ORIGIN_LOCAL), CTIE_OK);
    record first = next_record();
    CHECK(ends(first.process));
    CHECK_STATUS(open_url(bus, "https://example.com/2", CTIE_ORIGIN_LOCAL), CTIE_OK);
    record second = next_record();
    CHECK(state_of(first.process) == 0);
    CHECK(ends(second.process));
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    CHECK(state_of(second.process) == 0);
    CHECK(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
}

static void a_program_is_found_on_the_path(void) {
    char *old = strdup(getenv("PATH")), path[256];
    CHECK(symlink(program, in_directory("opener-of-this-test")) == 0);
    snprintf(path, sizeof path, "/nowhere:%s", directory);
    setenv("PATH", path, 1);
    ctie_bus *bus = bus_with("opener-of-this-test", 0);
    CHECK_STATUS(open_url(bus, "https://example.com", CTIE_ORIGIN_LOCAL), CTIE_OK);
    record seen = next_record();
    CHECK(strcmp(seen.arguments[1], "https://example.com/") == 0 && ends(seen.process));
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    setenv("PATH", old, 1);
    free(old);
    unlink(in_directory("opener-of-this-test"));
}

static void expect_not_started(const char *name) {
    ctie_bus *bus = bus_with(name, 0);
    ctie_response *response = NULL;
    ctie_error *error = NULL;
    CHECK_STATUS(ctie_open(bus, CTIE_STR("https://example.com"), 1, NULL, &response, &error), CTIE_E_SYSTEM);
    ctie_str message = ctie_error_message(error), same = ctie_response_message(response);
    CHECK(memmem(message.data, message.size, name, strlen(name)) != NULL); /* which one, and why */
    CHECK(message.size > strlen(name) + 10 && message.size == same.size);
    ctie_error_release(error);
    ctie_response_release(response);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    CHECK(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
}

static void a_program_that_cannot_be_started_is_an_error(void) {
    const char *preloaded = getenv("LD_PRELOAD");
    if (preloaded != NULL && strstr(preloaded, "vgpreload") != NULL) {
        printf("skipped: under valgrind a program that cannot be started seems to end at once\n");
        return;
    }
    FILE *file = fopen(in_directory("plain"), "w");
    fputs("not to be run", file);
    fclose(file);
    expect_not_started("/nowhere/opener");
    expect_not_started("no-such-opener-anywhere");
    expect_not_started(in_directory("plain"));
    expect_not_started(directory);
    unlink(in_directory("plain"));
}

static void only_what_is_allowed_starts_anything(void) {
    ctie_bus *bus = bus_with(program, 0);
    CHECK_STATUS(open_url(bus, "https://example.com", CTIE_ORIGIN_REMOTE), CTIE_E_BLOCKED);
    CHECK_STATUS(open_url(bus, "https://example.com", 7), CTIE_E_BLOCKED);
    CHECK_STATUS(open_url(bus, "mailto:a@b.example", CTIE_ORIGIN_LOCAL), CTIE_E_BLOCKED);
    CHECK_STATUS(open_url(bus, "file:///etc/passwd", CTIE_ORIGIN_LOCAL), CTIE_E_BLOCKED);
    CHECK_STATUS(open_url(bus, "https://example.com/a b", CTIE_ORIGIN_LOCAL), CTIE_E_URL);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    bus = bus_with(program, CTIE_SYSTEM_OPENER_OFF);
    CHECK_STATUS(open_url(bus, "https://example.com", CTIE_ORIGIN_LOCAL), CTIE_E_BLOCKED);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    CHECK(access(record_path, F_OK) != 0 && waitpid(-1, NULL, WNOHANG) == -1);
    bus = bus_with(program, CTIE_SYSTEM_OPENER_REMOTE);
    CHECK_STATUS(open_url(bus, "https://example.com", CTIE_ORIGIN_REMOTE), CTIE_OK);
    CHECK(ends(next_record().process));
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

/* ---- Setting it --------------------------------------------------------------------------------- */

static void set_again(ctie_request *request, void *destroyed) {
    ctie_bus *bus = NULL;
    CHECK_STATUS(ctie_request_bus(request, &bus), CTIE_OK);
    CHECK_STATUS(ctie_bus_set_system_opener(bus, CTIE_HANDLER(NULL, NULL), NULL, NULL), CTIE_PENDING);
    CHECK(latch_count(destroyed) == 0);
}

static void a_refused_scheme_is_named_by_its_location(void) {
    static const char *const refused[] = {"\xff", "file", "a b"};
    ctie_str schemes[] = {CTIE_STR("mailto"), CTIE_STR("")};
    ctie_system_opener_options options = CTIE_SYSTEM_OPENER_OPTIONS_INIT;
    options.schemes = (ctie_str_list){schemes, 2};
    ctie_bus *bus = bus_with("", 0);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        schemes[1] = ctie_str_from(refused[i]);
        ctie_error *error = NULL;
        CHECK_STATUS(ctie_bus_set_system_opener(bus, CTIE_HANDLER(NULL, NULL), &options, &error),
                     i == 0 ? CTIE_E_UTF8 : CTIE_E_URL);
        CHECK(text_is(ctie_error_location(error), "options.schemes[1]"));
        ctie_error_release(error);
    }
    CHECK_STATUS(ctie_bus_release(bus), CTIE_OK);
}

static void a_system_opener_is_destroyed_once(void) {
    static char many[4098];
    memset(many, 'a', sizeof many - 1);
    latch destroyed = LATCH_INIT, refused = LATCH_INIT;
    ctie_system_opener_options options = CTIE_SYSTEM_OPENER_OPTIONS_INIT;
    const ctie_str schemes[] = {CTIE_STR("mailto"), CTIE_STR("javascript")};
    ctie_bus *bus = bus_with("", 0);
    CHECK_STATUS(ctie_bus_set_system_opener(bus, CTIE_HANDLER_OWNED(set_again, &destroyed, latch_destroy), NULL, NULL), CTIE_OK);
    CHECK_STATUS(open_url(bus, "https://example.com", CTIE_ORIGIN_LOCAL), CTIE_OK);
    CHECK(latch_count(&destroyed) == 1);
    options.schemes = (ctie_str_list){schemes, 2};
    CHECK_STATUS(ctie_bus_set_system_opener(bus, CTIE_HANDLER_OWNED(set_again, &refused, latch_destroy), &options, NULL),
                 CTIE_E_URL);
    options.schemes.count = 1;
    options.flags = 4;
    CHECK_STATUS(ctie_bus_set_system_opener(bus, CTIE_HANDLER_OWNED(set_again, &refused, latch_destroy), &options, NULL),
                 CTIE_E_INVALID);
    options.flags = 0;
    options.program = (ctie_str){"a\0b", 3};
    CHECK_STATUS(ctie_bus_set_system_opener(bus, CTIE_HANDLER_OWNED(set_again, &refused, latch_destroy), &options, NULL),
                 CTIE_E_INVALID);
    options.program = ctie_str_from(many);
    CHECK_STATUS(ctie_bus_set_system_opener(bus, CTIE_HANDLER_OWNED(set_again, &refused, latch_destroy), &options, NULL),
                 CTIE_E_LIMIT);
    CHECK_STATUS(ctie_bus_set_system_opener(NULL, CTIE_HANDLER_OWNED(set_again, &refused, latch_destroy), NULL, NULL),
                 CTIE_E_HANDLE);
    CHECK(latch_count(&refused) == 5);
    options.program = (ctie_str){NULL, 0};
    CHECK_STATUS(ctie_bus_set_system_opener(bus, CTIE_HANDLER_OWNED(set_again, &destroyed, latch_destroy), &options, NULL),
                 CTIE_OK);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    CHECK(latch_count(&destroyed) == 2);
}

/* ---- The real one ------------------------------------------------------------------------------- */

/* It asks $BROWSER where no desktop runs, and hands the URL on as it is. */
static void xdg_open_gets_the_url(void) {
    if (!is_on_the_path("xdg-open")) {
        printf("skipped: there is no xdg-open\n");
        return;
    }
    leave_the_desktop();
    setenv("BROWSER", program, 1);
    ctie_bus *bus = bus_with("", 0);
    const char *url = "https://example.com/a;b?q=$HOME&r=$(id)";
    CHECK_STATUS(open_url(bus, url, CTIE_ORIGIN_LOCAL), CTIE_OK);
    record seen = next_record();
    CHECK(seen.count == 2 && strcmp(seen.arguments[1], url) == 0);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

int main(int count, char **arguments) {
    if (is_recording()) { return write_record(count, arguments); }
    alarm(300);
    begin_recording();
    the_url_is_the_one_argument();
    nothing_of_the_host_leaks();
    no_program_is_left_behind();
    a_program_is_found_on_the_path();
    a_program_that_cannot_be_started_is_an_error();
    only_what_is_allowed_starts_anything();
    a_refused_scheme_is_named_by_its_location();
    a_system_opener_is_destroyed_once();
    xdg_open_gets_the_url();
    CHECK(rmdir(directory) == 0);
    return check_end();
}
