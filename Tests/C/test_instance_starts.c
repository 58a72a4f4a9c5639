/*
 * Twenty processes of an application that start at once, twenty times, while the first of them is killed at random: there
 * is one first instance at each instant, and each URL is opened once, unless its process or an answer says otherwise.
 */
#define _GNU_SOURCE
#include "instances.h"

#include <fcntl.h>
#include <sys/stat.h>

#define ROUNDS 20
#define STARTS 20
#define MOST_KILLS 6

static struct {
    _Atomic int go, shall_end;
    _Atomic int first;               /* the process that says that it is the first */
    _Atomic int not_alone;           /* times that two said so */
    _Atomic int opened[STARTS];
    _Atomic int result[STARTS];      /* of each hand-over or ready(); PENDING while there is none */
    _Atomic int firsts, taken;
} *round_board;

static int alone;

/* A lock of the process on a file of a lower number than the claim's, which the kernel frees earlier at its death. */
static void be_alone(void) {
    struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
    if (fcntl(alone, F_SETLK, &range) != 0) round_board->not_alone++;
    round_board->firsts++;
    round_board->first = getpid();
}

static void be_alone_no_more(void) {
    struct flock range = {.l_type = F_UNLCK, .l_whence = SEEK_SET, .l_len = 1};
    fcntl(alone, F_SETLK, &range);
}

static void open_numbered(ctie_request *request, void *user_data CTIE_UNUSED) {
    ctie_str number = {NULL, 0};
    ctie_request_param(request, CTIE_STR("number"), &number);
    long at = strtol(number.data, NULL, 10);
    if (at >= 0 && at < STARTS) round_board->opened[at]++;
    if (at % 3 == 0) nap_ns(300000);
}

static void be_first(ctie_bus *bus, ctie_instance *instance, int own, unsigned seed) {
    be_alone();
    nap_ns(rand_r(&seed) % 1000000);
    add_route(bus, "app://items/:number", open_numbered, true);
    CHECK_STATUS(ctie_instance_ready(instance, NULL), CTIE_OK);
    AWAIT(round_board->opened[own] == 1);
    round_board->result[own] = CTIE_OK;
    while (!round_board->shall_end) nap_ns(200000);
    be_alone_no_more();
}

static int start(void *argument) {
    int own = (int)(intptr_t)argument;
    char url[32];
    snprintf(url, sizeof url, "app://items/%d", own);
    char path[96];
    snprintf(path, sizeof path, "%s/alone", directory);
    alone = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    while (!round_board->go) nap_ns(50000);
    ctie_bus *bus = make_bus();
    ctie_instance *instance = claim(bus);
    ctie_status status = hand(instance, url, -1, NULL);
    if (status == CTIE_PENDING) {
        CHECK(is_first(instance));
        be_first(bus, instance, own, (unsigned)getpid());
    } else {
        round_board->result[own] = status;
        round_board->taken += status == CTIE_OK;
    }
    CHECK_STATUS(ctie_instance_release(instance), CTIE_OK);
    CHECK_STATUS(ctie_bus_release(bus), CTIE_OK);
    return 0;
}

static pid_t children[STARTS];
static int ends[STARTS], left;

/** Notes who has ended; 1000 for those that have not. */
static void note_ends(void) {
    int status = 0;
    for (int i = 0; i < STARTS; i++) {
        if (ends[i] != 1000 || waitpid(children[i], &status, WNOHANG) != children[i]) continue;
        ends[i] = WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
        left--;
    }
}

static void kill_the_first(void) {
    int first = round_board->first;
    for (int i = 0; i < STARTS; i++) {
        if (children[i] == first && ends[i] == 1000) kill(first, SIGKILL);
    }
}

static int check_round(int *killed) {
    int reported = 0;
    for (int i = 0; i < STARTS; i++) {
        int opened = round_board->opened[i], result = round_board->result[i];
        CHECK(opened <= 1);
        *killed += ends[i] == -SIGKILL;
        if (ends[i] == -SIGKILL) continue;
        CHECK(ends[i] == 0);
        if (result == CTIE_OK) CHECK(opened == 1);
        else CHECK_STATUS(result, CTIE_E_PEER_GONE);
        reported += result == CTIE_E_PEER_GONE;
    }
    return reported;
}

int main(void) {
    unsigned seed = 11;
    int killed = 0, reported = 0, firsts = 0, taken = 0;
    name_directory();
    mkdir(directory, 0700);
    round_board = share(sizeof *round_board);
    for (int round = 0, rounds = test_rounds(ROUNDS); round < rounds; round++) {
        memset(round_board, 0, sizeof *round_board);
        for (int i = 0; i < STARTS; i++) {
            ends[i] = 1000;
            round_board->result[i] = CTIE_PENDING;
            children[i] = start_child(start, (void *)(intptr_t)i);
        }
        left = STARTS;
        round_board->go = 1;
        for (int kills = rand_r(&seed) % (MOST_KILLS + 1); kills > 0; kills--) {
            nap_ns(rand_r(&seed) % 3000000);
            kill_the_first();
            note_ends();
        }
        int64_t end = now_ns() + INT64_C(60000000000);
        while (left > 1 && now_ns() < end) {
            nap_ns(200000);
            note_ends();
        }
        CHECK(left <= 1);
        round_board->shall_end = 1;
        while (left > 0 && now_ns() < end) {
            nap_ns(200000);
            note_ends();
        }
        CHECK(left == 0 && round_board->not_alone == 0);
        reported += check_round(&killed);
        firsts += round_board->firsts;
        taken += round_board->taken;
    }
    CHECK(taken > 0);
    FIGURES(", %d first instances, %d of them killed, %d URLs handed over, %d reported", firsts, killed, taken, reported);
    remove_directory();
    return check_end();
}
