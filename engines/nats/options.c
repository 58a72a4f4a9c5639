/* The settings as libnats's options. */
#define _GNU_SOURCE
#include "nkey.h"
#include "problem.h"
#include "settings.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    HOSTS_MOST = 64,
    TIMEOUT_MS = 2000, /* of one attempt to connect */
    PING_MS = 2000, PINGS_MISSED = 2,
    WAIT_MS = 250, JITTER_MS = 50,
    WRITE_MS = 2000, /* a server that reads nothing for so long counts as lost */
};

static bool has(const char *text) { return text[0] != 0; }

static ctie_status look_at_file(engine *it, const char *path, const char *what) {
    if (!has(path)) { return CTIE_OK; }
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    int error = file < 0 ? errno : 0;
    if (file >= 0) { close(file); }
    if (error == 0) { return CTIE_OK; }
    ctie_status status = error == ENOENT || error == ENOTDIR ? CTIE_E_NOT_FOUND
                         : error == EACCES || error == EPERM ? CTIE_E_DENIED : CTIE_E_SYSTEM;
    return fail(it, status, "%s %s: %s", what, path, strerrordesc_np(error));
}

static ctie_status set_hosts(engine *it, natsOptions *options, bool is_tls) {
    char *hosts = strdup(it->settings->hosts), *rest = NULL;
    char *urls[HOSTS_MOST];
    int count = 0;
    bool has_memory = hosts != NULL;
    for (char *host = has_memory ? strtok_r(hosts, ",", &rest) : NULL; host != NULL && has_memory && count < HOSTS_MOST;
         host = strtok_r(NULL, ",", &rest)) {
        has_memory = asprintf(&urls[count], "%s://%s", is_tls ? "tls" : "nats", host) >= 0;
        if (has_memory) { count++; }
    }
    natsStatus status = !has_memory ? NATS_NO_MEMORY : natsOptions_SetServers(options, (const char **)urls, count);
    for (int i = 0; i < count; i++) { free(urls[i]); }
    free(hosts);
    return status == NATS_OK ? CTIE_OK : fail_nats(it, status, "the server's address");
}

/* Called by libnats when it connects. */
static natsStatus sign(char **words, unsigned char **signature, int *size, const char *nonce, void *closure) {
    natsStatus status = nats_Sign(closure, nonce, signature, size);
    if (status != NATS_OK) { *words = strdup("the nkey's seed cannot sign"); }
    return status;
}

static ctie_status set_nkey(engine *it, natsOptions *options) {
    char key[NKEY_MOST];
    if (!nkey_public(it->settings->nkey_seed, key)) {
        return fail(it, CTIE_E_INVALID, "nkey_seed is not the seed of a user's nkey");
    }
    natsStatus status = natsOptions_SetNKey(options, key, sign, it->settings->nkey_seed);
    return status == NATS_OK ? CTIE_OK : fail_nats(it, status, "the nkey");
}

static ctie_status set_log_in(engine *it, natsOptions *options) {
    const settings *from = it->settings;
    natsStatus status = NATS_OK;
    if (has(from->user) || has(from->password)) {
        status = natsOptions_SetUserInfo(options, from->user, from->password);
    }
    if (status == NATS_OK && has(from->token)) { status = natsOptions_SetToken(options, from->token); }
    if (status != NATS_OK) { return fail_nats(it, status, "the log-in"); }
    if (has(from->nkey_seed)) { return set_nkey(it, options); }
    if (!has(from->credentials)) { return CTIE_OK; }
    ctie_status seen = look_at_file(it, from->credentials, "the credentials file");
    if (seen != CTIE_OK) { return seen; }
    status = natsOptions_SetUserCredentialsFromFiles(options, from->credentials, NULL);
    return status == NATS_OK ? CTIE_OK : fail_nats(it, status, from->credentials);
}

/* The expected name is that of each host: libnats's own default. */
static ctie_status set_tls(engine *it, natsOptions *options, bool is_tls) {
    const settings *from = it->settings;
    ctie_status seen = look_at_file(it, from->tls_ca, "the trusted certificates");
    if (seen == CTIE_OK) { seen = look_at_file(it, from->tls_certificate, "the certificate"); }
    if (seen == CTIE_OK) { seen = look_at_file(it, from->tls_key, "the certificate's key"); }
    if (seen != CTIE_OK) { return seen; }
    if (has(from->tls_certificate) != has(from->tls_key)) {
        return fail(it, CTIE_E_INVALID, "tls_certificate and tls_key belong together");
    }
    if (has(from->tls_ca) && natsOptions_LoadCATrustedCertificates(options, from->tls_ca) != NATS_OK) {
        return fail(it, CTIE_E_INVALID, "%s: %s", from->tls_ca, words_of_nats(NATS_SSL_ERROR));
    }
    if (has(from->tls_key) &&
        natsOptions_LoadCertificatesChain(options, from->tls_certificate, from->tls_key) != NATS_OK) {
        return fail(it, CTIE_E_INVALID, "%s, %s: %s", from->tls_certificate, from->tls_key,
                    words_of_nats(NATS_SSL_ERROR));
    }
    natsStatus status = is_tls ? natsOptions_SetSecure(options, true) : NATS_OK;
    return status == NATS_OK ? CTIE_OK : fail_nats(it, status, "TLS");
}

static ctie_status set_behavior(engine *it, natsOptions *options) {
    natsStatus status = natsOptions_SetName(options, it->self.name);
    if (status == NATS_OK) { status = natsOptions_SetNoRandomize(options, true); }
    if (status == NATS_OK) { status = natsOptions_SetTimeout(options, TIMEOUT_MS); }
    if (status == NATS_OK) { status = natsOptions_SetPingInterval(options, PING_MS); }
    if (status == NATS_OK) { status = natsOptions_SetMaxPingsOut(options, PINGS_MISSED); }
    if (status == NATS_OK) { status = natsOptions_SetMaxReconnect(options, -1); }
    if (status == NATS_OK) { status = natsOptions_SetReconnectWait(options, WAIT_MS); }
    if (status == NATS_OK) { status = natsOptions_SetReconnectJitter(options, JITTER_MS, JITTER_MS); }
    /* Without a connection a publish fails. It is not kept for later. */
    if (status == NATS_OK) { status = natsOptions_SetReconnectBufSize(options, 0); }
    if (status == NATS_OK) { status = natsOptions_SetWriteDeadline(options, WRITE_MS); }
    if (status == NATS_OK) { status = natsOptions_SetSendAsap(options, true); }
    if (status == NATS_OK) { status = natsOptions_UseGlobalMessageDelivery(options, true); }
    return status == NATS_OK ? CTIE_OK : fail_nats(it, status, "the options of the connection");
}

ctie_status settings_options(engine *it, natsOptions **out) {
    bool is_tls = (it->settings->flags & CTIE_ENGINE_SERVER_TLS) != 0;
    natsStatus made = natsOptions_Create(out);
    if (made != NATS_OK) {
        *out = NULL;
        return fail_nats(it, made, "the options of the connection");
    }
    ctie_status status = set_hosts(it, *out, is_tls);
    if (status == CTIE_OK) { status = set_behavior(it, *out); }
    if (status == CTIE_OK) { status = set_tls(it, *out, is_tls); }
    if (status == CTIE_OK) { status = set_log_in(it, *out); }
    if (status == CTIE_OK) { return CTIE_OK; }
    natsOptions_Destroy(*out);
    *out = NULL;
    return status;
}
