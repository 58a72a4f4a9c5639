/* An engine for addresses: the one in memory, which notes the servers that it is made for. It refuses to send under
   `refused`, and says why; under `refused.silently` it does not. */
#ifndef SERVER_ENGINE_H
#define SERVER_ENGINE_H

#include "engine_memory.h"
#include "server_plugin.h"

#ifndef PLUGIN_ABI
#define PLUGIN_ABI CTIE_ENGINE_PLUGIN_ABI
#endif
#ifndef PLUGIN_SIZE
#define PLUGIN_SIZE sizeof(ctie_engine_plugin)
#endif
#ifndef PLUGIN_SEND
#define PLUGIN_SEND send_unless_refused
#endif

server_notes fake_server;

static void note(int index, ctie_str text) {
    char *to = fake_server.texts[index];
    size_t size = text.size < sizeof *fake_server.texts ? text.size : sizeof *fake_server.texts - 1;
    if (size > 0) { memcpy(to, text.data, size); }
    to[size] = 0;
}

static ctie_status create(const ctie_engine_server *server, void **user_data) {
    const ctie_str texts[NOTED_TEXTS] = {server->hosts,     server->user,        server->password,
                                         server->token,     server->nkey_seed,   server->credentials,
                                         server->tls_ca,    server->tls_certificate, server->tls_key};
    fake_server.made++;
    fake_server.server = *server;
    for (int i = 0; i < NOTED_TEXTS; i++) { note(i, texts[i]); }
    if (fake_server.answer != CTIE_OK) { return fake_server.answer; }
    *user_data = calloc(1, sizeof(engine_memory));
    return *user_data == NULL ? CTIE_E_NO_MEMORY : CTIE_OK;
}

static void say_connection(const ctie_engine_host *host) {
    ctie_engine_connection now = {.size = sizeof now, .state = CTIE_CONNECTION_CONNECTED, .since = 1000};
    now.server = CTIE_STR("first"), now.version = CTIE_STR("2.9");
    host->connection_changed(host->context, &now);
}

static ctie_status open_group(void *user_data, ctie_str group, const ctie_engine_host *host, uint32_t *abilities,
                              int64_t timeout_ms) {
    char *name = em_text(group);
    snprintf(fake_server.group, sizeof fake_server.group, "%s", name);
    free(name);
    fake_server.host = host;
    if (!fake_server.has_no_connection) { say_connection(host); }
    return em_open(user_data, group, host, abilities, timeout_ms);
}

__attribute__((unused)) static ctie_status send_unless_refused(void *user_data, const ctie_engine_message *messages,
                                                               size_t count, const uint8_t *token, uint64_t *first,
                                                               uint32_t *listeners, int64_t timeout_ms) {
    engine_memory *it = (engine_memory *)user_data;
    char *id = em_text(messages->identifier);
    bool is_refused = strcmp(id, "refused") == 0, is_silent = strcmp(id, "refused.silently") == 0;
    free(id);
    if (is_refused) { it->host->explain(it->host->context, CTIE_STR("no \1 permission")); }
    if (is_refused || is_silent) { return CTIE_E_DENIED; }
    /* Of a send that succeeds; nobody's. */
    it->host->explain(it->host->context, CTIE_STR("stale"));
    return em_send(user_data, messages, count, token, first, listeners, timeout_ms);
}

static void close_group(void *user_data) {
    em_close(user_data);
    free(user_data);
    fake_server.closed++;
}

static const ctie_engine ENGINE = {
    .size = sizeof(ctie_engine), .open = open_group, .send = PLUGIN_SEND, .current = em_read,
    .identifiers = em_identifiers, .bind = em_bind, .credit = em_credit, .resolve = em_resolve, .unbind = em_unbind,
    .members = em_members, .close = close_group, .forget = em_forget, .durables = em_durables, .seek = em_seek,
    .declare = em_declare, .scheduled = em_scheduled, .cancel = em_cancel, .send_each = em_send_each};

const ctie_engine_plugin ctie_engine_nats = {PLUGIN_SIZE, PLUGIN_ABI, 0, &ENGINE, create};

#endif
