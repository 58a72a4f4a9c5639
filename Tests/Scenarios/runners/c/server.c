/* Wormholes over a server, in place of a directory. */
#include "player.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* With "{}" in it for the number of the scenario, which so has an account of its own. Other processes get it complete. */
static const char VARIABLE[] = "CROSSTIE_SCENARIO_SERVER";

bool server_is_given(void) { return getenv(VARIABLE) != NULL; }

void server_begin(const char *address, size_t scenario) {
    char complete[512];
    const char *gap = strstr(address, "{}");
    if (gap == NULL) {
        snprintf(complete, sizeof complete, "%s", address);
    } else {
        snprintf(complete, sizeof complete, "%.*s%zu%s", (int)(gap - address), address, scenario, gap + 2);
    }
    setenv(VARIABLE, complete, 1);
}

ctie_str use_server(player *p, ctie_wormhole_options *options, ctie_str group) {
    const char *server = getenv(VARIABLE);
    size_t room = strlen(server) + group.size + 2;
    char *address = keep_memory(p, room);
    int size = snprintf(address, room, "%s/%.*s", server, (int)group.size, group.data);
    options->directory = (ctie_str){NULL, 0};
    return (ctie_str){address, (size_t)size};
}
