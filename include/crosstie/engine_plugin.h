/**
 * @file engine_plugin.h
 * Engines in libraries of their own, which ctie_wormhole_open() loads for an address such as `nats://host/group`.
 *
 * Programs do not need this header: an address is enough. It is for those who write such a library.
 */
#ifndef CROSSTIE_ENGINE_PLUGIN_H
#define CROSSTIE_ENGINE_PLUGIN_H

#include "base.h"
#include "engine.h"
#include "status.h"

CTIE_BEGIN

/**
 * @addtogroup engine
 * @{
 */

/** The version of the structs in this header and in engine.h; a library of another one is refused. @since 0.1 */
#define CTIE_ENGINE_PLUGIN_ABI ((uint32_t)1)

/** Bits of ctie_engine_server.flags. @since 0.1 */
enum {
    CTIE_ENGINE_SERVER_TLS = 1,     /**< only by TLS: the address began with `tls://` */
    CTIE_ENGINE_SERVER_OFFLINE = 2, /**< opening succeeds without the server, which is then connected to later */
};

/**
 * The server of a group, as the address and the options of ctie_wormhole_open() say. The texts are checked UTF-8 without
 * a NUL, and are borrowed by `create`. Empty: not given.
 *
 * @since 0.1
 */
typedef struct ctie_engine_server {
    size_t size;           /**< sizeof(ctie_engine_server) */
    ctie_str hosts;        /**< `host:port,host2:port`, without secrets; each with its port */
    uint32_t flags;        /**< CTIE_ENGINE_SERVER_… */
    uint32_t replicas;     /**< copies of the group on the server: 1 to 5; 0: not given */
    ctie_str user;         /**< the user's name */
    ctie_str password;     /**< the password */
    ctie_str token;        /**< a token instead of both */
    ctie_str nkey_seed;    /**< the seed of an nkey, `SU…` */
    ctie_str credentials;  /**< the path of a credentials file (a JWT with its seed) */
    ctie_str tls_ca;       /**< the path of the trusted certificates; empty: the system's */
    ctie_str tls_certificate; /**< the path of this client's certificate */
    ctie_str tls_key;      /**< the path of its key */
    uint64_t max_age_ms;   /**< milliseconds that the group keeps a message; 0: for ever */
    uint64_t max_queued;   /**< the most messages that it keeps; 0: not given */
    uint64_t max_queued_size; /**< the most bytes of them; 0: not given */
} ctie_engine_server;

/** The object that such a library exports, under the name `ctie_engine_<scheme>`. @since 0.1 */
typedef struct ctie_engine_plugin {
    size_t size;       /**< sizeof(ctie_engine_plugin) */
    uint32_t abi;      /**< CTIE_ENGINE_PLUGIN_ABI */
    uint32_t reserved; /**< 0 */
    const ctie_engine *CTIE_NONNULL engine; /**< its functions */
    /** Makes the user_data of a wormhole, which `close` releases. It does not connect.
        @return CTIE_OK; CTIE_E_NO_MEMORY; CTIE_E_INVALID; CTIE_E_UNSUPPORTED (it does not have one of the options). */
    ctie_status (*CTIE_NONNULL create)(const ctie_engine_server *CTIE_NONNULL server, void **CTIE_NONNULL user_data);
} ctie_engine_plugin;

/** @} */

CTIE_END

#endif
