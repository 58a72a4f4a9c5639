/* Messages stored in Crosstie's wormhole while nobody listens: small ones and big ones. */
#include "storing.h"
#include "wormhole.h"

typedef struct sender {
    ctie_wormhole *wormhole;
    ctie_value *big; /* made once: the peers, too, send what lies ready */
} sender;

static void small(void *self) { pass_small(((sender *)self)->wormhole, CTIE_STR("alone")); }

static void big(void *data) {
    sender *self = data;
    check(ctie_wormhole_send(self->wormhole, CTIE_STR("alone"), ctie_value_retain(self->big), NULL, NULL, NULL, NULL));
}

int main(int argc, char **argv) {
    require(argc == 3, "usage: wormhole <directory> safe|fast");
    ctie_str bytes = {content, sizeof content - 64}; /* with its header it is not over the limit */
    sender self = {open_group(argv[1], "pass", argv[2]), ctie_value_bytes(bytes)};
    storing_measure(argv[2], "crosstie", CALLS_OF_SMALL, small, big, &self);
    ctie_value_release(self.big);
    ctie_wormhole_release(self.wormhole);
    return 0;
}
