/*
 * A store from a system with smaller pages, such as after a move to a kernel with pages of 64 KiB: large messages are
 * sent and read there, also those that the library would write through a map of their part of the file.
 */
#include "group.h"
#include "interpose.h"

#define LARGE (5 << 20)

static bool has_small_pages;

/* Interposes the library's function: the system reports smaller pages. */
long sysconf(int name) {
    static long (*real)(int);
    FIND_REAL(real, "sysconf");
    return has_small_pages && name == _SC_PAGESIZE ? real(name) / 2 : real(name);
}

static ctie_wormhole *open_large(void) {
    ctie_wormhole_options options = group_options(0);
    options.map_size = options.max_map_size = 64 << 20;
    options.max_value_size = 2 * LARGE;
    return open_group_with(&options);
}

static int make_store(void *unused) {
    (void)unused;
    has_small_pages = true;
    ctie_wormhole *wormhole = open_large();
    CHECK_STATUS(pass_bytes(wormhole, "small", 100), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    return 0;
}

static size_t stored_size(ctie_wormhole *wormhole, const char *identifier) {
    ctie_message *message = NULL;
    ctie_str bytes = {NULL, 0};
    CHECK_STATUS(ctie_wormhole_message(wormhole, ctie_str_from(identifier), &message, NULL), CTIE_OK);
    ctie_value_get_bytes(ctie_message_value(message), &bytes);
    size_t size = bytes.size;
    ctie_message_release(message);
    return size;
}

int main(void) {
    name_directory();
    CHECK(in_child(make_store, NULL) == 0);
    ctie_wormhole *wormhole = open_large();
    CHECK(stored_size(wormhole, "small") == 100);
    for (size_t i = 1; i <= 12; i++) {
        const char *identifier = i % 2 == 0 ? "even" : "odd";
        CHECK_STATUS(pass_bytes(wormhole, identifier, LARGE + i), CTIE_OK);
        CHECK(stored_size(wormhole, identifier) == LARGE + i);
        /* Moves the next extent by an odd number of the store's pages. */
        if (i % 3 == 0) CHECK_STATUS(pass_bytes(wormhole, i == 3 ? "a" : "b", 33000), CTIE_OK);
    }
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
    return check_end();
}
