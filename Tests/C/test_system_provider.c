/* The system's provider: what the tools are started with, and what is left of them. They are this program itself. */
#define _GNU_SOURCE
#include "check.h"
#include "latch.h"
#include "recording.h"
#include "sharing.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

#define PNG "\x89PNG\r\n\x1a\n"

static ctie_system_provider_options stand_ins(void) {
    ctie_system_provider_options options = CTIE_SYSTEM_PROVIDER_OPTIONS_INIT;
    options.mail = options.opener = options.clipboard = options.launcher = ctie_str_from(program);
    options.directory = ctie_str_from(directory);
    return options;
}

static ctie_bus *bus_with_stand_ins(void) {
    ctie_system_provider_options options = stand_ins();
    return bus_with_system(&options);
}

/* ---- What they get ------------------------------------------------------------------------------ */

static void a_text_is_mailed(void) {
    ctie_bus *bus = bus_with_stand_ins();
    CHECK_STATUS(share(bus, text_message("--help\n$(id)"), NULL), CTIE_OK);
    record seen = next_record();
    CHECK(seen.count == 3 && strcmp(seen.arguments[0], program) == 0);
    CHECK(strcmp(seen.arguments[1], "--utf8") == 0);
    CHECK(strcmp(seen.arguments[2], "mailto:?body=--help%0D%0A%24%28id%29") == 0);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

static void a_file_is_opened_and_goes_with_the_bus(void) {
    ctie_bus *bus = bus_with_stand_ins();
    CHECK_STATUS(share(bus, file_message(CTIE_STR("x\0y"), "txt", "-a/b"), NULL), CTIE_OK);
    record seen = next_record();
    struct stat about;
    CHECK(seen.count == 2 && strncmp(seen.arguments[1], directory, strlen(directory)) == 0);
    CHECK(strcmp(file_name(seen.arguments[1]), "/a_b.txt") == 0);
    CHECK(stat(seen.arguments[1], &about) == 0 && about.st_size == 3 && (about.st_mode & 07777) == 0600);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    CHECK(access(seen.arguments[1], F_OK) != 0);
    CHECK(access(parent(seen.arguments[1]), F_OK) != 0);
}

static void a_kept_file_stays(void) {
    ctie_system_provider_options options = stand_ins();
    options.flags = CTIE_SYSTEM_KEEP_FILES;
    ctie_bus *bus = bus_with_system(&options);
    CHECK_STATUS(share(bus, image_message(CTIE_STR(PNG)), NULL), CTIE_OK);
    record seen = next_record();
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    CHECK(unlink(seen.arguments[1]) == 0);
    CHECK(rmdir(parent(seen.arguments[1])) == 0);
}

static void a_desktop_entry_is_launched(void) {
    add_desktop_entry("org.example.Test.desktop", "true");
    ctie_bus *bus = bus_with_stand_ins();
    CHECK_STATUS(launch(bus, desktop_program("org.example.Test", "/a b", "https://example.com/$(id)")), CTIE_OK);
    record seen = next_record();
    CHECK(seen.count == 5 && strcmp(seen.arguments[1], "launch") == 0);
    CHECK(strcmp(seen.arguments[2], in_directory("applications/org.example.Test.desktop")) == 0);
    CHECK(strcmp(seen.arguments[3], "/a b") == 0 && strcmp(seen.arguments[4], "https://example.com/$(id)") == 0);
    CHECK_STATUS(launch(bus, desktop_program("org.example.Other", NULL, NULL)), CTIE_E_NOT_INSTALLED);
    CHECK_STATUS(launch(bus, desktop_program("org.example.Test", "-x", "")), CTIE_E_PARAM);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    remove_desktop_entry("org.example.Test.desktop");
}

/* ---- The clipboard ------------------------------------------------------------------------------ */

static void expect_copied(ctie_bus *bus, ctie_value *message, const char *first, const char *last, const char *text) {
    CHECK_STATUS(share(bus, message, CTIE_SYSTEM_METHOD_CLIPBOARD), CTIE_OK);
    record seen = next_record();
    CHECK(seen.count > 1 && strcmp(seen.arguments[1], first) == 0);
    CHECK(strcmp(seen.arguments[seen.count - 1], last) == 0);
    CHECK(seen.content_size == strlen(text) && memcmp(seen.content, text, strlen(text)) == 0);
    CHECK(strcmp(seen.output, "/dev/null") == 0 && seen.inherited == 0);
}

static void the_first_clipboard_that_is_there_is_used(void) {
    static const char *const tools[] = {"wl-copy", "xclip", "xsel"};
    char *old = strdup(getenv("PATH"));
    for (int i = 0; i < 3; i++) { CHECK(symlink(program, in_directory(tools[i])) == 0); }
    setenv("PATH", directory, 1);
    ctie_bus *bus = bus_with_system(NULL);
    const char *link = "https://example.com/";
    setenv("WAYLAND_DISPLAY", "wayland-0", 1);
    expect_copied(bus, text_message("%PDF"), "--type", "text/plain;charset=utf-8", "%PDF");
    expect_copied(bus, image_message(CTIE_STR(PNG)), "--type", "image/png", PNG);
    unsetenv("WAYLAND_DISPLAY");
    expect_copied(bus, text_message("-o"), "-selection", "clipboard", "-o");
    expect_copied(bus, image_message(CTIE_STR(PNG)), "-selection", "image/png", PNG);
    unlink(in_directory("xclip"));
    expect_copied(bus, page_message(link, "t", "d"), "--clipboard", "--input", link);
    const char *method = CTIE_SYSTEM_METHOD_CLIPBOARD;
    CHECK_STATUS(share(bus, image_message(CTIE_STR(PNG)), method), CTIE_E_NOT_INSTALLED);
    CHECK_STATUS(share(bus, image_message(CTIE_STR("what?")), method), CTIE_E_PARAM);
    unlink(in_directory("xsel"));
    CHECK_STATUS(share(bus, text_message("a"), method), CTIE_E_NOT_INSTALLED);
    unlink(in_directory("wl-copy"));
    CHECK_STATUS(share(bus, text_message("a"), NULL), CTIE_E_NOT_INSTALLED);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    setenv("PATH", old, 1);
    free(old);
}

/* ---- The host ----------------------------------------------------------------------------------- */

/* The host's own descriptors, though nothing marks them as its own. */
static void nothing_of_the_host_leaks(void) {
    int pipes[2], other = open("/dev/null", O_RDONLY);
    CHECK(pipe(pipes) == 0 && other >= 0);
    ctie_bus *bus = bus_with_stand_ins();
    for (int i = 0; i < 2; i++) {
        const char *method = i == 0 ? CTIE_SYSTEM_METHOD_MAIL : CTIE_SYSTEM_METHOD_CLIPBOARD;
        CHECK_STATUS(share(bus, text_message("a"), method), CTIE_OK);
        record seen = next_record();
        CHECK(seen.inherited == 0 && seen.content_size == (size_t)i);
        CHECK((strcmp(seen.input, "/dev/null") == 0) == (i == 0));
        CHECK(seen.session == seen.process && seen.session != getsid(0));
    }
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    const int mine[] = {pipes[0], pipes[1], other};
    for (int i = 0; i < 3; i++) { close(mine[i]); }
}

/* More than a pipe holds, for a tool that reads nothing: no broken pipe is reported. */
static void a_clipboard_that_does_not_read_does_no_harm(void) {
    struct sigaction before, after;
    signal(SIGPIPE, SIG_DFL); /* the shell that starts the tests may have it ignored */
    sigaction(SIGPIPE, NULL, &before);
    ctie_system_provider_options options = stand_ins();
    options.clipboard = CTIE_STR("true");
    ctie_bus *bus = bus_with_system(&options);
    size_t size = 1 << 20;
    char *text = malloc(size);
    memset(text, 'a', size - 1);
    text[size - 1] = 0;
    CHECK_STATUS(share(bus, text_message(text), CTIE_SYSTEM_METHOD_CLIPBOARD), CTIE_OK);
    CHECK_STATUS(share(bus, text_message(text), CTIE_SYSTEM_METHOD_MAIL), CTIE_E_LIMIT);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    sigaction(SIGPIPE, NULL, &after);
    CHECK(before.sa_handler == SIG_DFL && after.sa_handler == SIG_DFL);
    free(text);
}

static ctie_bus *bus_with_mail(const char *tool) {
    ctie_system_provider_options options = stand_ins();
    options.mail = ctie_str_from(tool);
    return bus_with_system(&options);
}

/* The kernel reports a tool's exit once; if another thread got it, the tool has ended all the same. */
static void a_host_may_wait_for_all_children(void) {
    ctie_bus *bus = bus_with_mail("false");
    CHECK_STATUS(share(bus, text_message("a"), NULL), CTIE_E_UNKNOWN);
    signal(SIGCHLD, SIG_IGN);
    for (int i = 0; i < 20; i++) { CHECK_STATUS(share(bus, text_message("a"), NULL), CTIE_OK); }
    signal(SIGCHLD, SIG_DFL);
    CHECK_STATUS(share(bus, text_message("a"), NULL), CTIE_E_UNKNOWN);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

static void a_tool_that_hangs_is_left_alone_and_reaped_later(void) {
    setenv("CROSSTIE_TEST_WAIT", in_directory("go"), 1);
    ctie_bus *bus = bus_with_stand_ins();
    CHECK_STATUS(share_within(bus, text_message("a"), NULL, SOON_MS), CTIE_E_TIMEOUT);
    record seen = next_record();
    CHECK(state_of(seen.process) != 0 && state_of(seen.process) != 'Z');
    unsetenv("CROSSTIE_TEST_WAIT");
    fclose(fopen(in_directory("go"), "w"));
    CHECK(ends(seen.process));
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    CHECK(state_of(seen.process) == 0);
    CHECK(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
    unlink(in_directory("go"));
}

/* ---- Setting it up ------------------------------------------------------------------------------ */

static void options_are_checked(void) {
    ctie_bus *bus = bus_with_system(NULL);
    ctie_registration *registration = NULL;
    ctie_system_provider_options options = stand_ins();
    CHECK_STATUS(ctie_provider_add_system(bus, NULL, 0, &registration, NULL), CTIE_E_CONFLICT);
    CHECK(registration == NULL);
    options.name = CTIE_STR("other");
    CHECK_STATUS(ctie_provider_add_system(bus, &options, 0, &registration, NULL), CTIE_OK);
    CHECK_STATUS(share(bus, text_message("a"), NULL), CTIE_OK); /* it is before the first one */
    CHECK(next_record().count == 3);
    CHECK_STATUS(ctie_registration_release(registration), CTIE_OK);
    options.flags = 2;
    CHECK_STATUS(ctie_provider_add_system(bus, &options, 0, NULL, NULL), CTIE_E_INVALID);
    options.flags = 0;
    options.directory = CTIE_STR("here");
    CHECK_STATUS(ctie_provider_add_system(bus, &options, 0, NULL, NULL), CTIE_E_INVALID);
    options.directory = (ctie_str){"/tmp\0", 5};
    CHECK_STATUS(ctie_provider_add_system(bus, &options, 0, NULL, NULL), CTIE_E_INVALID);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

int main(int count, char **arguments) {
    if (is_recording()) {
        const char *signal_file = getenv("CROSSTIE_TEST_WAIT");
        int failure = write_record(count, arguments);
        while (signal_file != NULL && access(signal_file, F_OK) != 0) { usleep(1000); }
        return failure;
    }
    alarm(300);
    begin_recording();
    a_text_is_mailed();
    a_file_is_opened_and_goes_with_the_bus();
    a_kept_file_stays();
    a_desktop_entry_is_launched();
    the_first_clipboard_that_is_there_is_used();
    nothing_of_the_host_leaks();
    a_clipboard_that_does_not_read_does_no_harm();
    a_host_may_wait_for_all_children();
    a_tool_that_hangs_is_left_alone_and_reaped_later();
    options_are_checked();
    CHECK(rmdir(directory) == 0);
    return check_end();
}
