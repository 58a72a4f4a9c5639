/*
 * The bytes of one frame of each kind, recorded. They are written out here, and not with the constants that are made from
 * docs/join-format.json, so that a change of the table, or of the order of fields in the library, is found.
 */
#include "raw_memory.h"

#define NUMBER "\0\0\0\0\0\0\0\0"
#define ENDLESS "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"

static ctie_bus *bus;
static ctie_join *joined;
static int peer;

/** A packet with these bytes, behind the byte that says that it is the last of its frame. */
#define SEND(text) CHECK(send(peer, "\0" text, sizeof "\0" text - 1, MSG_NOSIGNAL) == sizeof "\0" text - 1)
#define RECEIVE(text) CHECK(receives(text, sizeof text - 1, 0, 0))
/** Without the id, which the sender chooses. */
#define RECEIVE_ID(text) CHECK(receives(text, sizeof text - 1, 1, 8))

/** The last packet, behind its first byte. */
static unsigned char frame[4096];

/** Whether the next packet has these bytes, but for some of them. */
static bool receives(const char *expected, size_t size, size_t skipped, size_t count) {
    unsigned char packet[4096], seen[4096];
    ssize_t got = recv(peer, packet, sizeof packet, 0);
    if (got < 1) return false;
    memcpy(frame, packet + 1, (size_t)got - 1);
    memcpy(seen, frame, sizeof seen);
    if (count > 0) memset(seen + skipped, 0, count);
    if (packet[0] == 0 && (size_t)got == size + 1 && memcmp(seen, expected, size) == 0) return true;
    for (ssize_t i = 0; i < got; i++) fprintf(stderr, "%s%02X", i == 0 ? "    received " : " ", packet[i]);
    fprintf(stderr, "\n");
    return false;
}

static void report_progress(ctie_request *request, void *user_data CTIE_UNUSED) {
    ctie_request_progress(request, ctie_value_int(5));
    ctie_request_reply(request, ctie_value_int(6));
}

static void names(void) {
    /* The member and the number differ from run to run. */
    CHECK(receives("\x01" "CTIEJOIN" "\x01\0" "\0\0\x10\0" NUMBER "\0\0\0\0" "\x06\0" "victim" "\x01\0" "\x05\0" "stock" "\0\0",
                   46, 15, 12));
    unsigned char hello[] = "\0\x01" "CTIEJOIN" "\x01\0" "\0\0\x10\0" NUMBER "\x63\0\0\0" "\x05\0" "enemy" "\x03\0" "\x05\0"
                            "trade" "\x09\0" "app://x/*" "\x0B\0" "event:saved" "\0\0";
    memcpy(hello + 16, frame + 15, 8);
    CHECK(send(peer, hello, sizeof hello - 1, MSG_NOSIGNAL) == sizeof hello - 1);
    AWAIT(peer_count(joined) == 1);
    ctie_str exports[] = {CTIE_STR("stock"), CTIE_STR("lone")};
    CHECK_STATUS(ctie_join_set_exports(joined, (ctie_str_list){exports, 2}, NULL), CTIE_OK);
    RECEIVE("\x02" "\x02\0" "\x05\0" "stock" "\x04\0" "lone" "\0\0");
}

static void requests_that_come(void) {
    SEND("\x03" "\x07\0\0\0\0\0\0\0" "\0" "\x01" ENDLESS "\x05\0" "stock" "\x04\0" "echo" "\x04\0\0\0" "\x81\xA1" "a\x01" "\0\0\0\0");
    RECEIVE("\x04" "\x07\0\0\0\0\0\0\0" "\0\0\0\0" "\x01\0\0\0" "\0\0\0\0" "\x04\0\0\0" "\x81\xA1" "a\x01");
    SEND("\x03" "\x08\0\0\0\0\0\0\0" "\x02" "\x01" ENDLESS "\x04\0" "lone" "\x04\0" "tell" "\0\0\0\0" "\0\0\0\0");
    RECEIVE("\x05" "\x08\0\0\0\0\0\0\0" "\x05");
    RECEIVE("\x04" "\x08\0\0\0\0\0\0\0" "\0\0\0\0" "\x01\0\0\0" "\0\0\0\0" "\x01\0\0\0" "\x06");
    SEND("\x03" "\x09\0\0\0\0\0\0\0" "\0" "\x01" ENDLESS "\x05\0" "stock" "\x04\0" "fail" "\0\0\0\0" "\0\0\0\0");
    RECEIVE("\x04" "\x09\0\0\0\0\0\0\0" "\xE8\xFF\xFF\xFF" "\x07\0\0\0" "\x0E\0\0\0" "no wheels left" "\x01\0\0\0" "\x46");
    SEND("\x03" "\x0A\0\0\0\0\0\0\0" "\0" "\x01" ENDLESS "\x05\0" "stock" "\x04\0" "hang" "\0\0\0\0" "\0\0\0\0");
    AWAIT(board->running == 1);
    SEND("\x06" "\x0A\0\0\0\0\0\0\0");
    AWAIT(board->cancelled == 1);
    RECEIVE("\x04" "\x0A\0\0\0\0\0\0\0" "\xE9\xFF\xFF\xFF" "\x14\x27\0\0" "\x1C\0\0\0" "cancelled: 'hang' of 'stock'"
            "\0\0\0\0");
}

/** Cancels a call whose request has been received. */
static void cancel(ctie_call *call) {
    unsigned char id[8];
    memcpy(id, frame + 1, 8);
    CHECK_STATUS(ctie_call_cancel(call), CTIE_OK);
    RECEIVE_ID("\x06" NUMBER);
    CHECK(memcmp(id, frame + 1, 8) == 0);
    CHECK_STATUS(call_end(call), CTIE_E_CANCELLED);
}

static void requests_that_leave(void) {
    ctie_completion none = CTIE_COMPLETION(NULL, NULL);
    ctie_call *call = call_later(bus, "trade", "echo", without_end());
    RECEIVE_ID("\x03" NUMBER "\x01" "\x01" ENDLESS "\x05\0" "trade" "\x04\0" "echo" "\0\0\0\0" "\0\0\0\0");
    cancel(call);
    CHECK_STATUS(ctie_open_async(bus, CTIE_STR("app://x/y"), CTIE_ORIGIN_LOCAL, none, without_end(), &call, NULL), CTIE_OK);
    RECEIVE_ID("\x0A" NUMBER "\x01" "\x01" ENDLESS "\x09\0" "app://x/y" "\0\0\0\0");
    cancel(call);
    CHECK_STATUS(ctie_component_broadcast_async(bus, CTIE_STR("saved"), NULL, none, without_end(), &call, NULL), CTIE_OK);
    RECEIVE_ID("\x0B" NUMBER "\x01" "\x01" ENDLESS "\x05\0" "saved" "\0\0\0\0" "\0\0\0\0");
    cancel(call);
    ctie_value *file = CTIE_MAP("a", ctie_value_descriptor(STDERR_FILENO));
    CHECK_STATUS(ctie_component_call_async(bus, CTIE_TARGET("trade", "echo"), file, none, without_end(), &call, NULL), CTIE_OK);
    RECEIVE("\x0C" "\x01");
    RECEIVE_ID("\x03" NUMBER "\x01" "\x01" ENDLESS "\x05\0" "trade" "\x04\0" "echo" "\x06\0\0\0" "\x81\xA1" "a\xD4\x01\0" "\0\0\0\0");
    cancel(call);
    ctie_value_release(file);
}

static void shared_memory(void) {
    if (!can_share_memory()) return;
    int file = memory_file(6565888, ALL_SEALS);
    CHECK(memcmp(memory, "CTIEMEMO" "\x02\0\0\0", 12) == 0);
    send_with(peer, 8, &file, 1);
    close(file);
    RECEIVE("\x09");
    forget_memory();
}

/** Ends the connection, and makes another that has no memory. */
static void connect_again(void) {
    close(peer);
    AWAIT(peer_count(joined) == 0);
    peer = greet_as(1);
    AWAIT(peer_count(joined) == 1);
}

int main(void) {
    ctie_str exports = CTIE_STR("stock"), imports = CTIE_STR("*");
    ctie_join_options options = CTIE_JOIN_OPTIONS_INIT;
    name_directory();
    board = share(sizeof *board);
    int threads = thread_count(), files = open_files();
    bus = make_bus();
    add_stock(bus);
    add_action(bus, "lone", "tell", report_progress, NULL, 0);
    ctie_wormhole *wormhole = open_group();
    options.name = CTIE_STR("victim");
    options.exports = (ctie_str_list){&exports, 1};
    options.imports = (ctie_str_list){&imports, 1};
    CHECK_STATUS(ctie_bus_join(bus, wormhole, &options, &joined, NULL), CTIE_OK);
    peer = connect_raw();
    CHECK(peer >= 0);
    names();
    requests_that_come();
    requests_that_leave();
    shared_memory();
    connect_again();
    CHECK_STATUS(ctie_join_release(joined), CTIE_OK);
    RECEIVE("\x07");
    close(peer);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    CHECK(threads_end(threads));
    CHECK(open_files() == files);
    remove_directory();
    return check_end();
}
