/*
 * The request kinds: the functions of Crosstie that make a request of each kind.
 */
#include "spec.h"

/** The requests that providers serve. */
static const struct {
    __typeof__(ctie_share) *run;
    __typeof__(ctie_share_async) *start;
} hand_offs[CTIE_REQUEST_KIND_ACTIVITY + 1] = {
    [CTIE_REQUEST_KIND_SHARE] = {ctie_share, ctie_share_async},
    [CTIE_REQUEST_KIND_OAUTH] = {ctie_oauth, ctie_oauth_async},
    [CTIE_REQUEST_KIND_LAUNCH] = {ctie_launch, ctie_launch_async},
};

bool ext_kind_can_make(int kind, bool is_async) {
    switch (kind) {
    case CTIE_REQUEST_KIND_OPEN:
    case CTIE_REQUEST_KIND_CALL:
    case CTIE_REQUEST_KIND_PERFORM:
        return true;
    case CTIE_REQUEST_KIND_EVENT:
        return is_async;
    default:
        return kind >= 0 && kind <= CTIE_REQUEST_KIND_ACTIVITY && hand_offs[kind].run != NULL;
    }
}

ctie_status ext_kind_run(ctie_bus *bus, const ext_spec *spec, const ext_options *options, ctie_response **response,
                         ctie_error **error) {
    const ctie_request_options *base = &options->base;
    switch (spec->kind) {
    case CTIE_REQUEST_KIND_OPEN:
        return ctie_open(bus, spec->target, options->origin, base, response, error);
    case CTIE_REQUEST_KIND_CALL:
        return ctie_component_call(bus, (ctie_target){spec->target, spec->action}, spec->params, base, response, error);
    case CTIE_REQUEST_KIND_PERFORM:
        return ctie_perform(bus, (ctie_target){spec->target, spec->action}, spec->params, base, response, error);
    default:
        return hand_offs[spec->kind].run(bus, spec->target, spec->params, base, response, error);
    }
}

ctie_status ext_kind_start(ctie_bus *bus, const ext_spec *spec, const ext_options *options, ctie_completion completion,
                           ctie_call **out, ctie_error **error) {
    const ctie_request_options *base = &options->base;
    ctie_target target = {spec->target, spec->action};
    switch (spec->kind) {
    case CTIE_REQUEST_KIND_OPEN:
        return ctie_open_async(bus, spec->target, options->origin, completion, base, out, error);
    case CTIE_REQUEST_KIND_CALL:
        return ctie_component_call_async(bus, target, spec->params, completion, base, out, error);
    case CTIE_REQUEST_KIND_EVENT:
        return ctie_component_broadcast_async(bus, spec->action, spec->params, completion, base, out, error);
    case CTIE_REQUEST_KIND_PERFORM:
        return ctie_perform_async(bus, target, spec->params, completion, base, out, error);
    default:
        return hand_offs[spec->kind].start(bus, spec->target, spec->params, completion, base, out, error);
    }
}
