/*
 * crosstie.Wormhole (wormhole.c), whose methods are in the files wormhole_….c; Listener, Message and Sent.
 */
#ifndef CROSSTIE_EXT_WORMHOLE_H
#define CROSSTIE_EXT_WORMHOLE_H

#include "../base/owner.h"

/* The options of a server, and its address (wormhole_server.c) */

/** The arguments of Wormhole() that are for a group on a server; NULL: not given. */
typedef struct ext_server {
    PyObject *credentials, *nkey_seed, *token, *user, *password;
    PyObject *tls_ca, *tls_certificate, *tls_key;
    PyObject *replicas, *max_age;
    int offline;
} ext_server;

/** The number of paths among them. */
#define EXT_SERVER_PATHS 4

/** Reads the bytes of a path, which `holder` keeps also after a failure; None is the empty text. */
int ext_path(PyObject *object, const char *what, PyObject **holder, ctie_str *out);
/** Reads the arguments. `holders` keep the bytes of the paths, also after a failure: EXT_SERVER_PATHS of them. */
int ext_server_read(const ext_server *server, PyObject **holders, ctie_wormhole_options *out);
/** A group's name, or its address without a user, a password or a token. The wormhole is open, so it is well formed. */
PyObject *ext_shown_group(PyObject *group, ctie_str text);
/** Has the package load the engine for an address, if an installed one has it. */
int ext_prepare_engine(ext_state *state, ctie_str address);
PyObject *ext_load_library(PyObject *module, PyObject *path);

/* Sending (wormhole_send.c, wormhole_send_many.c) */

PyObject *ext_wormhole_send(PyObject *wormhole, PyObject *const *args, Py_ssize_t count, PyObject *names);
PyObject *ext_wormhole_signal(PyObject *wormhole, PyObject *const *args, Py_ssize_t count, PyObject *names);
PyObject *ext_wormhole_send_many(PyObject *wormhole, PyObject *const *args, Py_ssize_t count, PyObject *names);
PyObject *ext_wormhole_scheduled(PyObject *wormhole, PyObject *args);
PyObject *ext_wormhole_cancel_scheduled(PyObject *wormhole, PyObject *number);
/** Sends a value without options, or a signal for NULL. `sequence` and `listeners` may be NULL. */
int ext_wormhole_send_value(ext_owner *wormhole, PyObject *identifier, PyObject *object, uint64_t *sequence,
                            uint32_t *listeners);

/* Stored messages (wormhole_messages.c) */

PyObject *ext_wormhole_destroy(PyObject *wormhole, PyObject *identifier);
PyObject *ext_wormhole_destroy_all(PyObject *wormhole, PyObject *unused);
PyObject *ext_wormhole_message(PyObject *wormhole, PyObject *identifier);
PyObject *ext_wormhole_get_item(PyObject *wormhole, PyObject *identifier);
int ext_wormhole_set_item(PyObject *wormhole, PyObject *identifier, PyObject *value);
int ext_wormhole_contains(PyObject *wormhole, PyObject *identifier);
PyObject *ext_wormhole_identifiers(PyObject *wormhole, PyObject *args);
PyObject *ext_wormhole_abilities(PyObject *wormhole, PyObject *unused);
PyObject *ext_wormhole_members(PyObject *wormhole, PyObject *unused);
PyObject *ext_wormhole_connection(PyObject *wormhole, PyObject *unused);

/* Durable consumers (wormhole_durables.c) and their dead letters (wormhole_dead_letters.c) */

PyObject *ext_wormhole_declare(PyObject *wormhole, PyObject *args);
PyObject *ext_wormhole_durables(PyObject *wormhole, PyObject *unused);
PyObject *ext_wormhole_seek(PyObject *wormhole, PyObject *args);
PyObject *ext_wormhole_forget(PyObject *wormhole, PyObject *args);
PyObject *ext_wormhole_dead_letters(PyObject *wormhole, PyObject *args);
PyObject *ext_wormhole_dead_letter(PyObject *wormhole, PyObject *args);
PyObject *ext_wormhole_retry_or_drop(PyObject *wormhole, PyObject *args);

/* Listeners (listener.c) */

/** A bit of the flags of `_listen()`: without an identifier, the listener is bound to the connection, not to members. */
#define EXT_LISTEN_CONNECTION (1u << 31)

/** Binds a listener of any kind. */
PyObject *ext_listener_add(PyObject *wormhole, PyObject *args);
/**
 * The listeners of an identifier, None for presence and the connection, NULL for any, and of a name unless that is NULL: a list. Take it
 * before Crosstie replaces or removes them, since other threads may bind meanwhile.
 */
PyObject *ext_listeners_at(ext_owner *wormhole, PyObject *identifier, PyObject *name);

/* The other types (message.c, sent.c) */

/** A Message that retains a message. */
PyObject *ext_message_new(ext_state *state, const ctie_message *message);
/** The result of sending. */
PyObject *ext_sent_new(ext_state *state, uint64_t sequence, uint32_t listeners);

extern PyType_Spec ext_join_spec;
extern PyType_Spec ext_wormhole_spec;
extern PyType_Spec ext_listener_spec;
extern PyType_Spec ext_message_spec;
extern PyStructSequence_Desc ext_sent_desc;

#endif
