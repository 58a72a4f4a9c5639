/* A message of the wormhole as a message of NATS, and back. Headers: docs/nats.md lists them. */
#ifndef ENVELOPE_H
#define ENVELOPE_H

#include "names.h"

#include <nats/nats.h>

/* A sender: the header Ctie-From. */
typedef struct sender {
    char member[33]; /* 32 hexadecimal digits, new for each member */
    int32_t pid;
    char name[65];   /* UTF-8 */
} sender;

/* Makes the message of NATS that stores `message`. `token` is NULL or CTIE_TRANSPORT_TOKEN_SIZE bytes; Nats-Msg-Id is
   made of it and `index`, the message's place in its batch. `reply` is NULL, or the subject for the answer.
   CTIE_E_NO_MEMORY. */
ctie_status envelope_pack(const group_names *names, const sender *from, const ctie_engine_message *message,
                          const uint8_t *token, size_t index, const char *reply, natsMsg **out);

/* A message that was read. Its texts and bytes are borrowed from the natsMsg, and its headers belong to this. */
typedef struct envelope {
    ctie_engine_message message; /* kind, identifier, value, headers, time, expires, sender; the rest is 0 */
    ctie_header *headers;
    char *texts;                 /* decoded texts of the headers */
    char member[33];             /* the sender's; empty if unknown */
} envelope;

/* Reads a message of a group's subject `subject` (natsMsg_GetSubject() or that of a stored message). False: it is not
   one of the group, or of a newer format; `problem` then receives a constant text. Headers that cannot be read are left
   out; foreign headers (without our prefix) are headers of the message, bounded by the library's own limits in
   message.h. A body of a value may be anything: the library checks MessagePack. */
bool envelope_read(const group_names *names, const char *subject, natsMsg *from, envelope *out, const char **problem);
void envelope_clear(envelope *it);

#endif
