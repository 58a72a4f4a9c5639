/* Exports the component "stock" to the other processes of a group, until its input ends. Usage: stock <directory> */
#include <crosstie.h>
#include <stdio.h>

/* [serve] */
static void count(ctie_request *request, void *user_data) {
    (void)user_data;
    ctie_str name;
    if (ctie_request_param(request, CTIE_STR("name"), &name) != CTIE_OK) return;
    ctie_request_reply(request, ctie_value_int((int64_t)name.size));
}

static ctie_status serve(ctie_bus *bus, ctie_wormhole *wormhole, ctie_join **join, ctie_error **error) {
    ctie_action action = {CTIE_STR("count"), count, NULL, 0, {NULL, 0}};
    ctie_action_list actions = {&action, 1};
    ctie_str exported = CTIE_STR("stock");
    ctie_join_options options = CTIE_JOIN_OPTIONS_INIT;
    options.exports.items = &exported;
    options.exports.count = 1;

    ctie_component_add(bus, CTIE_STR("stock"), actions, CTIE_INSTANCE(NULL), NULL, NULL, NULL);
    return ctie_bus_join(bus, wormhole, &options, join, error);
}
/* [end] */

int main(int argc, char **argv) {
    ctie_bus *bus = NULL;
    ctie_wormhole *wormhole = NULL;
    ctie_join *join = NULL;
    ctie_error *error = NULL;
    ctie_wormhole_options options = CTIE_WORMHOLE_OPTIONS_INIT;
    options.directory = ctie_str_from(argc > 1 ? argv[1] : "");

    ctie_bus_new(NULL, &bus, NULL);
    ctie_status status = ctie_wormhole_open(CTIE_STR("shop"), &options, &wormhole, &error);
    if (status == CTIE_OK) status = serve(bus, wormhole, &join, &error);
    if (status == CTIE_OK) {
        puts("ready");
        fflush(stdout);
        while (getchar() != EOF) continue;
    } else {
        fprintf(stderr, "%.*s\n", (int)ctie_error_message(error).size, ctie_error_message(error).data);
    }
    ctie_error_release(error);
    ctie_join_release(join);
    ctie_wormhole_release(wormhole);
    ctie_bus_release(bus);
    return status == CTIE_OK ? 0 : 1;
}
