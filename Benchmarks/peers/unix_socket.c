/* Unix sockets that keep the bounds of messages: a connected pair for each receiver. */
#include "ends.h"

#include <sys/socket.h>

static void make_pair(int ours[2], int theirs[2]) {
    int pair[2];
    require(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) == 0, "socketpair");
    ours[0] = ours[1] = pair[0];
    theirs[0] = theirs[1] = pair[1];
}

static void prepare(const char *place, int receivers) {
    (void)place;
    ends_prepare(make_pair, receivers);
}

int main(int argc, char **argv) {
    return carrier_main(argc, argv, &(carrier){"Unix socket", prepare, ends_open, ends_notify, ends_receive});
}
