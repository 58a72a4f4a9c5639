#include "host.h"
#include "peers.h"
#include "simulated.h"
#include "tasks.h"

#include <string.h>

#define CHECK(what) do { if (!(what)) { give_up("not so: " #what); } } while (0)

bound bindings_known[BINDINGS_MOST];

void host_begin(void) { memset(bindings_known, 0, sizeof bindings_known); }

void check_status(ctie_status status) { CHECK(status <= CTIE_OK && status > -100); }

/* ---- Messages -------------------------------------------------------------------------------------- */

bool is_identifier(ctie_str text) {
    if (text.size == 0 || text.size > 128) { return false; }
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];
        bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        bool is_inside = i > 0 && i + 1 < text.size;
        bool is_mark = i > 0 && (c == '_' || c == '-');
        if (!is_letter && !is_mark && !(is_inside && c == '.' && text.data[i - 1] != '.')) { return false; }
    }
    return true;
}

static void check_headers(const ctie_engine_message *message) {
    size_t size = 0;
    CHECK(message->header_count <= CTIE_MAX_HEADERS);
    CHECK((message->headers == NULL) == (message->header_count == 0));
    for (size_t i = 0; i < message->header_count; i++) {
        const ctie_header *one = &message->headers[i];
        CHECK(one->name.size > 0 && one->name.size <= 128);
        size += one->name.size + one->value.size;
        for (size_t k = 0; k < i; k++) {
            ctie_str other = message->headers[k].name;
            CHECK(other.size != one->name.size || memcmp(other.data, one->name.data, other.size) != 0);
        }
    }
    CHECK(size <= CTIE_MAX_HEADERS_SIZE);
}

static void check_message(const ctie_engine_message *message) {
    CHECK(message->size == sizeof *message);
    CHECK(message->time >= 0 && message->expires >= 0);
    CHECK(message->sender_name.size <= 64 && message->sender_pid >= 0);
    CHECK(message->value.size == 0 || message->kind == CTIE_MESSAGE_VALUE);
    check_headers(message);
}

void check_stored(const ctie_engine_message *message) {
    check_message(message);
    CHECK(message->kind == CTIE_MESSAGE_VALUE && message->sequence > 0 && is_identifier(message->identifier));
}

void check_letter(const ctie_engine_message *message) {
    check_message(message);
    CHECK(message->kind >= CTIE_MESSAGE_VALUE && message->kind <= CTIE_MESSAGE_DESTROYED && message->sequence > 0);
    bool is_of_all = message->kind == CTIE_MESSAGE_DESTROYED && message->identifier.size == 0;
    CHECK(is_of_all || is_identifier(message->identifier));
}

/* ---- Deliveries ------------------------------------------------------------------------------------ */

static void check_number(bound *to, const ctie_engine_message *message) {
    bool is_stored = (message->flags & CTIE_ENGINE_STORED) != 0;
    CHECK(!is_stored || (to->delivery == CTIE_ENGINE_STATE && !to->has_newer));
    if (message->kind == CTIE_MESSAGE_NONE) {
        CHECK(is_stored && message->sequence == 0);
        return;
    }
    CHECK(message->sequence > 0);
    if (is_stored) {
        ctie_str last = ctie_str_from(to->identifier), next = message->identifier;
        size_t shorter = last.size < next.size ? last.size : next.size;
        int order = memcmp(last.data, next.data, shorter);
        CHECK(order < 0 || (order == 0 && last.size < next.size));
        memcpy(to->identifier, next.data, next.size);
        to->identifier[next.size] = 0;
        if (message->sequence > to->sequence) { to->sequence = message->sequence; }
        return;
    }
    to->has_newer = true;
    CHECK(to->delivery == CTIE_ENGINE_DURABLE || message->sequence > to->sequence);
    to->sequence = message->sequence;
}

static void check_claim(bound *to, const ctie_engine_message *message) {
    bool has_claim = to->delivery == CTIE_ENGINE_DURABLE && message->kind != CTIE_MESSAGE_MISSED;
    CHECK(has_claim == (message->claim != 0) && has_claim == (message->delivery_count > 0));
    for (size_t i = 0; has_claim && i < to->claim_count; i++) { CHECK(to->claims[i] != message->claim); }
}

static void check_kind(const bound *to, const ctie_engine_message *message) {
    bool is_everything = message->kind == CTIE_MESSAGE_DESTROYED && message->identifier.size == 0;
    switch (message->kind) {
    case CTIE_MESSAGE_MISSED:
        CHECK(to->delivery != CTIE_ENGINE_STATE);
        return;
    case CTIE_MESSAGE_NONE:
        CHECK(to->delivery == CTIE_ENGINE_STATE);
        break;
    default:
        CHECK(message->kind == CTIE_MESSAGE_VALUE || message->kind == CTIE_MESSAGE_SIGNAL ||
              message->kind == CTIE_MESSAGE_DESTROYED);
    }
    CHECK(is_everything || is_identifier(message->identifier)); /* the library compares it with the topic */
}

/* The library does not take a value that is no MessagePack. */
static bool is_readable(const ctie_engine_message *message) {
    return message->value.size == 0 || ((const uint8_t *)message->value.data)[0] != 0xc1;
}

static ctie_status deliver(void *context, uint64_t number, const ctie_engine_message *messages, size_t count,
                           uint32_t *credit) {
    (void)context;
    CHECK(number > 0 && number <= BINDINGS_MOST && count == 1 && credit != NULL);
    bound *to = &bindings_known[number - 1];
    CHECK(to->is_bound && to->credit > 0);
    check_message(messages);
    check_kind(to, messages);
    check_number(to, messages);
    check_claim(to, messages);
    to->credit--;
    bool is_taken = is_readable(messages), has_claim = messages->claim != 0;
    if (is_taken && has_claim && to->claim_count < CLAIMS_KEPT) { to->claims[to->claim_count++] = messages->claim; }
    *credit = !has_claim && to->gives_credit_back ? 1 : 0;
    to->credit += *credit;
    return is_taken ? CTIE_OK : CTIE_E_CORRUPT;
}

/* ---- The rest -------------------------------------------------------------------------------------- */

static void members_changed(void *context) { (void)context; }

static void log_text(void *context, int32_t level, ctie_str text) { (void)context, (void)level, (void)text; }

static void explain(void *context, ctie_str text) { (void)context, (void)text; }

/* The address has no secrets. */
static void connection_changed(void *context, const ctie_engine_connection *now) {
    (void)context;
    CHECK(now->size == sizeof *now && now->state >= CTIE_CONNECTION_CONNECTED && now->state <= CTIE_CONNECTION_CLOSED);
    CHECK(now->server.size == 0 || strcmp(now->server.data, "127.0.0.1:4222") == 0);
}

const ctie_engine_host CHECKING_HOST = {
    .size = sizeof(ctie_engine_host), .name = {"fuzz", 4}, .max_value_size = 65536, .pid = 1,
    .deliver = deliver, .members_changed = members_changed, .log = log_text, .explain = explain,
    .connection_changed = connection_changed, .peer_connected = peer_connected, .peer_frame = peer_frame,
    .peer_disconnected = peer_disconnected, .peer_has_requests = peer_has_requests,
};
