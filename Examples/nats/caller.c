/*
 * Calls a component of another machine: caller <address> <first> <last> has a Python program pack each number. The line of the
 * call is that of a component of this program.
 */
#include <crosstie.h>
#include <stdio.h>
#include <stdlib.h>

static int explain(ctie_status status, ctie_error *error) {
    ctie_str reason = error != NULL ? ctie_error_message(error) : ctie_str_from(ctie_status_message(status));
    fprintf(stderr, "%.*s\n", (int)reason.size, reason.data);
    ctie_error_release(error);
    return 1;
}

static ctie_status pack(ctie_bus *bus, int64_t number, ctie_error **error) {
    ctie_pair pairs[] = {{CTIE_STR("number"), ctie_value_int(number)}};
    ctie_value *params = ctie_value_map(pairs, 1);
    ctie_response *response = NULL;
    ctie_str text = {NULL, 0};
    ctie_status status = ctie_component_call(bus, CTIE_TARGET("packing", "pack"), params, NULL, &response, error);
    if (status == CTIE_OK) {
        ctie_value_get_string(ctie_response_value(response), &text);
        printf("%.*s\n", (int)text.size, text.data);
    }
    ctie_response_release(response);
    ctie_value_release(params);
    return status;
}

int main(int count, char **arguments) {
    if (count != 4) return fputs("caller <address> <first> <last>\n", stderr), 64;
    ctie_bus *bus = NULL;
    ctie_error *error = NULL;
    ctie_status status = ctie_bus_new(NULL, &bus, &error);
    if (status != CTIE_OK) return explain(status, error);

    /* [join] */
    ctie_wormhole *wormhole = NULL;
    ctie_join *join = NULL;
    ctie_join_options options = CTIE_JOIN_OPTIONS_INIT;
    ctie_str imports = CTIE_STR("packing");
    options.imports = (ctie_str_list){&imports, 1};
    status = ctie_wormhole_open(ctie_str_from(arguments[1]), NULL, &wormhole, &error);
    if (status == CTIE_OK) status = ctie_bus_join(bus, wormhole, &options, &join, &error);
    /* [end] */

    for (int64_t number = atoi(arguments[2]); status == CTIE_OK && number <= atoi(arguments[3]); number++) {
        status = pack(bus, number, &error);
    }
    int result = status == CTIE_OK ? 0 : explain(status, error);
    ctie_join_release(join);
    ctie_wormhole_release(wormhole);
    ctie_bus_close(bus);
    return result;
}
