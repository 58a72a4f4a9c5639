/* The server's address and secrets, and the options of the group. */
#define _GNU_SOURCE
#include "settings.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_MESSAGES = 1048576 }; /* as groups in a directory keep */

static bool copy(char **to, ctie_str text) { return (*to = text_new(text)) != NULL; }

settings *settings_copy(const ctie_engine_server *server) {
    settings *it = calloc(1, sizeof *it);
    if (it == NULL) { return NULL; }
    bool is_copied = copy(&it->hosts, server->hosts) && copy(&it->user, server->user) &&
                     copy(&it->password, server->password) && copy(&it->token, server->token) &&
                     copy(&it->nkey_seed, server->nkey_seed) && copy(&it->credentials, server->credentials) &&
                     copy(&it->tls_ca, server->tls_ca) && copy(&it->tls_certificate, server->tls_certificate) &&
                     copy(&it->tls_key, server->tls_key);
    it->flags = server->flags, it->replicas = server->replicas;
    it->max_age_ms = server->max_age_ms;
    it->max_messages = server->max_queued, it->max_bytes = server->max_queued_size;
    if (is_copied) { return it; }
    settings_free(it);
    return NULL;
}

static void wipe(char *secret) {
    if (secret != NULL) { explicit_bzero(secret, strlen(secret)); }
    free(secret);
}

void settings_free(settings *it) {
    if (it == NULL) { return; }
    wipe(it->password), wipe(it->token), wipe(it->nkey_seed);
    free(it->hosts), free(it->user), free(it->credentials);
    free(it->tls_ca), free(it->tls_certificate), free(it->tls_key);
    free(it);
}

uint32_t settings_replicas(const settings *it) { return it->replicas > 0 ? it->replicas : 1; }

bool settings_has_replicas(const settings *it) { return it->replicas > 0; }

int64_t settings_max_age(const settings *it) {
    uint64_t most = INT64_MAX / 1000000;
    return (int64_t)(it->max_age_ms < most ? it->max_age_ms : most) * 1000000;
}

uint64_t settings_max_messages(const settings *it) { return it->max_messages > 0 ? it->max_messages : MAX_MESSAGES; }

uint64_t settings_max_bytes(const settings *it) { return it->max_bytes; }

bool settings_is_offline(const settings *it) { return (it->flags & CTIE_ENGINE_SERVER_OFFLINE) != 0; }
