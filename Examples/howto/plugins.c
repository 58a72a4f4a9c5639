/* A host that loads a plug-in, calls it by name, and unloads it.
   Build: cc plugins.c $(pkg-config --cflags --libs crosstie) */
#include <crosstie.h>
#include <crosstie/convenience.h>
#include <stdio.h>

static void blink(ctie_bus *bus) {
    ctie_response *response = NULL;
    ctie_value *params = CTIE_MAP("times", ctie_int(2));
    ctie_status status = ctie_component_call(bus, CTIE_TARGET("lamp", "blink"), params, NULL, &response, NULL);
    printf("%s: %s\n", ctie_status_name(status), ctie_value_text(ctie_response_value(response), "no answer"));
    ctie_value_release(params);
    ctie_response_release(response);
}

static int fail(ctie_error *error) {
    const ctie_str message = ctie_error_message(error);
    fprintf(stderr, "no plug-in: " CTIE_FMT "\n", CTIE_ARG(message));
    ctie_error_release(error);
    return 1;
}

int main(int count, char **arguments) {
    if (count != 2) return 64;
    const ctie_str path = ctie_str_from(arguments[1]); /* with a slash: no search in the library path */
    ctie_bus *bus = NULL;
    ctie_error *error = NULL;
    size_t components = 0;
    if (ctie_bus_new(NULL, &bus, NULL) != CTIE_OK) return 1;

    blink(bus); /* nothing is loaded yet */
    if (ctie_plugin_load(bus, path, &components, &error) != CTIE_OK) return fail(error);
    printf("components: %zu\n", components);
    blink(bus);
    printf("again: %s\n", ctie_status_name(ctie_plugin_load(bus, path, NULL, NULL)));
    ctie_plugin_unload(bus, path, NULL);
    blink(bus);
    ctie_bus_release(bus);
    return 0;
}
