/*
 * crosstie.Bus (bus.c), whose methods are in the files bus_….c and provider.c.
 */
#ifndef CROSSTIE_EXT_BUS_H
#define CROSSTIE_EXT_BUS_H

#include "../base/state.h"

/* Requests (bus_open.c, bus_call.c) */

PyObject *ext_bus_open(PyObject *bus, PyObject *const *args, Py_ssize_t count, PyObject *keywords);
PyObject *ext_bus_open_async(PyObject *bus, PyObject *const *args, Py_ssize_t count, PyObject *keywords);
PyObject *ext_bus_can_open(PyObject *bus, PyObject *args, PyObject *keywords);
PyObject *ext_bus_call(PyObject *bus, PyObject *const *args, Py_ssize_t count, PyObject *keywords);
PyObject *ext_bus_call_async(PyObject *bus, PyObject *const *args, Py_ssize_t count, PyObject *keywords);
PyObject *ext_bus_make_request(PyObject *bus, PyObject *args);
PyObject *ext_bus_broadcast(PyObject *bus, PyObject *const *args, Py_ssize_t count, PyObject *keywords);
PyObject *ext_bus_broadcast_with(PyObject *bus, PyObject *args);

/* Handlers of routes, of rules and in callback slots (bus_handlers.c) */

PyObject *ext_route_add(PyObject *bus, PyObject *args, PyObject *keywords);
PyObject *ext_rule_handle(PyObject *bus, PyObject *args, PyObject *keywords);
PyObject *ext_unmatched_set(PyObject *bus, PyObject *args, PyObject *keywords);
PyObject *ext_navigator_set(PyObject *bus, PyObject *args, PyObject *keywords);
PyObject *ext_system_opener_set(PyObject *bus, PyObject *args, PyObject *keywords);
PyObject *ext_fallback_set(PyObject *bus, PyObject *args, PyObject *keywords);
PyObject *ext_resolver_set(PyObject *bus, PyObject *args, PyObject *keywords);

/* Routes and the URLs they make (bus_routes.c), rule tables (bus_rules.c), interceptors (bus_interceptors.c) */

PyObject *ext_route_remove(PyObject *bus, PyObject *pattern);
PyObject *ext_route_clear(PyObject *bus, PyObject *unused);
PyObject *ext_route_list(PyObject *bus, PyObject *unused);
PyObject *ext_generate(PyObject *bus, PyObject *args);
PyObject *ext_bus_url_for(PyObject *bus, PyObject *const *args, Py_ssize_t count, PyObject *names);

PyObject *ext_rules_load(PyObject *bus, PyObject *args, PyObject *keywords);
PyObject *ext_rules_unload(PyObject *bus, PyObject *unused);
PyObject *ext_rules_document(PyObject *bus, PyObject *unused);
PyObject *ext_generate_for_rule(PyObject *bus, PyObject *args);
/** A function of the module. */
PyObject *ext_rules_convert(PyObject *module, PyObject *args, PyObject *keywords);

PyObject *ext_interceptor_add(PyObject *bus, PyObject *args, PyObject *keywords);

/* Components (bus_components.c) */

PyObject *ext_component_add(PyObject *bus, PyObject *args, PyObject *keywords);
PyObject *ext_component_remove(PyObject *bus, PyObject *name);
PyObject *ext_component_list(PyObject *bus, PyObject *unused);
PyObject *ext_component_list_anywhere(PyObject *bus, PyObject *unused);

/* Providers (provider.c, bus_providers.c) */

/** A position in the list of providers, from 0; None: the end. */
int ext_position(PyObject *object, size_t *out);
PyObject *ext_provider_add(PyObject *bus, PyObject *args);
PyObject *ext_provider_set_all(PyObject *bus, PyObject *descriptions);
PyObject *ext_system_provider_add(PyObject *bus, PyObject *args, PyObject *keywords);
PyObject *ext_provider_move(PyObject *bus, PyObject *args);
PyObject *ext_provider_remove(PyObject *bus, PyObject *name);
PyObject *ext_provider_list(PyObject *bus, PyObject *unused);
PyObject *ext_provider_set_log(PyObject *bus, PyObject *args);
PyObject *ext_provider_open_url(PyObject *bus, PyObject *args);
PyObject *ext_provider_open_activity(PyObject *bus, PyObject *args);

/* The performer (bus_performer.c), dispatchers and plug-ins (bus_dispatchers.c) */

/** A registration of a function that `_handle()` calls for a request, known only to its caller. */
PyObject *ext_selector_new(PyObject *bus, PyObject *args);
PyObject *ext_performer_allow(PyObject *bus, PyObject *target);
PyObject *ext_performer_release(PyObject *bus, PyObject *target);

PyObject *ext_dispatcher_add(PyObject *bus, PyObject *args, PyObject *keywords);
PyObject *ext_dispatcher_cancel_all(PyObject *bus, PyObject *args, PyObject *keywords);
PyObject *ext_bus_stats_list(PyObject *bus, PyObject *unused);
PyObject *ext_plugin_load(PyObject *bus, PyObject *path);
PyObject *ext_plugin_unload(PyObject *bus, PyObject *path);

extern PyType_Spec ext_bus_spec;
extern PyType_Spec ext_instance_spec;

#endif
