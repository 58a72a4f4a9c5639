/* The copy of a dead letter that is sent under the identifier of dead letters. */
#ifndef DEAD_COPY_H
#define DEAD_COPY_H

#include "envelope.h"
#include "letter.h"

/* Whether a durable consumer with these options leaves out messages of an identifier, since they are its dead letters. */
bool dead_copy_is_of(const durable_options *options, ctie_str topic, ctie_str identifier);
/* Sends the copy of a letter that is dying, once, and gives its number in the stream of all messages; 0: none is sent of
   it, or the server does not take one of its size. `from` has the message's content. `may_be_sent`: another member has begun
   the death, and the copy is looked for. */
ctie_status dead_copy_send(const death *what, const letter *of, natsMsg *from, bool may_be_sent, uint64_t *sent_as);

/* --- dead_copy_store.c --- */

ctie_status dead_copy_store(const death *what, const letter *of, const ctie_engine_message *message, const sender *from,
                            bool may_be_sent, uint64_t *sent_as);

#endif
