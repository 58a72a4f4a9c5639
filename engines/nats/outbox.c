#include "outbox.h"
#include "problem.h"

ctie_status outbox_send(engine *it, natsMsg *message, int64_t deadline) {
    (void)deadline;
    int size = natsMsg_GetDataLength(message);
    natsStatus status = natsConnection_PublishMsg(it->connection, message);
    natsMsg_Destroy(message);
    switch (status) {
    case NATS_OK: return CTIE_OK;
    case NATS_MAX_PAYLOAD: {
        const char *words = words_of_nats(status);
        return fail(it, CTIE_E_LIMIT, "%d bytes with their headers are too many for the server: %s", size, words);
    }
    case NATS_IO_ERROR: case NATS_TIMEOUT: return fail(it, CTIE_E_UNCERTAIN, "the connection broke while sending");
    default: return fail_nats(it, status, "sending to the server");
    }
}

void outbox_flush(engine *it, int64_t deadline) { (void)it, (void)deadline; }
