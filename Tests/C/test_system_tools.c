/* The system's provider with the system's own tools, which hand what is shared to this program. */
#define _GNU_SOURCE
#include "check.h"
#include "latch.h"
#include "recording.h"
#include "sharing.h"

#include <ctype.h>

/* All that a shell, its echo, or xdg-email's options would make something of. */
#define HOSTILE "-n --attach /etc/passwd\\c \\\\n $(touch x) `id` \"$HOME\" 'a' %41 &body=b\n\n;|* \xc3\xa9"

static bool is_there(const char *tool) {
    if (is_on_the_path(tool)) { return true; }
    printf("skipped: there is no %s\n", tool);
    return false;
}

/* Turns the escapes of a URL into what they stand for, and the ends of lines into LF. */
static void unescape(char *text) {
    char *to = text;
    for (const char *from = text; *from != 0; to++) {
        char digits[3] = {from[0] == '%' ? from[1] : 0, from[0] == '%' ? from[2] : 0, 0};
        bool is_escape = isxdigit((unsigned char)digits[0]) && isxdigit((unsigned char)digits[1]);
        *to = is_escape ? (char)strtol(digits, NULL, 16) : *from;
        from += is_escape ? 3 : 1;
        if (*to == '\r') { to--; }
    }
    *to = 0;
}

/* The part of a mailto URL under a key, unescaped. */
static const char *part(const char *url, const char *key) {
    static char found[512];
    const char *start = strstr(url, key);
    snprintf(found, sizeof found, "%s", start != NULL ? start + strlen(key) : "(none)");
    found[strcspn(found, "&")] = 0;
    unescape(found);
    return found;
}

/* It asks $MAILER where no desktop runs. */
static void the_mail_composer_gets_every_letter(void) {
    if (!is_there("xdg-email")) { return; }
    setenv("MAILER", program, 1);
    ctie_bus *bus = bus_with_system(NULL);
    CHECK_STATUS(share(bus, text_message(HOSTILE), NULL), CTIE_OK);
    record seen = next_record();
    CHECK(seen.count == 2 && strcmp(part(seen.arguments[1], "body="), HOSTILE) == 0);
    CHECK(strstr(seen.arguments[1], "attach=") == NULL);
    CHECK_STATUS(share(bus, text_message("--version"), NULL), CTIE_OK);
    CHECK(strcmp(part(next_record().arguments[1], "body="), "--version") == 0);
    CHECK_STATUS(share(bus, page_message("https://example.com/?a=b", "--help", "\\t"), NULL), CTIE_OK);
    seen = next_record();
    CHECK(strcmp(part(seen.arguments[1], "subject="), "--help") == 0);
    CHECK(strcmp(part(seen.arguments[1], "body="), "\\t\nhttps://example.com/?a=b") == 0);
    CHECK_STATUS(share(bus, file_message(CTIE_STR("data"), "txt", "a',to='b@example.com"), "mail"), CTIE_OK);
    const char *attached = part(next_record().arguments[1], "attach=");
    CHECK(access(attached, R_OK) == 0 && strcmp(file_name(attached), "/a_,to=_b@example.com.txt") == 0);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    unsetenv("MAILER");
}

static void the_mail_composers_failure_is_reported(void) {
    if (!is_there("xdg-email")) { return; }
    setenv("MAILER", "false", 1);
    ctie_bus *bus = bus_with_system(NULL);
    CHECK_STATUS(share(bus, text_message("a"), NULL), CTIE_E_UNKNOWN);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    unsetenv("MAILER");
}

static void xdg_open_gets_the_file(void) {
    if (!is_there("xdg-open")) { return; }
    setenv("BROWSER", program, 1);
    ctie_bus *bus = bus_with_system(NULL);
    CHECK_STATUS(share(bus, file_message(CTIE_STR("data"), "unknown", "-a $(id) \xc3\xa9"), NULL), CTIE_OK);
    record seen = next_record();
    CHECK(seen.count == 2 && access(seen.arguments[1], R_OK) == 0);
    CHECK(strcmp(file_name(seen.arguments[1]), "/a $(id) \xc3\xa9.unknown") == 0);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

static void the_launcher_starts_the_application(void) {
    if (!is_there("gio")) { return; }
    char command[PATH_MAX + 8];
    snprintf(command, sizeof command, "%s %%U", program);
    add_desktop_entry("org.example.Test.desktop", command);
    ctie_bus *bus = bus_with_system(NULL);
    CHECK_STATUS(launch(bus, desktop_program("org.example.Test", "/a b", "https://example.com/$(id);'\"")), CTIE_OK);
    record seen = next_record();
    CHECK(seen.count == 3 && strcmp(seen.arguments[1], "/a b") == 0);
    CHECK(strcmp(seen.arguments[2], "https://example.com/$(id);'\"") == 0);
    CHECK(ends(seen.process));
    add_desktop_entry("org.example.Test.desktop", "/nowhere/program");
    CHECK_STATUS(launch(bus, desktop_program("org.example.Test.desktop", NULL, NULL)), CTIE_E_UNKNOWN);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    remove_desktop_entry("org.example.Test.desktop");
}

int main(int count, char **arguments) {
    if (is_recording()) { return write_record(count, arguments); }
    alarm(300);
    begin_recording();
    leave_the_desktop();
    setenv("TMPDIR", directory, 1);
    the_mail_composer_gets_every_letter();
    the_mail_composers_failure_is_reported();
    xdg_open_gets_the_file();
    the_launcher_starts_the_application();
    CHECK(rmdir(directory) == 0);
    return check_end();
}
