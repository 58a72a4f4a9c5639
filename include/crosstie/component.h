/**
 * @file component.h
 * Components: named sets of actions that other parts of a program call by name (call.h), in any
 * language; and events, which are delivered to every component with an action for them.
 */
#ifndef CROSSTIE_COMPONENT_H
#define CROSSTIE_COMPONENT_H

#include "base.h"
#include "bus.h"
#include "call.h"
#include "request.h"
#include "status.h"
#include "value.h"

CTIE_BEGIN

/**
 * @defgroup component Components
 *
 * Any thread may call these functions, also inside a callback. They return CTIE_OK, or one of
 * CTIE_E_HANDLE, CTIE_E_FORKED, CTIE_E_INVALID (an argument is NULL or malformed), CTIE_E_ABI (options of a newer
 * header), CTIE_E_NO_MEMORY, and the errors that each lists. `options` is borrowed, and NULL means the defaults.
 * `error` may be NULL; it receives an error object owned by the caller.
 * @{
 */

/** Flags of an action. @since 0.1 */
enum {
    /** The action handles the event of its name: ctie_component_broadcast(). */
    CTIE_ACTION_EVENT = 1 << 0,
    CTIE_ACTION_WORKER_ONLY = 1 << 2, /**< it runs on a worker of the bus, also for a synchronous caller */
    /** It may run twice: if a peer ends before it answers a call, the call goes to another peer, once (join.h). */
    CTIE_ACTION_IDEMPOTENT = 1 << 3,
    /**
     * Its handler returns at once: it waits for nothing, or keeps the request and answers later. An asynchronous call runs
     * it on the calling thread, before the call returns, which wakes no worker. The completion runs where it always does.
     * The flag has no effect on a component that is CTIE_COMPONENT_LAZY or names a dispatcher, for a call that names one,
     * for a call of a peer (join.h), and where an interceptor sees the call first: such a call runs on a worker. Not
     * together with CTIE_ACTION_WORKER_ONLY.
     */
    CTIE_ACTION_NONBLOCKING = 1 << 4,
};

/** An action: a handler under a name. @since 0.1 */
typedef struct ctie_action {
    ctie_str name;                       /**< a letter or _, then letters, digits, _ . or -; at most 128 bytes */
    ctie_handler_fn CTIE_NULLABLE fn;    /**< NULL is refused */
    /** Handed to `fn`; NULL: the component's instance, or without a factory its user_data. It must live as long as the
        component. */
    void *CTIE_NULLABLE user_data;
    uint32_t flags;                      /**< CTIE_ACTION_… */
    ctie_str doc;                        /**< for people; UTF-8, at most 4,096 bytes */
} ctie_action;

/**
 * Makes a component's instance.
 *
 * @param user_data as registered.
 * @return the user_data of its actions; NULL for a failure: calls end with CTIE_E_NOT_COMPONENT.
 * @par Threads
 * The registering thread; for CTIE_COMPONENT_LAZY the first caller's, and other callers wait for it. No lock of the
 * library is held.
 * @since 0.1
 */
typedef void *CTIE_NULLABLE (*ctie_factory_fn)(void *user_data);

/**
 * The source of the user_data of a component's actions: the instance that `fn` makes, or without it `user_data` itself.
 *
 * @since 0.1
 */
typedef struct ctie_factory {
    ctie_factory_fn CTIE_NULLABLE fn; /**< NULL: `user_data` is the instance */
    void *CTIE_NULLABLE user_data;    /**< handed to `fn` and `destroy`, or the instance */
    ctie_destroy_fn CTIE_NULLABLE destroy; /**< called when `user_data` is no longer needed; may be NULL */
    /** Destroys the instance that `fn` made, once, after the last running call; may be NULL. */
    void (*CTIE_NULLABLE end)(void *CTIE_NONNULL instance);
} ctie_factory;

/** A ctie_factory of a function and its data. @since 0.1 */
#define CTIE_FACTORY(fn, data) CTIE_FACTORY_OWNED(fn, data, NULL)
/** The same with a `destroy`. @since 0.1 */
#define CTIE_FACTORY_OWNED(fn, data, destroy) CTIE_OF(ctie_factory, fn, data, destroy, NULL)
/** A ctie_factory of an existing instance, or NULL. @since 0.1 */
#define CTIE_INSTANCE(data) CTIE_FACTORY(NULL, data)
/** The same with a `destroy`. @since 0.1 */
#define CTIE_INSTANCE_OWNED(data, destroy) CTIE_FACTORY_OWNED(NULL, data, destroy)

/** Several actions. @since 0.1 */
typedef struct ctie_action_list {
    const ctie_action *CTIE_NULLABLE items; /**< the first action */
    size_t count;                           /**< the number of actions */
} ctie_action_list;

/** A ctie_action_list of an array. @since 0.1 */
#define CTIE_ACTIONS(array) CTIE_OF(ctie_action_list, array, sizeof(array) / sizeof((array)[0]))

/** Flags of a component. @since 0.1 */
enum {
    CTIE_COMPONENT_REPLACE = 1 << 0, /**< takes the place of a component of the same name, atomically for each action */
    CTIE_COMPONENT_LAZY = 1 << 1,    /**< its factory is called at the first call, not at registration */
    CTIE_COMPONENT_STATIC = 1 << 2,  /**< listed as static: for a binding that declares components for every bus without
                                          declare.h */
    CTIE_COMPONENT_EXPORTED = 1 << 3, /**< peers may call it, as if the exports of each join of the bus named it (join.h) */
};

/** Options of a component. Start from CTIE_COMPONENT_OPTIONS_INIT; zero means default. @since 0.1 */
typedef struct ctie_component_options {
    size_t size;                                   /**< sizeof(ctie_component_options) */
    uint32_t flags;                                /**< CTIE_COMPONENT_… */
    int32_t priority;                              /**< a higher one gets an event first; among equals, by name */
    ctie_str doc;                                  /**< for people; UTF-8, at most 4,096 bytes */
    ctie_str language;                             /**< for listings, "c" by default; at most 128 bytes */
    ctie_str type;                                 /**< for ctie_component_remove_type(); at most 128 bytes */
    ctie_str dispatcher;                           /**< where its asynchronous calls run; empty: the bus's default */
    const ctie_runtime *CTIE_NULLABLE runtime;     /**< of actions, factory and interceptors; NULL for none */
    const ctie_handler *CTIE_NULLABLE interceptors; /**< before its actions; taken, also on failure */
    size_t interceptor_count;                      /**< at most 64 */
} ctie_component_options;

/** The struct with its size and the defaults. @since 0.1 */
#define CTIE_COMPONENT_OPTIONS_INIT \
    {sizeof(ctie_component_options), 0, 0, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, NULL, NULL, 0}

/**
 * Registers a component. Its event action "created" runs once the component is registered, or for a lazy one once its
 * instance has been made. Its event action "destroyed" runs before the component is removed or its bus closes, but not
 * for a lazy one without an instance. Their failures are logged by the bus.
 *
 * @param name a letter or '_', then letters, digits, `_ . -`; at most 128 bytes.
 * @param actions copied; at most 1,024, each name once.
 * @param factory makes the instance, or holds it; its `fn` may be NULL, and its `destroy` runs once, also on failure.
 * @param out receives the registration: ctie_registration_release() removes the component. NULL: it lives as long as
 *   the bus, or until it is replaced or removed by name.
 * @par Threads
 * With CTIE_COMPONENT_REPLACE the previous component is removed as by ctie_component_remove().
 * @par Errors
 * CTIE_E_CONFLICT (the name is taken, or two actions share a name); CTIE_E_NO_NAME (an empty name); CTIE_E_IDENTIFIER
 * (a malformed one); CTIE_E_NOT_COMPONENT (no action, or the factory returned NULL); CTIE_E_NOT_FOUND (no dispatcher of
 * that name); CTIE_E_INVALID (an action without a `fn`, or with flags that exclude each other); CTIE_E_LIMIT; CTIE_E_UTF8.
 * @since 0.1
 */
CTIE_API ctie_status ctie_component_add(ctie_bus *bus, ctie_str name, ctie_action_list actions, ctie_factory factory,
                                        const ctie_component_options *options, ctie_registration **out,
                                        ctie_error_out error);

/**
 * Removes a component by its name. When the call returns CTIE_OK its actions are not running, its instance has been
 * destroyed and its `destroy` called.
 *
 * @return CTIE_OK; CTIE_PENDING (inside a callback, while an action of it runs).
 * @par Errors
 * CTIE_E_NO_COMPONENT; CTIE_E_NO_NAME; CTIE_E_INVALID, CTIE_E_UTF8, CTIE_E_LIMIT (name).
 * @since 0.1
 */
CTIE_API ctie_status ctie_component_remove(ctie_bus *bus, ctie_str name, ctie_error_out error);

/**
 * Removes every component with this instance, or without a factory this user_data.
 *
 * @return as ctie_component_remove().
 * @par Errors
 * Those of ctie_component_remove().
 * @since 0.1
 */
CTIE_API ctie_status ctie_component_remove_instance(ctie_bus *bus, const void *instance, ctie_error_out error);

/**
 * Removes every component that was registered with this type in its options.
 *
 * @return as ctie_component_remove().
 * @par Errors
 * Those of ctie_component_remove(); CTIE_E_INVALID (an empty type).
 * @since 0.1
 */
CTIE_API ctie_status ctie_component_remove_type(ctie_bus *bus, ctie_str type, ctie_error_out error);

/**
 * Lists the components, by name.
 *
 * @param out receives a list of maps, owned by the caller, with the keys "name", "doc", "language", "type",
 *   "dispatcher", "priority", "static", and "actions": a list of maps with "name", "doc", "event" and "worker_only",
 *   by name.
 * @par Errors
 * CTIE_E_LIMIT (more than a value holds).
 * @since 0.1
 */
CTIE_API ctie_status ctie_component_list(const ctie_bus *bus, ctie_value **out);

/**
 * Lists the components, followed by those of peers (join.h) that the bus imports. A peer's component also has the key
 * "peer": a map with the peer's "member", "name", "pid" and "uid". Its "name" is the exported one: a component, or
 * `component.action`; the other texts and "actions" are empty.
 *
 * @param out receives the list, owned by the caller.
 * @par Errors
 * CTIE_E_LIMIT (more than a value holds).
 * @since 0.1
 */
CTIE_API ctie_status ctie_component_list_anywhere(const ctie_bus *bus, ctie_value **out, ctie_error_out error);

/**
 * @name Events of a program's life
 * The names of NBus and UIKit. Any other name that an action may have works as well.
 * @{
 */
/** @since 0.1 */
#define CTIE_EVENT_DID_FINISH_LAUNCHING "did-finish-launching"
#define CTIE_EVENT_WILL_ENTER_FOREGROUND "will-enter-foreground"
#define CTIE_EVENT_DID_ENTER_BACKGROUND "did-enter-background"
#define CTIE_EVENT_OPEN_URL "open-url"
#define CTIE_EVENT_ACTIVATE "activate" /**< a later start of the application has no URL to hand over: instance.h */
#define CTIE_EVENT_WILL_TERMINATE "will-terminate"
#define CTIE_EVENT_MEMORY_WARNING "memory-warning"
/** @} */

/**
 * Calls the action of an event's name in every component that has it with CTIE_ACTION_EVENT: one after the other, by
 * priority, then by name. A failure does not stop the rest. An action that neither ends nor retains its request has
 * succeeded with null. Then, if the bus imports the event (join.h), it goes to all peers that export it, in parallel.
 *
 * @param event an action's name.
 * @param params as for ctie_component_call().
 * @param options NULL for the defaults. Its deadline applies to each component separately.
 * @param out receives a map, owned by the caller: "count", the number of components with the event; "any", whether one
 *   of them replied true; "failures", a list of maps with "component", "status", "code" and "message". "count" includes
 *   components of other processes; their failures have "peer", the peer's name. A peer that gave no result is a failure
 *   with an empty "component". May be NULL.
 * @return CTIE_OK, with any answers of the components.
 * @par Errors
 * CTIE_E_IDENTIFIER, CTIE_E_NO_NAME (event); CTIE_E_TYPE (`params` or user_info is not a map); CTIE_E_DEPTH;
 * CTIE_E_NOT_FOUND (no dispatcher of that name, and a component has the event); CTIE_E_LIMIT.
 * @since 0.1
 */
CTIE_API ctie_status ctie_component_broadcast(ctie_bus *bus, ctie_str event, const ctie_value *params,
                                              const ctie_request_options *options, ctie_value **out,
                                              ctie_error_out error);

/**
 * Broadcasts an event on a worker, and returns at once. The event is a request of its own, and each component's request
 * is made inside it. They run one after the other on the same worker, unless an action is worker-only. The event ends
 * with the last of them, and its response's value is the map of ctie_component_broadcast(). An event that ends early
 * (CTIE_E_CANCELLED, CTIE_E_TIMEOUT, CTIE_E_CLOSED, CTIE_E_NO_MEMORY) has no value.
 *
 * @param event, params as for ctie_component_broadcast().
 * @param options NULL for the defaults. Its deadline applies to the whole event, and is CTIE_ASYNC_TIMEOUT_MS by
 *   default. Its dispatcher runs the whole event; by default the bus's default one.
 * @param out receives the call, owned by the caller; may be NULL. ctie_call_cancel() ends it at once: a running action
 *   is not interrupted, and later ones never start. Requests to peers are cancelled.
 * @par Errors
 * Those of starting a request (call.h); CTIE_E_IDENTIFIER, CTIE_E_NO_NAME (event).
 * @since 0.1
 */
CTIE_API ctie_status ctie_component_broadcast_async(ctie_bus *bus, ctie_str event, const ctie_value *params,
                                                    ctie_completion completion, const ctie_request_options *options,
                                                    ctie_call **out, ctie_error_out error);

/** @} */

CTIE_END

#endif
