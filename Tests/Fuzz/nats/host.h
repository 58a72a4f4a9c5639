/* A host of the engine that checks what it gets. */
#ifndef CHECKING_HOST_H
#define CHECKING_HOST_H

#include <crosstie.h>
#include <crosstie/engine_plugin.h>
#include <stdint.h>

enum { BINDINGS_MOST = 8, CLAIMS_KEPT = 64 };

/* A binding, as its host knows it. Its number is its index and 1. */
typedef struct bound {
    char topic[32];
    uint32_t delivery, credit;
    bool is_bound, gives_credit_back;
    bool has_newer;          /* after the stored values of states */
    uint64_t sequence;       /* the last one */
    char identifier[132];    /* of the last stored value */
    uint64_t claims[CLAIMS_KEPT];
    size_t claim_count;
} bound;

extern bound bindings_known[BINDINGS_MOST];
extern const ctie_engine_host CHECKING_HOST;

void host_begin(void);
/* Ends the program if a status is none that an engine may return. */
void check_status(ctie_status status);
/* Likewise if a message is none that is stored. */
void check_stored(const ctie_engine_message *message);
/* Likewise of a dead letter. */
void check_letter(const ctie_engine_message *message);
bool is_identifier(ctie_str text);

#endif
