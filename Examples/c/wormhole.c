/*
 * A message that outlives its sender: sent, read by a later process, delivered to a listener. In real life the two
 * wormholes below are opened by two processes.
 */
#include <crosstie.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t received;

static void print_count(const ctie_message *message, void *who) {
    int64_t count = 0;
    ctie_value_get_int(ctie_value_get(ctie_message_value(message), CTIE_STR("count")), &count);
    printf("%s: %d unread\n", (const char *)who, (int)count);
    sem_post(&received);
}

static ctie_status pass_count(ctie_wormhole *wormhole, int64_t count) {
    ctie_pair pairs[] = {{CTIE_STR("count"), ctie_value_int(count)}};
    return ctie_wormhole_send(wormhole, CTIE_STR("unread"), ctie_value_map(pairs, 1), NULL, NULL, NULL, NULL);
}

int main(void) {
    ctie_wormhole *sender = NULL, *badge = NULL;
    char name[] = "badge";
    sem_init(&received, 0, 0);

    ctie_status status = ctie_wormhole_open(CTIE_STR("com.example.first"), NULL, &sender, NULL);
    if (status != CTIE_OK) return puts(ctie_status_message(status)), 1;
    pass_count(sender, 3);

    ctie_wormhole_open(CTIE_STR("com.example.first"), NULL, &badge, NULL);
    ctie_wormhole_listen(badge, CTIE_STR("unread"), CTIE_RECEIVER(print_count, name), NULL, NULL, NULL);
    sem_wait(&received); /* the message was waiting */

    pass_count(sender, 4);
    sem_wait(&received); /* and the next one comes by itself */

    ctie_wormhole_release(badge); /* or it would get the removal, too */
    ctie_wormhole_destroy(sender, CTIE_STR("unread"), NULL, NULL, NULL);
    ctie_wormhole_release(sender);
    return 0;
}
