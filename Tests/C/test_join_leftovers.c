/*
 * Sockets that killed processes have left: the next owner of their slot removes them, so that many of them hide no peer.
 */
#include "joining.h"

#include <fcntl.h>

enum { LEFT = 1100 };

static char folder[80];

/** The number of sockets and files among the peers. `slot` gets the greatest slot among them. */
static int count_entries(int *slot) {
    int count = 0;
    DIR *entries = opendir(folder);
    if (entries == NULL) return -1;
    for (struct dirent *each; (each = readdir(entries)) != NULL;) {
        if (each->d_name[0] < '0' || each->d_name[0] > '9') continue;
        count++;
        if (slot != NULL && atoi(each->d_name) > *slot) *slot = atoi(each->d_name);
    }
    closedir(entries);
    return count;
}

static void leave_sockets(int slot) {
    char path[128];
    for (int i = 0; i < LEFT; i++) {
        snprintf(path, sizeof path, "%s/%d-%d", folder, slot, 5000 + i);
        close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    }
}

int main(void) {
    int slot = -1;
    name_directory();
    snprintf(folder, sizeof folder, "%s/peers", directory);
    board = share(sizeof *board);
    ctie_bus *bus = make_bus(), *other = make_bus();
    int threads = thread_count(), files = open_files();
    ctie_wormhole *wormhole = open_group();
    ctie_join *joined = join_as(bus, wormhole, "caller", NULL, "stock", 0);
    pid_t child = start_stock("victim", 0);
    CHECK(count_entries(&slot) == 2 && slot >= 0);
    kill_child(child);
    AWAIT(peer_count(joined) == 0);
    leave_sockets(slot);
    CHECK(count_entries(NULL) > LEFT);
    child = start_stock("next", 0);
    AWAIT(peer_count(joined) == 1);
    CHECK_STATUS(call_now(bus, "stock", "echo"), CTIE_OK);
    CHECK(count_entries(NULL) == 2);
    /* Joins of one process spare one another's sockets. */
    ctie_join *second = join_as(other, wormhole, "second", NULL, "stock", 0);
    CHECK(count_entries(NULL) == 3);
    AWAIT(peer_count(joined) == 2 && peer_count(second) == 2);
    CHECK_STATUS(ctie_join_release(second), CTIE_OK);
    CHECK_STATUS(ctie_bus_close(other), CTIE_OK);
    end_stock(child);
    return end_joined(joined, wormhole, bus, threads, files);
}
