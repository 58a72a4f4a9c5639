/* Headers of a stored message.
       Ctie-From      the member, its process and its name, percent-encoded
       Ctie-Time      nanoseconds since 1970
       Ctie-Expires   likewise; missing: never
       Ctie-Format    1
       Ctie-Headers   the names of the message's own headers in their order, if there are several
       Ctie-H-<name>  one of them; name and value percent-encoded
       traceparent    likewise, as others write and read it
       Nats-Msg-Id    the token in hexadecimal digits, and the place in the batch */
#ifndef HEADERS_H
#define HEADERS_H

#include "envelope.h"
#include "text.h"

#include <string.h>

enum {
    MEMBER_SIZE = 32,
    NAME_MOST = 128, /* bytes of a header's name */
};

#define OWN "Ctie-H-"
/* Stands for an empty value: libnats reads the line after an empty one as its continuation. */
#define EMPTY_VALUE "%"
#define TRACE "traceparent"

static inline bool is_trace(ctie_str name) {
    return name.size == sizeof TRACE - 1 && memcmp(name.data, TRACE, sizeof TRACE - 1) == 0;
}

#endif
