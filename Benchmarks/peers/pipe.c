/* Pipes: two for each receiver. A message of this size is written whole. */
#include "ends.h"

static void make_pipes(int ours[2], int theirs[2]) {
    int there[2], back[2];
    require(pipe(there) == 0 && pipe(back) == 0, "pipe");
    ours[0] = back[0], ours[1] = there[1];
    theirs[0] = there[0], theirs[1] = back[1];
}

static void prepare(const char *place, int receivers) {
    (void)place;
    ends_prepare(make_pipes, receivers);
}

int main(int argc, char **argv) {
    return carrier_main(argc, argv, &(carrier){"pipe", prepare, ends_open, ends_notify, ends_receive});
}
