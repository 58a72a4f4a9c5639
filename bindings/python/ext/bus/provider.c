/*
 * Providers: a registration that keeps one for each capability, and the functions that Crosstie calls.
 */
#include "bus.h"
#include "../base/error.h"
#include "../base/text.h"
#include "../handler/registration.h"
#include "../request/request.h"

/* ---- Called by Crosstie --------------------------------------------------------------------------- */

/** The handler of every provider: calls its capability for the request's kind. */
static void handle(ctie_request *request, void *user_data) {
    int32_t kind = CTIE_REQUEST_KIND_OPEN;
    (void)ctie_request_kind(request, &kind);
    EXT_GIL(gil);
    if (!ext_gil_enter(&gil)) {
        (void)ctie_request_fail(request, -1, NULL, CTIE_STR("the Python interpreter is ending"));
        return;
    }
    ext_registration *self = user_data;
    Py_INCREF(self);
    ext_handle(request, PyTuple_GET_ITEM(self->actions, kind));
    Py_DECREF(self);
    ext_gil_leave(&gil);
}

/** Whether the answer is true; consumes it. An exception goes to sys.unraisablehook, and means false. */
static bool is_yes(ext_registration *self, PyObject *answer) {
    int truth = answer == NULL ? -1 : PyObject_IsTrue(answer);
    if (truth < 0) {
        ext_unraisable(self->binding.callback);
    }
    Py_XDECREF(answer);
    return truth == 1;
}

/** Calls the provider's function that says whether it takes a request of this kind. */
static bool can(ctie_request *request, void *user_data) {
    int32_t kind = CTIE_REQUEST_KIND_OPEN;
    (void)ctie_request_kind(request, &kind);
    EXT_GIL(gil);
    if (!ext_gil_enter(&gil)) {
        return false;
    }
    ext_registration *self = user_data;
    Py_INCREF(self);
    PyObject *question = ((ext_registration *)PyTuple_GET_ITEM(self->actions, kind))->can;
    PyObject *object = ext_request_new(self->binding.owner, request);
    bool result = is_yes(self, object == NULL ? NULL : PyObject_CallOneArg(question, object));
    if (object != NULL) {
        ext_request_end(object);
    }
    Py_DECREF(self);
    ext_gil_leave(&gil);
    return result;
}

static bool call_method(ext_registration *self, const char *method) {
    EXT_GIL(gil);
    if (!ext_gil_enter(&gil)) {
        return false;
    }
    Py_INCREF(self);
    bool result = is_yes(self, PyObject_CallMethod(self->binding.callback, method, NULL));
    Py_DECREF(self);
    ext_gil_leave(&gil);
    return result;
}

static bool is_installed(void *user_data) { return call_method(user_data, "is_installed"); }

static bool is_supported(void *user_data) { return call_method(user_data, "is_supported"); }

/* ---- The description ------------------------------------------------------------------------------ */

typedef struct description {
    ctie_provider provider;
    ctie_provider_endpoint *endpoints;
    ext_texts *kinds; /**< of each endpoint */
    ext_registration *registration; /**< NULL: not made yet */
} description;

static void clear(description *self) {
    for (size_t i = 0; i < self->provider.endpoint_count; i++) {
        ext_texts_clear(&self->kinds[i]);
    }
    PyMem_Free(self->endpoints);
    PyMem_Free(self->kinds);
    Py_XDECREF(self->registration);
}

/** The endpoints with their kinds: a tuple of pairs. */
static int read_endpoints(description *self, PyObject *pairs) {
    Py_ssize_t count = PyTuple_GET_SIZE(pairs);
    self->endpoints = PyMem_Calloc((size_t)count + 1, sizeof(ctie_provider_endpoint));
    self->kinds = PyMem_Calloc((size_t)count + 1, sizeof(ext_texts));
    if (self->endpoints == NULL || self->kinds == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    self->provider.endpoints = self->endpoints;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *endpoint, *kinds;
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(pairs, i), "OO", &endpoint, &kinds) ||
            ext_text(endpoint, "an endpoint", &self->endpoints[i].endpoint) < 0 ||
            ext_texts_read(kinds, "an endpoint's kinds", &self->kinds[i]) < 0) {
            return -1;
        }
        self->endpoints[i].kinds = self->kinds[i].list;
        self->provider.endpoint_count++;
    }
    return 0;
}

/** Sets the functions of a capability. Without a `question` Crosstie's own comparison decides. */
static void offer(ctie_provider *provider, int kind, ctie_provider_can_fn question) {
    switch (kind) {
    case CTIE_REQUEST_KIND_OPEN:
        provider->open_url = handle;
        provider->can_open_url = question;
        break;
    case CTIE_REQUEST_KIND_SHARE:
        provider->share = handle;
        provider->can_share = question;
        break;
    case CTIE_REQUEST_KIND_OAUTH:
        provider->oauth = handle;
        provider->can_oauth = question;
        break;
    case CTIE_REQUEST_KIND_LAUNCH:
        provider->launch = handle;
        provider->can_launch = question;
        break;
    default:
        provider->open_activity = handle;
        provider->can_open_activity = question;
        break;
    }
}

/** The registrations of the capabilities by their kinds, from tuples of kind, function, plan and question or None. */
static PyObject *read_capabilities(ext_owner *owner, PyObject *tuples, ctie_provider *out) {
    PyObject *result = PyTuple_New(ext_kind_count);
    for (int kind = 0; result != NULL && kind < ext_kind_count; kind++) {
        PyTuple_SET_ITEM(result, kind, Py_NewRef(Py_None));
    }
    for (Py_ssize_t i = 0; result != NULL && i < PyTuple_GET_SIZE(tuples); i++) {
        int kind;
        PyObject *function, *plan, *question;
        ext_registration *item = NULL;
        if (PyArg_ParseTuple(PyTuple_GET_ITEM(tuples, i), "iOO!O", &kind, &function, &PyTuple_Type, &plan, &question)) {
            if (kind >= 0 && kind < ext_kind_count) {
                item = ext_registration_new(owner, EXT_CAPABILITY, function, NULL, NULL);
            } else {
                PyErr_SetString(PyExc_ValueError, "a capability cannot have that kind");
            }
        }
        if (item == NULL || ext_registration_plan(item, plan) < 0) {
            Py_XDECREF(item);
            Py_CLEAR(result);
        } else {
            Py_DECREF(PyTuple_GET_ITEM(result, kind));
            PyTuple_SET_ITEM(result, kind, (PyObject *)item);
            item->can = question == Py_None ? NULL : Py_NewRef(question);
            offer(out, kind, item->can == NULL ? NULL : can);
        }
    }
    return result;
}

/** Reads the tuple of crosstie._provider_description.describe() into a registration that Crosstie does not know yet. */
static int read_description(ext_owner *owner, PyObject *tuple, description *out) {
    PyObject *object, *name, *capabilities, *endpoints, *platform, *app_id, *link;
    int is_public;
    ctie_provider *provider = &out->provider;
    if (!PyArg_ParseTuple(tuple, "OOO!O!OOOp", &object, &name, &PyTuple_Type, &capabilities, &PyTuple_Type, &endpoints,
                          &platform, &app_id, &link, &is_public) ||
        ext_text(name, "name", &provider->name) < 0 || ext_text(platform, "platform", &provider->platform) < 0 ||
        ext_text(app_id, "app_id", &provider->app_id) < 0 ||
        ext_text(link, "universal_link", &provider->universal_link) < 0 || read_endpoints(out, endpoints) < 0) {
        return -1;
    }
    ext_registration *self = ext_registration_new(owner, EXT_PROVIDER, object, NULL, name);
    out->registration = self;
    if (self == NULL || (self->actions = read_capabilities(owner, capabilities, provider)) == NULL) {
        return -1;
    }
    provider->is_installed = is_installed;
    provider->is_supported = is_supported;
    provider->flags = is_public ? CTIE_PROVIDER_PUBLIC : 0u;
    provider->runtime = &ext_runtime;
    provider->user_data = self;
    provider->destroy = ext_binding_destroy;
    return 0;
}

/** Adds it to the bus's set, and passes it to the provider, before Crosstie knows it. */
static int keep(ext_registration *self) {
    if (ext_binding_keep(&self->binding) < 0) {
        return -1;
    }
    PyObject *result = PyObject_CallMethod(self->binding.callback, "_join", "O", (PyObject *)self);
    if (result == NULL) {
        ext_binding_destroy(self);
        return -1;
    }
    Py_DECREF(result);
    return 0;
}

/* ---- One provider --------------------------------------------------------------------------------- */

int ext_position(PyObject *object, size_t *out) {
    *out = CTIE_PROVIDER_LAST;
    if (object == Py_None) {
        return 0;
    }
    Py_ssize_t position = PyNumber_AsSsize_t(object, NULL);
    if (position < 0) {
        if (!PyErr_Occurred()) {
            PyErr_SetString(PyExc_ValueError, "a position must be 0 or more");
        }
        return -1;
    }
    *out = (size_t)position;
    return 0;
}

static int add(ext_owner *owner, description *provider, size_t position) {
    ctie_bus *bus = owner->handle;
    ctie_registration *handle = NULL;
    ctie_error *error = NULL;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_provider_add(bus, &provider->provider, position, &handle, &error);
    Py_END_ALLOW_THREADS
    return ext_binding_finish(&provider->registration->binding, status, handle, error);
}

PyObject *ext_provider_add(PyObject *bus, PyObject *args) {
    ext_owner *owner = (ext_owner *)bus;
    PyObject *tuple, *position_object, *result = NULL;
    size_t position;
    if (!PyArg_ParseTuple(args, "O!O:_add_provider", &PyTuple_Type, &tuple, &position_object) ||
        ext_position(position_object, &position) < 0) {
        return NULL;
    }
    description provider = {.provider = CTIE_PROVIDER_INIT};
    if (read_description(owner, tuple, &provider) == 0 && keep(provider.registration) == 0 &&
        add(owner, &provider, position) == 0) {
        result = Py_NewRef((PyObject *)provider.registration);
    }
    clear(&provider);
    return result;
}

/* ---- All providers at once ------------------------------------------------------------------------ */

/** The handle of a provider that was added with others, for which Crosstie gives none: it is removed by its name. */
typedef struct provider_name {
    ctie_bus *bus;
    size_t size;
    char name[];
} provider_name;

static ctie_status remove_by_name(void *handle) {
    provider_name *own_handle = handle;
    ctie_status status = ctie_provider_remove(own_handle->bus, (ctie_str){own_handle->name, own_handle->size}, NULL);
    return status == CTIE_E_NOT_FOUND ? CTIE_OK : status;
}

static int make_own_handle(ext_owner *owner, description *provider) {
    ctie_str name = provider->provider.name;
    provider_name *own_handle = PyMem_RawMalloc(sizeof(provider_name) + name.size);
    if (own_handle == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    own_handle->bus = owner->handle;
    own_handle->size = name.size;
    memcpy(own_handle->name, name.data, name.size);
    provider->registration->own_handle = own_handle;
    provider->registration->binding.release = remove_by_name;
    return 0;
}

/** `before`: the registrations that they replace; taken. */
static int set_all(ext_owner *owner, const ctie_provider *providers, size_t count, PyObject *before) {
    ctie_bus *bus = owner->handle;
    ctie_error *error = NULL;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_provider_set_all(bus, providers, count, &error);
    Py_END_ALLOW_THREADS
    if (status < 0) {
        Py_DECREF(before);
        ext_raise(owner->state, status, error);
        return -1;
    }
    ext_bindings_forget(before);
    return 0;
}

/** Passes them to Crosstie together, and keeps them. */
static int replace(ext_owner *owner, description *all, size_t count) {
    PyObject *before = ext_registrations_of(owner, EXT_PROVIDER, NULL);
    ctie_provider *providers = before == NULL ? NULL : PyMem_Calloc(count + 1, sizeof(ctie_provider));
    if (providers == NULL) {
        Py_XDECREF(before);
        return before == NULL ? -1 : (PyErr_NoMemory(), -1);
    }
    size_t kept = 0;
    while (kept < count && make_own_handle(owner, &all[kept]) == 0 &&
           keep(all[kept].registration) == 0) {
        providers[kept] = all[kept].provider;
        kept++;
    }
    int result = -1;
    if (kept == count) {
        result = set_all(owner, providers, count, before);
    } else {
        Py_DECREF(before);
    }
    for (size_t i = 0; i < kept; i++) {
        if (result == 0) {
            ext_registration *self = all[i].registration;
            (void)ext_binding_finish(&self->binding, CTIE_OK, self->own_handle, NULL);
        } else if (kept < count) {
            ext_binding_destroy(all[i].registration);
        }
    }
    PyMem_Free(providers);
    return result;
}

PyObject *ext_provider_set_all(PyObject *bus, PyObject *sequence) {
    ext_owner *owner = (ext_owner *)bus;
    PyObject *tuples = PySequence_Tuple(sequence);
    if (tuples == NULL) {
        return NULL;
    }
    size_t count = (size_t)PyTuple_GET_SIZE(tuples), read = 0;
    if (count > CTIE_PROVIDERS_MAX) {
        Py_DECREF(tuples);
        return ext_raise_text(owner->state, CTIE_E_LIMIT, "more than 64 providers");
    }
    description *all = PyMem_Calloc(count + 1, sizeof(description));
    int result = all == NULL ? (PyErr_NoMemory(), -1) : 0;
    for (; result == 0 && read < count; read++) {
        all[read].provider = (ctie_provider)CTIE_PROVIDER_INIT;
        result = read_description(owner, PyTuple_GET_ITEM(tuples, (Py_ssize_t)read), &all[read]);
    }
    if (result == 0) {
        result = replace(owner, all, count);
    }
    while (read > 0) {
        clear(&all[--read]);
    }
    PyMem_Free(all);
    Py_DECREF(tuples);
    return result < 0 ? NULL : Py_NewRef(Py_None);
}
