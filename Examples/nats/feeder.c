/*
 * Hands out work to other machines: feeder <address> <first> <last> sends a job for each number. The workers need not be
 * running, and neither must they be on this machine: both sides have the address of the server.
 */
#include <crosstie.h>
#include <stdio.h>
#include <stdlib.h>

static ctie_status send_job(ctie_wormhole *wormhole, int64_t number) {
    ctie_pair job[] = {{CTIE_STR("number"), ctie_value_int(number)}};
    return ctie_wormhole_send(wormhole, CTIE_STR("jobs"), ctie_value_map(job, 1), NULL, NULL, NULL, NULL);
}

int main(int count, char **arguments) {
    if (count != 4) return fputs("feeder <address> <first> <last>\n", stderr), 64;

    /* [open] */
    ctie_wormhole *wormhole = NULL;
    ctie_error *error = NULL;
    ctie_status status = ctie_wormhole_open(ctie_str_from(arguments[1]), NULL, &wormhole, &error);
    /* [end] */

    for (int64_t number = atoi(arguments[2]); status == CTIE_OK && number <= atoi(arguments[3]); number++) {
        status = send_job(wormhole, number);
    }
    if (status != CTIE_OK) {
        ctie_str reason = error != NULL ? ctie_error_message(error) : ctie_str_from(ctie_status_message(status));
        fprintf(stderr, "%.*s\n", (int)reason.size, reason.data);
    }
    ctie_error_release(error);
    ctie_wormhole_release(wormhole);
    return status == CTIE_OK ? 0 : 1;
}
