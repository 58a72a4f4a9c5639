/* Messages passed with system durability: each is on the disk when pass returns. */
#include "storing.h"
#include "wormhole.h"

static void small(void *wormhole) { pass_small(wormhole, CTIE_STR("alone")); }

int main(int argc, char **argv) {
    require(argc == 2, "usage: synced <directory on a disk>");
    ctie_wormhole *wormhole = open_group(argv[1], "pass", "system");
    storing_measure_synced("crosstie", small, wormhole);
    ctie_wormhole_release(wormhole);
    return 0;
}
