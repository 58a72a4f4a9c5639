/*
 * A transport over a Redis server, which keeps the records of a wormhole's groups. Programs that reach its socket share
 * them. Debian: libhiredis-dev, redis-server.
 */
#ifndef REDIS_TRANSPORT_H
#define REDIS_TRANSPORT_H

#include <crosstie.h>

extern const ctie_transport REDIS_TRANSPORT;

/*
 * The transport_data of one wormhole; NULL without memory, or if a name is too long. The wormhole frees it. `socket` is
 * the path of the server's socket; `group` begins the names of its keys there. It connects when it is used, and again
 * when the connection breaks. The program ignores SIGPIPE, which a broken connection raises.
 */
void *redis_transport(const char *socket, const char *group);

#endif
