/* The target `nats`: the engine over a nats-server, whose server answers what it likes. */
#include "connection.h"
#include "host.h"
#include "inboxes.h"
#include "listeners.h"
#include "peers.h"
#include "pieces.h"
#include "simulated.h"
#include "tasks.h"

#include <string.h>

enum { THINGS_MOST = 64 };

extern const ctie_engine_plugin ctie_engine_nats;

static void *engine;
static const ctie_engine *functions;

/* ---- Listings -------------------------------------------------------------------------------------- */

static bool take_message(const ctie_engine_message *message, void *context) {
    (void)context;
    check_stored(message);
    return true;
}

static bool take_identifier(ctie_str identifier, void *context) {
    (void)context;
    if (!is_identifier(identifier)) { give_up("no identifier"); }
    return true;
}

static bool take_member(const ctie_engine_member *member, void *context) {
    (void)context;
    bool is_one = member->size == sizeof *member && member->name.size <= 64 && member->pid > 0;
    if (!is_one) { give_up("no member"); }
    return true;
}

static bool take_durable(const ctie_engine_durable *durable, void *context) {
    (void)context;
    bool is_one = durable->size == sizeof *durable && durable->name.size > 0 && durable->name.size <= 128 &&
                  durable->identifier.size > 0 && durable->oldest >= 0;
    if (!is_one) { give_up("no durable consumer"); }
    return true;
}

static bool take_letter(const ctie_engine_dead_letter *letter, void *context) {
    uint64_t *last = context;
    bool is_one = letter->size == sizeof *letter && letter->reason.size <= CTIE_MESSAGE_MAX_REASON &&
                  letter->message->sequence > *last && letter->dead >= 0;
    if (!is_one) { give_up("no dead letter"); }
    *last = letter->message->sequence;
    check_letter(letter->message);
    return true;
}

/* ---- What there is to do --------------------------------------------------------------------------- */

static void send(piece from) {
    static const int32_t KINDS[] = {CTIE_MESSAGE_VALUE, CTIE_MESSAGE_SIGNAL, CTIE_MESSAGE_DESTROYED};
    uint8_t what = piece_byte(&from), token[CTIE_TRANSPORT_TOKEN_SIZE] = {what};
    ctie_engine_message message = {.size = sizeof message, .kind = KINDS[what % 3], .time = 1};
    const char *topic = topic_of(what / 8);
    bool is_everything = strchr(topic, '*') != NULL;
    message.identifier = ctie_str_from(is_everything ? "a.b" : topic);
    if (is_everything && message.kind == CTIE_MESSAGE_DESTROYED) { message.identifier = (ctie_str){"", 0}; }
    if (message.kind == CTIE_MESSAGE_VALUE) { message.value = (ctie_bytes){from.bytes, from.size}; }
    uint64_t first = 0;
    uint32_t listeners = 0;
    ctie_status status = functions->send(engine, &message, 1, what & 4 ? token : NULL, &first, &listeners, TIMEOUT_MS);
    check_status(status);
    if (status == CTIE_OK && first == 0) { give_up("a message without a number was sent"); }
}

static void text_of(piece from, char *out, size_t room) {
    size_t size = 0;
    while (from.size > 0 && size + 1 < room) {
        uint8_t byte = piece_byte(&from);
        if (byte != 0) { out[size++] = (char)byte; }
    }
    out[size] = 0;
}

static void look(char what, piece from) {
    const char *topic = topic_of(piece_byte(&from)), *name = name_of(piece_byte(&from));
    ctie_str text = ctie_str_from(topic);
    switch (what) {
    case 'c':
        if (strchr(topic, '*') != NULL) { break; }
        check_status(functions->current(engine, text, take_message, NULL, TIMEOUT_MS));
        break;
    case 'i': check_status(functions->identifiers(engine, text, take_identifier, NULL, TIMEOUT_MS)); break;
    case 'm': check_status(functions->members(engine, take_member, NULL, TIMEOUT_MS)); break;
    case 'd': check_status(functions->durables(engine, take_durable, NULL, TIMEOUT_MS)); break;
    case 'f': check_status(functions->forget(engine, text, ctie_str_from(name), TIMEOUT_MS)); break;
    }
}

/* Things to do with a durable consumer. */
static void work(char what, piece from) {
    ctie_str topic = ctie_str_from(topic_of(piece_byte(&from))), name = ctie_str_from(name_of(piece_byte(&from)));
    uint8_t first = piece_byte(&from), second = piece_byte(&from);
    uint64_t number = 0;
    ctie_durable_options options = CTIE_DURABLE_OPTIONS_INIT;
    switch (what) {
    case 'D':
        options.max_deliveries = first % 4, options.flags = first / 4 % 4, options.expires_ms = first / 16;
        options.dead_letter = ctie_str_from(first & 128 ? "grave" : "");
        options.backoff_first_ms = second, options.backoff_most_ms = 1000, options.backoff_factor = 2;
        check_status(functions->declare(engine, topic, name, &options, TIMEOUT_MS));
        break;
    case 'S': check_status(functions->seek(engine, topic, name, first % 4, second, second, TIMEOUT_MS)); break;
    case 'l':
        check_status(functions->dead_letters(engine, topic, name, 0, first + 1, second % 2, take_letter, &number,
                                             TIMEOUT_MS));
        break;
    case 'L': check_status(functions->end_dead_letters(engine, topic, name, first, second % 2, &number, TIMEOUT_MS));
    }
}

static void happen(char what, piece from) {
    char words[200];
    switch (what) {
    case '>': {
        unsigned index = piece_byte(&from);
        inboxes_receive(index, from);
        break;
    }
    case 't': tasks_pass(10 * (1 + (int64_t)piece_byte(&from))); break;
    case '~': connection_change(); break;
    case 'p': case 'x':
        text_of(from, words, sizeof words);
        if (what == 'p') { connection_complain(words); } else { connection_refuse(words); }
        break;
    }
}

static void act(piece from) {
    char what = (char)piece_byte(&from);
    switch (what) {
    case 's': send(from); break;
    case 'b': listener_bind(engine, functions, from); break;
    case 'u': listener_unbind(engine, functions, from); break;
    case 'k': listener_credit(engine, functions, from); break;
    case 'r': listener_answer(engine, functions, from); break;
    case 'j': peers_join(engine, functions, from); break;
    case 'v': peers_leave(engine, functions, from); break;
    case 'F': peers_send(engine, functions, from); break;
    case 'X': peers_disconnect(engine, functions, from); break;
    case 'c': case 'i': case 'm': case 'd': case 'f': look(what, from); break;
    case 'D': case 'S': case 'l': case 'L': work(what, from); break;
    default: happen(what, from); break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    ctie_engine_server server = {.size = sizeof server, .hosts = {"127.0.0.1:4222", 14}};
    uint32_t abilities = 0;
    piece next;
    pieces_begin(bytes, size);
    tasks_begin();
    host_begin();
    peers_begin();
    inboxes_begin();
    connection_begin();
    functions = ctie_engine_nats.engine;
    if (ctie_engine_nats.create(&server, &engine) != CTIE_OK) { give_up("no engine"); }
    ctie_status status = functions->open(engine, CTIE_STR("g"), &CHECKING_HOST, &abilities, TIMEOUT_MS);
    check_status(status);
    for (int i = 0; status == CTIE_OK && i < THINGS_MOST && pieces_take(&next); i++) {
        act(next);
        tasks_run();
    }
    peers_end(engine, functions);
    functions->close(engine);
    tasks_end();
    connection_end();
    inboxes_end();
    return 0;
}
