/**
 * @file declare.h
 * Static components: declared in the source file that implements them, registered before main() runs,
 * and present on every bus with CTIE_BUS_STATIC. The same declarations make a shared object a plug-in (plugin.h).
 */
#ifndef CROSSTIE_DECLARE_H
#define CROSSTIE_DECLARE_H

#include "base.h"
#include "component.h"
#include "request.h"
#include "status.h"

CTIE_BEGIN

/**
 * @defgroup declare Static components
 *
 * `error` may be NULL; it receives an error object owned by the caller.
 * @{
 */

/** The version of the declaration's layout: a declaration of another version is refused. @since 0.1 */
#define CTIE_DECLARATION_FORM 1

/** An action of a declaration. @since 0.1 */
typedef struct ctie_declared_action {
    ctie_action action;                                    /**< copied */
    const struct ctie_declared_action *CTIE_NULLABLE next; /**< NULL ends the list */
} ctie_declared_action;

/** The declaration of a component; static memory. @since 0.1 */
typedef struct ctie_declaration {
    size_t size;                                           /**< sizeof(ctie_declaration) */
    uint32_t form;                                         /**< CTIE_DECLARATION_FORM */
    ctie_str name;                                         /**< as for ctie_component_add() */
    const ctie_declared_action *CTIE_NULLABLE actions;     /**< the first of them */
    ctie_factory factory;                                  /**< its `destroy` is never called */
    const ctie_component_options *CTIE_NULLABLE options;   /**< static memory; no interceptors; may be NULL */
} ctie_declaration;

/**
 * Declares a static component for the life of the process: every bus with CTIE_BUS_STATIC has it, existing ones and
 * later ones. While ctie_plugin_load() opens a shared object, the declarations of its constructors go to that plug-in
 * instead.
 *
 * @param declaration static memory. It is checked in full here; if a bus refuses it later (the name is taken there),
 *   the bus logs that.
 * @par Threads
 * Any, also before main().
 * @par Errors
 * CTIE_E_ABI (another form, or a newer header); CTIE_E_CONFLICT (a static component of that name); CTIE_E_NO_MEMORY;
 * CTIE_E_NO_NAME, CTIE_E_IDENTIFIER, CTIE_E_NOT_COMPONENT, CTIE_E_UTF8, CTIE_E_LIMIT, CTIE_E_INVALID as for
 * ctie_component_add().
 * @since 0.1
 */
CTIE_API ctie_status ctie_component_declare(const ctie_declaration *declaration, ctie_error_out error);

CTIE_END

/**
 * Declares a static component of this source file, in front of its actions:
 *
 *     CTIE_COMPONENT(home)
 *     CTIE_ACTION(home, greet) { ctie_request_reply(request, ctie_value_string(CTIE_STR("hello"))); }
 *
 * @since 0.1
 */
#define CTIE_COMPONENT(component) CTIE_COMPONENT_WITH(component, NULL, NULL)

/** The same with user_data and options. @since 0.1 */
#define CTIE_COMPONENT_WITH(component, user_data, options) \
    CTIE_COMPONENT_MADE(component, NULL, user_data, NULL, options)

/** The same with a factory, given by the fields of a ctie_factory except `destroy`. @since 0.1 */
#define CTIE_COMPONENT_MADE(component, fn, user_data, end, options)                                                \
    static ctie_declaration ctie_declared_##component = {                                                          \
        sizeof(ctie_declaration), CTIE_DECLARATION_FORM, {#component, sizeof(#component) - 1}, NULL,               \
        {fn, user_data, NULL, end}, options};                                                                      \
    __attribute__((constructor(65000))) static void ctie_declare_##component(void) {                               \
        (void)ctie_component_declare(&ctie_declared_##component, NULL);                                            \
    }

/** An action of the component that this source file declares; its body follows. @since 0.1 */
#define CTIE_ACTION(component, action) CTIE_ACTION_WITH(component, action, #action, 0, "")

/** The same with its public name, flags (CTIE_ACTION_…) and a doc. @since 0.1 */
#define CTIE_ACTION_WITH(component, action, called, flags, doc)                                                    \
    static void component##_##action(ctie_request *request, void *user_data);                                      \
    static ctie_declared_action ctie_declared_##component##_##action = {                                           \
        {{called, sizeof(called) - 1}, component##_##action, NULL, flags, {doc, sizeof(doc) - 1}}, NULL};          \
    __attribute__((constructor(64000))) static void ctie_declare_##component##_##action(void) {                    \
        ctie_declared_##component##_##action.next = ctie_declared_##component.actions;                             \
        ctie_declared_##component.actions = &ctie_declared_##component##_##action;                                 \
    }                                                                                                              \
    static void component##_##action(ctie_request *request, void *user_data)

/** An action for an event, as CTIE_EVENT(home, terminate, CTIE_EVENT_WILL_TERMINATE) { … }. @since 0.1 */
#define CTIE_EVENT(component, action, event) CTIE_ACTION_WITH(component, action, event, CTIE_ACTION_EVENT, "")

/** @} */

#endif
