/* The settings of a member, for the two files that look into them. */
#ifndef SETTINGS_H
#define SETTINGS_H

#include "engine.h"

/* All texts are owned, and empty if they were not given. */
struct settings {
    char *hosts, *user, *password, *token, *nkey_seed, *credentials, *tls_ca, *tls_certificate, *tls_key;
    uint32_t flags, replicas;
    uint64_t max_age_ms, max_messages, max_bytes;
};

#endif
