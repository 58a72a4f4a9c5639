/* Messages and programs for the tests of the system's provider. */
#ifndef SHARING_H
#define SHARING_H

#include "check.h"
#include "recording.h"

#include <sys/stat.h>

static inline ctie_value *text_value(const char *text) { return ctie_value_string(ctie_str_from(text)); }

static inline ctie_value *text_message(const char *text) {
    ctie_pair pairs[] = {{CTIE_STR("identifier"), text_value(CTIE_SHARE_KIND_TEXT)},
                         {CTIE_STR("text"), text_value(text)}};
    return ctie_value_map(pairs, 2);
}

static inline ctie_value *page_message(const char *link, const char *title, const char *description) {
    ctie_pair pairs[] = {{CTIE_STR("identifier"), text_value(CTIE_SHARE_KIND_WEB_PAGE)},
                         {CTIE_STR("link"), text_value(link)},
                         {CTIE_STR("title"), text_value(title)},
                         {CTIE_STR("description"), text_value(description)}};
    return ctie_value_map(pairs, 4);
}

static inline ctie_value *image_message(ctie_str data) {
    ctie_pair pairs[] = {{CTIE_STR("identifier"), text_value(CTIE_SHARE_KIND_IMAGE)},
                         {CTIE_STR("data"), ctie_value_bytes(data)}};
    return ctie_value_map(pairs, 2);
}

static inline ctie_value *file_message(ctie_str data, const char *ending, const char *name) {
    ctie_pair pairs[] = {{CTIE_STR("identifier"), text_value(CTIE_SHARE_KIND_FILE)},
                         {CTIE_STR("data"), ctie_value_bytes(data)},
                         {CTIE_STR("fileExtension"), text_value(ending)},
                         {CTIE_STR("fileName"), text_value(name)}};
    return ctie_value_map(pairs, 4);
}

/* A program of the desktop with two arguments; NULL for none. */
static inline ctie_value *desktop_program(const char *entry, const char *first, const char *second) {
    ctie_value *arguments[] = {text_value(first != NULL ? first : ""), text_value(second != NULL ? second : "")};
    ctie_pair pairs[] = {{CTIE_STR("desktopEntry"), text_value(entry)},
                         {CTIE_STR("arguments"), ctie_value_list(arguments, 2)}};
    ctie_value *program = ctie_value_map(pairs, first == NULL ? 1 : 2);
    if (first == NULL) { ctie_value_release(pairs[1].value); }
    return program;
}

static inline ctie_bus *bus_with_system(const ctie_system_provider_options *options) {
    ctie_bus *bus = NULL;
    CHECK_STATUS(ctie_bus_new(NULL, &bus, NULL), CTIE_OK);
    CHECK_STATUS(ctie_provider_add_system(bus, options, CTIE_PROVIDER_LAST, NULL, NULL), CTIE_OK);
    return bus;
}

/* A share by a method, or by none where that is NULL; takes the message. */
static inline ctie_status share_within(ctie_bus *bus, ctie_value *message, const char *method, int64_t timeout_ms) {
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    ctie_pair wish = {CTIE_STR(CTIE_OPTION_SYSTEM_METHOD), text_value(method != NULL ? method : "")};
    ctie_value *info = ctie_value_map(&wish, 1);
    options.user_info = method != NULL ? info : NULL;
    options.timeout_ms = timeout_ms;
    ctie_status status = ctie_share(bus, CTIE_STR(CTIE_ENDPOINT_SYSTEM_ACTIVITY), message, &options, NULL, NULL);
    ctie_value_release(info);
    ctie_value_release(message);
    return status;
}

static inline ctie_status share(ctie_bus *bus, ctie_value *message, const char *method) {
    return share_within(bus, message, method, 0);
}

/* Takes the program. */
static inline ctie_status launch(ctie_bus *bus, ctie_value *desktop) {
    ctie_status status = ctie_launch(bus, CTIE_STR(CTIE_PLATFORM_SYSTEM), desktop, NULL, NULL, NULL);
    ctie_value_release(desktop);
    return status;
}

/* Writes a desktop entry where $XDG_DATA_HOME says. */
static inline void add_desktop_entry(const char *name, const char *command) {
    char path[PATH_MAX];
    setenv("XDG_DATA_HOME", directory, 1);
    mkdir(in_directory("applications"), 0700);
    snprintf(path, sizeof path, "%s/applications/%s", directory, name);
    FILE *file = fopen(path, "w");
    fprintf(file, "[Desktop Entry]\nType=Application\nName=Test\nExec=%s\n", command);
    fclose(file);
}

static inline void remove_desktop_entry(const char *name) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/applications/%s", directory, name);
    unlink(path);
    rmdir(in_directory("applications"));
}

#endif
