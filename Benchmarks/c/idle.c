/* A process that has opened so many groups, listens in each, and does nothing: idle.py looks what it costs. */
#include "wormhole.h"

#include <unistd.h>

static void ignore(const ctie_message *message, void *user_data) { (void)message, (void)user_data; }

/* Many groups have small stores: what a store takes of the disk is seen at one. */
static void open_and_listen(const char *directory, int groups, int which) {
    char path[4096];
    snprintf(path, sizeof path, "%s/idle-%d-%d", directory, groups, which);
    ctie_wormhole *wormhole = NULL;
    ctie_wormhole_options options = CTIE_WORMHOLE_OPTIONS_INIT;
    options.directory = ctie_str_from(path);
    options.map_size = groups == 1 ? 0 : 1 << 20;
    check(ctie_wormhole_open(CTIE_STR("bench"), &options, &wormhole, NULL));
    listen_to(wormhole, CTIE_STR("*"), 0, ignore, NULL);
}

int main(int argc, char **argv) {
    require(argc == 3, "usage: idle <directory> <groups>");
    int groups = atoi(argv[2]);
    ctie_version(); /* so that the library is there, too, when there is no group */
    for (int i = 0; i < groups; i++) open_and_listen(argv[1], groups, i);
    puts("ready");
    fflush(stdout);
    for (;;) pause();
}
