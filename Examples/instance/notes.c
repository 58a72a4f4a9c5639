/*
 * An application without a window. Its first process has a main loop that shows notes; later ones hand their links to it,
 * and end. The desktop starts it for links after:
 *
 *     crosstie scheme install --app com.example.notes --scheme com-example-notes --exec /path/to/notes --hand-off
 */
#include <crosstie.h>
#include <crosstie/convenience.h>
#include <unistd.h>

/* The way of requests from the workers, where they arrive, to the main loop. */
static int mailbox[2];

static void post(ctie_request *request, void *user_data) {
    (void)user_data;
    if (ctie_request_retain(request) != CTIE_OK) return;
    if (write(mailbox[1], &request, sizeof request) != (ssize_t)sizeof request) ctie_request_release(request);
}

static void run(void) {
    ctie_request *request;
    ctie_str id;
    bool shall_end = false;
    while (!shall_end && read(mailbox[0], &request, sizeof request) == (ssize_t)sizeof request) {
        ctie_str url = ctie_url_str(request);
        if (ctie_request_param(request, CTIE_STR("id"), &id) == CTIE_OK) {
            printf("shows note " CTIE_FMT "\n", CTIE_ARG(id));
        } else if (url.size == 0) {
            printf("comes to the front\n");
        } else {
            printf("ends\n");
            shall_end = true;
        }
        fflush(stdout);
        ctie_request_reply(request, ctie_value_null());
        ctie_request_release(request);
    }
}

static void add_handlers(ctie_bus *bus) {
    ctie_action activate = {CTIE_STR(CTIE_EVENT_ACTIVATE), post, NULL, CTIE_ACTION_EVENT, {NULL, 0}};
    ctie_component_add(bus, CTIE_STR("window"), (ctie_action_list){&activate, 1}, CTIE_INSTANCE(NULL), NULL, NULL, NULL);
    ctie_route_options open_to_all = CTIE_ROUTE_OPTIONS_INIT;
    open_to_all.flags = CTIE_ROUTE_PUBLIC;
    ctie_route_add(bus, CTIE_STR("com-example-notes://notes/:id"), CTIE_HANDLER(post, NULL), &open_to_all, NULL, NULL);
    ctie_route_add(bus, CTIE_STR("com-example-notes://quit"), CTIE_HANDLER(post, NULL), &open_to_all, NULL, NULL);
}

/* [start] */
static int start(ctie_bus *bus, ctie_str_list urls) {
    ctie_instance *instance = NULL;
    ctie_error *error = NULL;
    bool is_first = false;
    ctie_status status = ctie_instance_claim(bus, CTIE_STR("com.example.notes"), NULL, &instance, &error);
    if (status == CTIE_OK) status = ctie_instance_hand(instance, urls, NULL, 0, NULL, &error);
    ctie_instance_is_first(instance, &is_first);
    if (is_first) {
        add_handlers(bus);
        ctie_instance_ready(instance, NULL);
        run();
    } else if (status < CTIE_OK) {
        fprintf(stderr, CTIE_FMT "\n", CTIE_ARG(ctie_error_message(error)));
    } else {
        printf("handed over\n");
    }
    ctie_error_release(error);
    ctie_instance_release(instance);
    return status < CTIE_OK;
}
/* [end] */

int main(int count, char **arguments) {
    ctie_str urls[16];
    size_t used = 0;
    for (int i = 1; i < count && used < 16; i++) urls[used++] = ctie_str_from(arguments[i]);
    ctie_bus *bus = NULL;
    if (pipe(mailbox) != 0 || ctie_bus_new(NULL, &bus, NULL) != CTIE_OK) return 1;
    int result = start(bus, (ctie_str_list){urls, used});
    ctie_bus_release(bus);
    return result;
}
