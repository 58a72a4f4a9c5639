/* Messages that the thread of the bindings sends for other threads. */
#include "parts.h"

#include <stdlib.h>
#include <string.h>

static void order_free(order *it) {
    free(it->subject);
    free(it->reply);
    free(it);
}

void order_send(bindings *all, const char *subject, const char *reply, const char *body, size_t size) {
    order *it = calloc(1, sizeof *it + size + 1);
    if (it == NULL) { return; }
    it->subject = strdup(subject);
    it->reply = reply != NULL ? strdup(reply) : NULL;
    it->size = size;
    if (size > 0) { memcpy(it->body, body, size); }
    if (it->subject == NULL || (reply != NULL && it->reply == NULL)) {
        order_free(it);
        return;
    }
    pthread_mutex_lock(&all->lock);
    *all->orders_end = it;
    all->orders_end = &it->next;
    pthread_cond_signal(&all->changed);
    pthread_mutex_unlock(&all->lock);
}

void orders_send_all(bindings *all) {
    pthread_mutex_lock(&all->lock);
    order *each = all->orders;
    all->orders = NULL;
    all->orders_end = &all->orders;
    pthread_mutex_unlock(&all->lock);
    for (order *next; each != NULL; each = next) {
        next = each->next;
        natsConnection *to = all->engine->connection;
        /* A message that is lost here is asked for, acknowledged or delivered again later. */
        if (to != NULL && each->reply != NULL) {
            natsConnection_PublishRequest(to, each->subject, each->reply, each->body, (int)each->size);
        } else if (to != NULL) {
            natsConnection_Publish(to, each->subject, each->body, (int)each->size);
        }
        order_free(each);
    }
}

void complain(bindings *all, unsigned which, const char *text) {
    bool is_first = (atomic_fetch_or(&all->complaints, which) & which) == 0;
    if (is_first) { log_line(all->engine, CTIE_LOG_WARNING, "%s", text); }
}
