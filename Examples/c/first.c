/* A bus, a route, and a URL opened on it. */
#include <crosstie.h>
#include <stdio.h>

static void show_user(ctie_request *request, void *user_data) {
    (void)user_data;
    ctie_str id;
    if (ctie_request_param(request, CTIE_STR("id"), &id) != CTIE_OK) return;
    char text[64];
    snprintf(text, sizeof text, "user %.*s", (int)id.size, id.data);
    ctie_request_reply(request, ctie_value_string(ctie_str_from(text)));
}

int main(void) {
    ctie_bus *bus = NULL;
    ctie_response *response = NULL;
    ctie_str answer = {NULL, 0};

    ctie_bus_new(NULL, &bus, NULL);
    ctie_route_add(bus, CTIE_STR("app://users/:id"), CTIE_HANDLER(show_user, NULL), NULL, NULL, NULL);

    ctie_status status = ctie_open(bus, CTIE_STR("app://users/42"), CTIE_ORIGIN_LOCAL, NULL, &response, NULL);
    ctie_value_get_string(ctie_response_value(response), &answer);
    printf("%s: %.*s\n", ctie_status_name(status), (int)answer.size, answer.data);

    ctie_response_release(response);
    ctie_bus_release(bus);
    return status == CTIE_OK ? 0 : 1;
}
