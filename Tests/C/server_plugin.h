/* The notes of the engines for addresses in plugins/, for the tests that load them. */
#ifndef SERVER_PLUGIN_H
#define SERVER_PLUGIN_H

#include <crosstie.h>
#include <crosstie/engine_plugin.h>

#include <stdbool.h>

enum { NOTED_TEXTS = 9 };

/** Exported as `fake_server`. */
typedef struct server_notes {
    int made, closed;
    ctie_status answer; /* of `create`, and its explanation is none */
    bool has_no_connection;
    /* Of the last server: hosts, user, password, token, nkey_seed, credentials, tls_ca, tls_certificate, tls_key. */
    char texts[NOTED_TEXTS][4200];
    ctie_engine_server server;
    char group[132];
    const ctie_engine_host *host; /* of the last member */
} server_notes;

#endif
