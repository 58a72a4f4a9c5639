/*
 * The numbers of the headers that the package needs, by their names there, and those that it shares with the extension.
 */
#include "module.h"
#include "handler/plan.h"

#define NUMBER(name) {#name, name}

static const struct {
    const char *name;
    long number;
} numbers[] = {
    NUMBER(CTIE_ACTION_EVENT),
    NUMBER(CTIE_ACTION_WORKER_ONLY),
    NUMBER(CTIE_ACTION_IDEMPOTENT),
    NUMBER(CTIE_REQUEST_KIND_ACTIVITY),
    NUMBER(CTIE_REQUEST_KIND_CALL),
    NUMBER(CTIE_REQUEST_KIND_EVENT),
    NUMBER(CTIE_REQUEST_KIND_LAUNCH),
    NUMBER(CTIE_REQUEST_KIND_OAUTH),
    NUMBER(CTIE_REQUEST_KIND_OPEN),
    NUMBER(CTIE_REQUEST_KIND_PERFORM),
    NUMBER(CTIE_REQUEST_KIND_SHARE),
    NUMBER(CTIE_DURABLE_CHANGE),
    NUMBER(CTIE_DURABLE_FROM_OLDEST),
    NUMBER(CTIE_FULL_DROP_OLDEST),
    NUMBER(CTIE_FULL_REFUSE),
    NUMBER(CTIE_FULL_WAIT),
    NUMBER(CTIE_LISTEN_DURABLE),
    NUMBER(CTIE_LISTEN_FROM_OLDEST),
    NUMBER(CTIE_LISTEN_MANUAL),
    NUMBER(CTIE_LISTEN_NO_INITIAL_DELIVERY),
    NUMBER(CTIE_LISTEN_QUEUE),
    NUMBER(CTIE_REQUEST_CACHED),
    NUMBER(CTIE_REQUEST_RELEASE),
    NUMBER(EXT_ANY),
    NUMBER(EXT_BOOL),
    NUMBER(EXT_FLOAT),
    NUMBER(EXT_INT),
    NUMBER(EXT_IS_ASYNC),
    NUMBER(EXT_MAX_ARGUMENTS),
    NUMBER(EXT_OPTIONAL),
    NUMBER(EXT_REQUEST),
    NUMBER(EXT_TEXT),
    NUMBER(EXT_WANTS_PROCEED),
};

int ext_constants_add(PyObject *module) {
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        if (PyModule_AddIntConstant(module, numbers[i].name, numbers[i].number) < 0) {
            return -1;
        }
    }
    return 0;
}
