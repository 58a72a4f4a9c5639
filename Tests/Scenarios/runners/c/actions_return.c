/* Actions that have something done when the request ends: on its response's way back, or when it is cancelled. */
#include "player.h"

typedef struct awaited {
    player *player;
    step *action;
} awaited;

static ctie_value *response_part(player *p, ctie_response *response, ctie_str part) {
    if (is(part, "status")) { return ctie_value_string(ctie_str_from(short_name(ctie_response_status(response)))); }
    if (is(part, "code")) { return ctie_value_int(ctie_response_code(response)); }
    if (is(part, "message")) { return ctie_value_string(ctie_response_message(response)); }
    if (is(part, "value")) { return ctie_value_retain(ctie_response_value(response)); }
    failf(p, "no such part of a response: %.*s", (int)part.size, part.data);
    return ctie_value_null();
}

static void returned(ctie_response *response, void *user_data) {
    awaited *own = user_data;
    player *p = own->player;
    step *then = ctie_value_get(own->action, CTIE_STR("then"));
    ctie_str verb = text(p, then, "do", "");
    if (is(verb, "replace")) {
        expect_ok(p, "replace", ctie_response_replace(response, value(p, then, "value")));
    } else if (is(verb, "fail")) {
        ctie_status status = ctie_response_fail(response, (int32_t)number(then, "code", -1), value(p, then, "value"),
                                                text(p, then, "message", ""));
        expect_ok(p, "fail", status);
    } else if (is(verb, "note")) {
        ctie_str part = text(p, then, "part", "");
        note_add(p, has(then, "part") ? response_part(p, response, part) : value(p, then, "text"));
    } else {
        failf(p, "nothing to be done with a response: %.*s", (int)verb.size, verb.data);
    }
}

static void cancelled(void *user_data) {
    awaited *own = user_data;
    note_add(own->player, value(own->player, own->action, "text"));
}

static awaited *await(handler *h, step *action) {
    awaited *own = keep_memory(h->player, sizeof *own);
    *own = (awaited){h->player, action};
    return own;
}

ctie_status act_on_return(handler *h, ctie_request *request, step *action) {
    return ctie_request_on_return(request, CTIE_COMPLETION(returned, await(h, action)));
}

ctie_status act_on_cancel(handler *h, ctie_request *request, step *action) {
    return ctie_request_on_cancel(request, CTIE_NOTICE(cancelled, await(h, action)));
}
