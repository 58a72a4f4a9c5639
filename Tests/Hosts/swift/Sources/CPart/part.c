#include "part.h"

#include "bindings.h"

#include <crosstie.h>
#include <stdio.h>
#include <string.h>

static ctie_bus *shared;

static void greet(ctie_request *request, void *user_data) {
    (void)user_data;
    ctie_str name;
    if (ctie_request_param(request, CTIE_STR("name"), &name) != CTIE_OK) return;
    char text[64];
    snprintf(text, sizeof text, "c greets %.*s", (int)name.size, name.data);
    ctie_request_reply(request, ctie_value_string(ctie_str_from(text)));
}

bool part_register(void) {
    return ctie_bus_shared(CTIE_STR("host"), &shared, NULL) == CTIE_OK &&
           ctie_route_add(shared, CTIE_STR("app://c/greet/:name"), CTIE_HANDLER(greet, NULL), NULL, NULL, NULL) ==
               CTIE_OK;
}

/* Opens a URL and copies the text it answers; false when it does not answer with text. */
static bool open_text(const char *url, char *out, size_t room) {
    ctie_response *response = NULL;
    ctie_status status = ctie_open(shared, ctie_str_from(url), CTIE_ORIGIN_LOCAL, NULL, &response, NULL);
    ctie_value *plain = NULL; /* what Python answers with is an object of Python's until somebody looks inside */
    ctie_str text = {NULL, 0};
    if (status == CTIE_OK) status = ctie_value_materialize(ctie_response_value(response), &plain, NULL);
    if (status == CTIE_OK) status = ctie_value_get_string(plain, &text);
    if (status == CTIE_OK) snprintf(out, room, "%.*s", (int)text.size, text.data);
    else fprintf(stderr, "%s: %s\n", url, ctie_status_message(status));
    ctie_value_release(plain);
    ctie_response_release(response);
    return status == CTIE_OK;
}

bool part_opens(const char *language, const char *name, bool relay) {
    char url[256], expected[256], answer[256];
    snprintf(url, sizeof url, relay ? "app://python/relay/%s/%s" : "app://%s/greet/%s", language, name);
    snprintf(expected, sizeof expected, "%s greets %s", language, name);
    return open_text(url, answer, sizeof answer) && strcmp(answer, expected) == 0;
}

bool part_shares_core(void) {
    char extension[4096];
    return open_text("app://python/extension", extension, sizeof extension) &&
           bindings_lead_to(extension, "ctie_", (void *)ctie_open);
}
