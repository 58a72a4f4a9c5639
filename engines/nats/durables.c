/* Listing and forgetting durable consumers. */
#include "parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The name and the topic of a consumer of ours: `name\ntopic` in its description, and both in its name. */
static bool is_ours(const json_t *config, ctie_str *name, ctie_str *topic) {
    char consumer[CONSUMER_MOST];
    const char *text = api_text(config, "description"), *end = strrchr(text, '\n');
    if (end == NULL || end == text || end[1] == 0) { return false; }
    *name = (ctie_str){text, (size_t)(end - text)};
    *topic = ctie_str_from(end + 1);
    if (name->size >= DURABLE_NAME_MOST || topic->size >= TOPIC_MOST) { return false; }
    return names_consumer(*topic, *name, consumer) && strcmp(consumer, api_text(config, "durable_name")) == 0;
}

/* Counts the messages that this member has in hand; the server does not say where the others are. */
static uint32_t count_own(bindings *all, ctie_str name, ctie_str topic, int64_t *since) {
    uint32_t count = 0;
    size_t most;
    binding **list = bindings_list(all, &most);
    for (size_t k = 0; k < most; k++) {
        const binding *each = list[k];
        bool is_it = strncmp(each->name, name.data, name.size) == 0 && each->name[name.size] == 0 &&
                     strncmp(each->topic, topic.data, topic.size) == 0 && each->topic[topic.size] == 0;
        pthread_mutex_lock(&list[k]->lock);
        for (size_t i = 0; is_it && each->claims != NULL && i < CLAIMS_MOST; i++) {
            if (each->claims[i].claim == 0) { continue; }
            if (count++ == 0 || each->claims[i].since < *since) { *since = each->claims[i].since; }
        }
        pthread_mutex_unlock(&list[k]->lock);
    }
    bindings_release(list, most);
    return count;
}

/* When the first message was sent that was never delivered; by the server's clock. */
static int64_t find_oldest(engine *it, const char *filter, uint64_t after, int64_t deadline) {
    char what[STREAM_MOST + 32];
    json_t *answer = NULL;
    json_t *body = json_pack("{s:I, s:s}", "seq", (json_int_t)(after + 1), "next_by_subj", filter);
    if (body == NULL) { return 0; }
    snprintf(what, sizeof what, "STREAM.MSG.GET.%s", it->names.stream);
    api(it, what, body, deadline, &answer);
    int64_t time = api_time(api_text(json_object_get(answer, "message"), "time"));
    json_decref(answer);
    json_decref(body);
    return time;
}

/* Describes one; false to end the listing. */
static bool show(engine *it, const json_t *consumer, ctie_engine_durable_fn visit, void *context, int64_t deadline) {
    ctie_engine_durable out = {.size = sizeof out};
    ctie_engine_holder own = {.size = sizeof own, .name = it->host->name, .pid = it->host->pid};
    const json_t *config = json_object_get(consumer, "config"), *delivered = json_object_get(consumer, "delivered");
    if (!is_ours(config, &out.name, &out.identifier)) { return true; }
    uint64_t last = api_number(delivered, "stream_seq");
    out.waiting = api_number(consumer, "num_pending");
    out.deliveries = api_number(delivered, "consumer_seq");
    out.position = number_of(it, last);
    if (out.waiting > 0) { out.oldest = find_oldest(it, api_text(config, "filter_subject"), last, deadline); }
    own.count = count_own(it->bindings, out.name, out.identifier, &own.since);
    if (own.count > 0) { out.holders = &own, out.holder_count = 1; }
    return visit(&out, context);
}

ctie_status engine_durables(void *data, ctie_engine_durable_fn visit, void *context, int64_t timeout_ms) {
    engine *it = data;
    int64_t deadline = deadline_after(timeout_ms);
    char what[STREAM_MOST + 32];
    ctie_status status = connection_ready(it, deadline);
    snprintf(what, sizeof what, "CONSUMER.LIST.%s", it->names.stream);
    for (uint64_t offset = 0, total = 1; status == CTIE_OK && offset < total;) {
        json_t *answer = NULL, *body = json_pack("{s:I}", "offset", (json_int_t)offset), *each;
        size_t index;
        if (body == NULL) { return CTIE_E_NO_MEMORY; }
        status = api(it, what, body, deadline, &answer);
        json_decref(body);
        const json_t *list = json_object_get(answer, "consumers");
        total = api_number(answer, "total");
        offset += json_array_size(list) > 0 ? json_array_size(list) : total;
        bool goes_on = true;
        json_array_foreach(list, index, each) {
            if (goes_on) { goes_on = show(it, each, visit, context, deadline); }
        }
        json_decref(answer);
        if (!goes_on) { break; }
    }
    return status;
}

/* Its bindings here get no more messages; those elsewhere find out by themselves. */
static void forget_here(bindings *all, const char *consumer) {
    size_t count;
    binding **list = bindings_list(all, &count);
    for (size_t i = 0; i < count; i++) {
        binding *each = list[i];
        pthread_mutex_lock(&each->lock);
        bool is_it = each->delivery == CTIE_ENGINE_DURABLE && strcmp(each->consumer, consumer) == 0;
        if (is_it) { each->phase = IS_FORGOTTEN; }
        pthread_mutex_unlock(&each->lock);
    }
    bindings_release(list, count);
}

ctie_status engine_forget(void *data, ctie_str topic, ctie_str name, int64_t timeout_ms) {
    engine *it = data;
    int64_t deadline = deadline_after(timeout_ms);
    char what[STREAM_MOST + CONSUMER_MOST + 32], consumer[CONSUMER_MOST];
    json_t *answer = NULL;
    ctie_status status = connection_ready(it, deadline);
    if (status != CTIE_OK) { return status; }
    if (!names_consumer(topic, name, consumer)) { return CTIE_E_NO_MEMORY; }
    snprintf(what, sizeof what, "CONSUMER.DELETE.%s.%s", it->names.stream, consumer);
    status = api(it, what, NULL, deadline, &answer);
    int64_t error = api_error(answer);
    json_decref(answer);
    if (error == NO_CONSUMER || error == NO_STREAM) { status = CTIE_E_NOT_FOUND; }
    if (status == CTIE_OK) { forget_here(it->bindings, consumer); }
    return status;
}
