/*
 * The request kinds: the functions of Crosstie that make a request of each kind.
 */
#include "spec.h"
#include "../request/request.h"

#define RUN(name) \
    static ctie_status run_##name(ctie_bus *bus, const ext_spec *spec, const ext_options *options, \
                                  ctie_response **response, ctie_error **error)
#define START(name) \
    static ctie_status start_##name(ctie_bus *bus, const ext_spec *spec, const ext_options *options, \
                                    ctie_completion completion, ctie_call **call, ctie_error **error)

/** A request that a provider serves. */
#define HAND_OFF(name) \
    RUN(name) { return ctie_##name(bus, spec->target, spec->params, &options->base, response, error); } \
    START(name) { return ctie_##name##_async(bus, spec->target, spec->params, completion, &options->base, call, error); }

static ctie_target target_of(const ext_spec *spec) {
    return (ctie_target){spec->target, spec->action};
}

RUN(open) {
    return ctie_open(bus, spec->target, options->origin, &options->base, response, error);
}

START(open) {
    return ctie_open_async(bus, spec->target, options->origin, completion, &options->base, call, error);
}

RUN(call) {
    return ctie_component_call(bus, target_of(spec), spec->params, &options->base, response, error);
}

START(call) {
    return ctie_component_call_async(bus, target_of(spec), spec->params, completion, &options->base, call, error);
}

START(event) {
    return ctie_component_broadcast_async(bus, spec->action, spec->params, completion, &options->base, call, error);
}

RUN(perform) {
    return ctie_perform(bus, target_of(spec), spec->params, &options->base, response, error);
}

START(perform) {
    return ctie_perform_async(bus, target_of(spec), spec->params, completion, &options->base, call, error);
}

HAND_OFF(share)
HAND_OFF(oauth)
HAND_OFF(launch)

/** The functions of each kind; NULL for a request that Python makes in another way. */
static const struct {
    __typeof__(run_call) *run;
    __typeof__(start_call) *start;
} functions[] = {
    [CTIE_REQUEST_KIND_OPEN] = {run_open, start_open},
    [CTIE_REQUEST_KIND_CALL] = {run_call, start_call},
    [CTIE_REQUEST_KIND_EVENT] = {NULL, start_event},
    [CTIE_REQUEST_KIND_PERFORM] = {run_perform, start_perform},
    [CTIE_REQUEST_KIND_SHARE] = {run_share, start_share},
    [CTIE_REQUEST_KIND_OAUTH] = {run_oauth, start_oauth},
    [CTIE_REQUEST_KIND_LAUNCH] = {run_launch, start_launch},
};

bool ext_kind_can_make(int kind, bool is_async) {
    if (kind < 0 || kind >= (int)(sizeof(functions) / sizeof(functions[0]))) {
        return false;
    }
    return is_async ? functions[kind].start != NULL : functions[kind].run != NULL;
}

ctie_status ext_kind_run(ctie_bus *bus, const ext_spec *spec, const ext_options *options, ctie_response **response,
                         ctie_error **error) {
    return functions[spec->kind].run(bus, spec, options, response, error);
}

ctie_status ext_kind_start(ctie_bus *bus, const ext_spec *spec, const ext_options *options, ctie_completion completion,
                           ctie_call **out, ctie_error **error) {
    return functions[spec->kind].start(bus, spec, options, completion, out, error);
}
