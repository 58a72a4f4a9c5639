/* Members that open a new group at once: one of them makes its streams. */
#include "driver.h"

enum { MEMBERS = 6, GROUPS = 60 };

typedef struct opening {
    driver member;
    const driver_server *server;
    char group[16];
    ctie_status status;
    char words[sizeof driver_words];
} opening;

static void *open_one(void *argument) {
    opening *it = argument;
    driver_init(&it->member, it->server, "one");
    it->status = driver_open_with(&it->member, it->group, DRIVER_TIME_MS);
    memcpy(it->words, driver_words, sizeof it->words);
    return NULL;
}

/* The server refuses a stream that it is making for another one, in different words from time to time. */
static void all_open_a_new_group(const driver_server *server, int number) {
    static opening all[MEMBERS];
    pthread_t threads[MEMBERS];
    for (int i = 0; i < MEMBERS; i++) {
        all[i].server = server;
        snprintf(all[i].group, sizeof all[i].group, "new-%d", number);
        pthread_create(&threads[i], NULL, open_one, &all[i]);
    }
    for (int i = 0; i < MEMBERS; i++) {
        pthread_join(threads[i], NULL);
        CHECK(all[i].status == CTIE_OK);
        if (all[i].status != CTIE_OK) { fprintf(stderr, "    %d: %s\n", (int)all[i].status, all[i].words); }
    }
    if (all[0].status == CTIE_OK) { CHECK(driver_value(&all[0].member, "a", "1") == 1); }
    for (int i = 0; i < MEMBERS; i++) { driver_close(&all[i].member); }
}

int main(void) {
    driver_server server;
    driver_serve(&server);
    for (int i = 0; i < GROUPS; i++) { all_open_a_new_group(&server, i); }
    driver_end(&server);
    return check_end();
}
