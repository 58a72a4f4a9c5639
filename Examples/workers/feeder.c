/*
 * Hands out work: feeder <directory> <first> <last> Passes a job for each number. The workers need not be running.
 */
#include <crosstie.h>
#include <stdio.h>
#include <stdlib.h>

static ctie_status send_job(ctie_wormhole *wormhole, int64_t number) {
    ctie_pair job[] = {{CTIE_STR("number"), ctie_value_int(number)}};
    return ctie_wormhole_send(wormhole, CTIE_STR("jobs"), ctie_value_map(job, 1), NULL, NULL, NULL, NULL);
}

int main(int count, char **arguments) {
    if (count != 4) return fputs("feeder <directory> <first> <last>\n", stderr), 64;

    ctie_wormhole_options options = CTIE_WORMHOLE_OPTIONS_INIT;
    options.directory = ctie_str_from(arguments[1]);
    ctie_wormhole *wormhole = NULL;
    ctie_status status = ctie_wormhole_open(CTIE_STR("com.example.workers"), &options, &wormhole, NULL);

    for (int64_t number = atoi(arguments[2]); status == CTIE_OK && number <= atoi(arguments[3]); number++) {
        status = send_job(wormhole, number);
    }
    if (status != CTIE_OK) fprintf(stderr, "%s\n", ctie_status_message(status));
    ctie_wormhole_release(wormhole);
    return status == CTIE_OK ? 0 : 1;
}
