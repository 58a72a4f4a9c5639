/* The example of MMWormhole's README. Build: cc wormhole.c $(pkg-config --cflags --libs crosstie) */
#include <crosstie.h>
#include <crosstie/convenience.h>
#include <semaphore.h>

static sem_t received;

static void check(ctie_status status) {
    if (status == CTIE_OK) return;
    fprintf(stderr, "%s\n", ctie_status_message(status));
    exit(1);
}

/* [port] */
static void show_number(const ctie_message *message, void *data CTIE_UNUSED) {
    printf("label %d\n", (int)ctie_get_int(ctie_message_value(message), "buttonNumber", 0));
    sem_post(&received);
}

static void show_title(const ctie_message *message, void *data CTIE_UNUSED) {
    printf("received %s\n", ctie_get_text(ctie_message_value(message), "titleString", "no title"));
    sem_post(&received);
}
/* [end] */

int main(void) {
    sem_init(&received, 0, 0);

    /* [port] */
    ctie_wormhole *app = NULL;
    ctie_message *stored = NULL;
    check(ctie_wormhole_open(CTIE_STR("group.com.mutualmobile.wormhole"), NULL, &app, NULL));

    check(ctie_wormhole_send(app, CTIE_STR("button"), CTIE_MAP("buttonNumber", ctie_int(1)), NULL, NULL, NULL, NULL));
    check(ctie_wormhole_listen(app, CTIE_STR("button"), CTIE_RECEIVER(show_number, NULL), NULL, NULL, NULL));
    sem_wait(&received); /* the message was waiting */

    check(ctie_wormhole_send(app, CTIE_STR("title"), CTIE_MAP("titleString", ctie_text("Hello")), NULL, NULL, NULL, NULL));
    check(ctie_wormhole_message(app, CTIE_STR("title"), &stored, NULL));
    printf("stored %s\n", ctie_get_text(ctie_message_value(stored), "titleString", "no title"));
    ctie_message_release(stored);

    check(ctie_wormhole_listen(app, CTIE_STR("title"), CTIE_RECEIVER(show_title, NULL), NULL, NULL, NULL));
    sem_wait(&received);
    /* [end] */

    return ctie_wormhole_release(app) == CTIE_OK ? 0 : 1;
}
