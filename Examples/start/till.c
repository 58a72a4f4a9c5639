/* Sends two orders to whichever process takes them, now or later: till <directory> */
#include <crosstie.h>
#include <crosstie/convenience.h>
#include <stdio.h>

int main(int count, char **arguments) {
    if (count != 2) return fputs("usage: till <directory>\n", stderr), 64;
    ctie_wormhole_options options = CTIE_WORMHOLE_OPTIONS_INIT;
    options.directory = ctie_str_from(arguments[1]);
    /* [send] */
    ctie_wormhole *wormhole = NULL;
    ctie_status status = ctie_wormhole_open(CTIE_STR("com.example.shop"), &options, &wormhole, NULL);
    /* The messages are for a worker that may come later. */
    if (status == CTIE_OK) status = ctie_wormhole_declare(wormhole, CTIE_STR("orders"), CTIE_STR("packers"), NULL, NULL);
    for (int order = 1; status == CTIE_OK && order <= 2; order++) {
        ctie_value *message = CTIE_MAP("order", ctie_value_int(order));
        status = ctie_wormhole_send(wormhole, CTIE_STR("orders"), message, NULL, NULL, NULL, NULL);
    }
    ctie_wormhole_release(wormhole);
    /* [end] */
    puts(status == CTIE_OK ? "two orders are sent" : ctie_status_message(status));
    return status == CTIE_OK ? 0 : 1;
}
