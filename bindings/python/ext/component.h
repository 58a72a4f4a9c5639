/*
 * The methods of Bus for what it has beside handlers: components (component.c), providers (providing.c); the performer,
 * dispatchers, plug-ins (serving.c).
 */
#ifndef CROSSTIE_COMPONENT_OBJECT_H
#define CROSSTIE_COMPONENT_OBJECT_H

#include "handlers.h"

PyObject *ext_component_remove(PyObject *bus, PyObject *name);
PyObject *ext_component_list(PyObject *bus, PyObject *unused);

/** A place in the list of providers, from 0; None: the end. */
int ext_position(PyObject *object, size_t *out);
/** In system_provider.c. */
PyObject *ext_system_provider_add(PyObject *bus, PyObject *args, PyObject *keywords);
PyObject *ext_provider_move(PyObject *bus, PyObject *args);
PyObject *ext_provider_remove(PyObject *bus, PyObject *name);
PyObject *ext_provider_list(PyObject *bus, PyObject *unused);

PyObject *ext_performer_allow(PyObject *bus, PyObject *target);
PyObject *ext_performer_release(PyObject *bus, PyObject *target);
PyObject *ext_dispatcher_add(PyObject *bus, PyObject *args, PyObject *keywords);
PyObject *ext_dispatcher_cancel_all(PyObject *bus, PyObject *args, PyObject *keywords);
PyObject *ext_bus_stats_list(PyObject *bus, PyObject *unused);
PyObject *ext_plugin_load(PyObject *bus, PyObject *path);
PyObject *ext_plugin_unload(PyObject *bus, PyObject *path);

#endif
