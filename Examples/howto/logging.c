/* A service whose log goes to the journal: systemd reads "<4>text" on standard error as a warning (sd-daemon(3)).
   Build: cc logging.c $(pkg-config --cflags --libs crosstie) */
#include <crosstie.h>
#include <crosstie/convenience.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t logged; /* only because this example would end too early */

static void log_line(int32_t level, ctie_str message, void *user_data) {
    static const int priorities[] = {7, 6, 4, 3}; /* CTIE_LOG_DEBUG to CTIE_LOG_ERROR, as syslog(3) counts */
    if (level < CTIE_LOG_DEBUG || level > CTIE_LOG_ERROR) level = CTIE_LOG_ERROR;
    /* One call for each line: several threads may log at a time. */
    fprintf(stderr, "<%d>%s: " CTIE_FMT "\n", priorities[level], (const char *)user_data, CTIE_ARG(message));
    sem_post(&logged);
}

static void fail(ctie_request *request, void *user_data CTIE_UNUSED) {
    ctie_fail_format(request, 7, "the disk is full");
}

int main(void) {
    static char bus_name[] = "shop", group_name[] = "orders";
    ctie_bus *bus = NULL;
    ctie_wormhole *wormhole = NULL;
    ctie_wormhole_options options = CTIE_WORMHOLE_OPTIONS_INIT;
    options.flags = CTIE_WORMHOLE_MEMORY;
    options.log = CTIE_LOGGER(log_line, group_name); /* opening logs, too, so it is an option */
    sem_init(&logged, 0, 0);
    if (ctie_bus_new(NULL, &bus, NULL) != CTIE_OK) return 1;
    ctie_bus_set_log(bus, CTIE_LOGGER(log_line, bus_name), NULL);
    if (ctie_wormhole_open(CTIE_STR("com.example.orders"), &options, &wormhole, NULL) != CTIE_OK) return 1;

    /* Nobody waits for this request, so its failure is in the log alone. */
    ctie_route_on(bus, "app://save", CTIE_HANDLER(fail, NULL), 0);
    ctie_open_async(bus, CTIE_STR("app://save"), CTIE_ORIGIN_LOCAL, CTIE_COMPLETION(NULL, NULL), NULL, NULL, NULL);
    sem_wait(&logged);

    ctie_wormhole_release(wormhole);
    ctie_bus_release(bus);
    return 0;
}
