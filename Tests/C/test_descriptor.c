/*
 * Descriptors as values: duplicated, borrowed by readers, closed with the last value, unchanged through the calls of a process,
 * and refused where there is no process to receive them.
 */
#define _GNU_SOURCE
#include "components.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

static int open_files(void) {
    int count = 0;
    DIR *files = opendir("/proc/self/fd");
    if (files == NULL) return -1;
    for (struct dirent *each; (each = readdir(files)) != NULL;) count += each->d_name[0] != '.';
    closedir(files);
    return count;
}

static int file_of(const ctie_value *value) {
    int file = -1;
    CHECK_STATUS(ctie_value_get_descriptor(value, &file), CTIE_OK);
    return file;
}

static bool is_same_file(int left, int right) {
    struct stat one, other;
    return fstat(left, &one) == 0 && fstat(right, &other) == 0 && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

static ctie_value *map_with(const char *key, ctie_value *value) {
    ctie_pair pair = {ctie_str_from(key), value};
    return ctie_value_map(&pair, 1);
}

static void a_value_has_a_duplicate(int file) {
    int before = open_files();
    ctie_value *value = ctie_value_descriptor(file);
    CHECK(ctie_value_kind(value) == CTIE_KIND_DESCRIPTOR);
    int own = file_of(value);
    CHECK(own != file && own > 2);
    CHECK(is_same_file(own, file));
    CHECK((fcntl(own, F_GETFD) & FD_CLOEXEC) != 0);
    ctie_value *map = map_with("file", ctie_value_retain(value));
    CHECK(open_files() == before + 1);
    CHECK(ctie_value_equal(ctie_value_get(map, CTIE_STR("file")), value));
    ctie_value_release(value);
    CHECK(fcntl(own, F_GETFD) >= 0);
    ctie_value_release(map);
    CHECK(fcntl(own, F_GETFD) < 0 && errno == EBADF);
    CHECK(open_files() == before);
}

static void other_numbers_are_refused(void) {
    struct rlimit limit, none;
    CHECK(ctie_value_descriptor(-1) == NULL);
    CHECK(ctie_value_descriptor(12345) == NULL);
    getrlimit(RLIMIT_NOFILE, &limit);
    none = limit;
    none.rlim_cur = 3;
    CHECK(setrlimit(RLIMIT_NOFILE, &none) == 0);
    CHECK(ctie_value_descriptor(0) == NULL);
    CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
}

static void readers_of_other_kinds_refuse_it(int file) {
    ctie_value *value = ctie_value_descriptor(file), *number = ctie_value_int(file);
    int64_t whole = 7;
    int found = 7;
    ctie_str tag = {NULL, 0};
    CHECK_STATUS(ctie_value_get_int(value, &whole), CTIE_E_TYPE);
    CHECK_STATUS(ctie_value_get_descriptor(number, &found), CTIE_E_TYPE);
    CHECK_STATUS(ctie_value_get_descriptor(NULL, &found), CTIE_E_INVALID);
    CHECK_STATUS(ctie_value_get_descriptor(value, NULL), CTIE_E_INVALID);
    CHECK_STATUS(ctie_value_foreign_tag(value, &tag), CTIE_E_TYPE);
    CHECK(whole == 7 && found == 7 && ctie_value_count(value) == 0);
    ctie_value_release(value);
    ctie_value_release(number);
}

static void check_refusal(ctie_status status, ctie_value *made, ctie_error *error) {
    CHECK_STATUS(status, CTIE_E_FOREIGN);
    CHECK(made == NULL);
    CHECK(text_is(ctie_error_location(error), "$.files[1]"));
    ctie_str message = ctie_error_message(error);
    CHECK(memmem(message.data, message.size, "a descriptor goes to joined buses alone", 39) != NULL);
    ctie_error_release(error);
}

static void it_has_no_plain_form(int file) {
    ctie_value *items[] = {ctie_value_int(1), ctie_value_descriptor(file)};
    ctie_value *value = map_with("files", ctie_value_list(items, 2)), *made = NULL;
    ctie_error *error = NULL;
    ctie_status status = ctie_value_to_json(value, 0, &made, &error);
    check_refusal(status, made, error);
    status = ctie_value_to_msgpack(value, &made, &error);
    check_refusal(status, made, error);
    status = ctie_value_materialize(value, &made, &error);
    check_refusal(status, made, error);
    ctie_value_release(value);
    /* The extension that stands for a descriptor in a frame of joined buses. */
    CHECK_STATUS(ctie_value_from_msgpack(CTIE_STR("\xD4\x01\x00"), &made, NULL), CTIE_E_FORMAT);
}

static void messages_and_urls_refuse_it(int file) {
    ctie_wormhole *wormhole = NULL;
    ctie_wormhole_options options = CTIE_WORMHOLE_OPTIONS_INIT;
    ctie_error *error = NULL;
    options.flags = CTIE_WORMHOLE_MEMORY;
    CHECK_STATUS(ctie_wormhole_open(CTIE_STR("test"), &options, &wormhole, NULL), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_send(wormhole, CTIE_STR("job"), map_with("file", ctie_value_descriptor(file)), NULL, NULL, NULL,
                                    &error), CTIE_E_FOREIGN);
    CHECK(text_is(ctie_error_location(error), "$.file"));
    ctie_error_release(error);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
}

/* A handler of the same process gets the very descriptor, and the answer has it, too. */
static void pass_on(ctie_request *request, void *user_data) {
    ctie_value *params = NULL;
    CHECK_STATUS(ctie_request_params(request, &params), CTIE_OK);
    *(int *)user_data = file_of(ctie_value_get(params, CTIE_STR("file")));
    CHECK_STATUS(ctie_request_reply(request, params), CTIE_OK);
}

static void it_passes_through_calls(int file) {
    ctie_bus *bus = NULL;
    ctie_response *response = NULL;
    int seen = -1, before = open_files();
    CHECK_STATUS(ctie_bus_new(NULL, &bus, NULL), CTIE_OK);
    add_action(bus, "files", "pass", pass_on, &seen, 0);
    ctie_value *params = map_with("file", ctie_value_descriptor(file));
    CHECK_STATUS(ctie_component_call(bus, CTIE_TARGET("files", "pass"), params, NULL, &response, NULL), CTIE_OK);
    CHECK(seen == file_of(ctie_value_get(params, CTIE_STR("file"))));
    CHECK(seen == file_of(ctie_value_get(ctie_response_value(response), CTIE_STR("file"))));
    ctie_value_release(params);
    ctie_response_release(response);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    CHECK(open_files() == before);
}

int main(void) {
    int file = open("/dev/null", O_RDONLY | O_CLOEXEC), before;
    CHECK(file >= 0);
    ctie_value_release(ctie_value_descriptor(file));
    before = open_files();
    a_value_has_a_duplicate(file);
    other_numbers_are_refused();
    readers_of_other_kinds_refuse_it(file);
    it_has_no_plain_form(file);
    messages_and_urls_refuse_it(file);
    it_passes_through_calls(file);
    CHECK(open_files() == before);
    return check_end();
}
