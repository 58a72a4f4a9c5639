/* Listing durable consumers. */
#include "listed.h"
#include "parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct listing {
    engine *it;
    ctie_engine_durable_fn visit;
    void *context;
    int64_t deadline;
    all_listed records;
} listing;

/* The name and the topic of a consumer of ours: `name\ntopic` in its description, and both in its name. */
static bool is_ours(const json_t *config, ctie_str *name, ctie_str *topic, char base[CONSUMER_MOST]) {
    const char *text = api_text(config, "description"), *end = strrchr(text, '\n');
    if (end == NULL || end == text || end[1] == 0) { return false; }
    *name = (ctie_str){text, (size_t)(end - text)};
    *topic = ctie_str_from(end + 1);
    if (name->size >= DURABLE_NAME_MOST || topic->size >= TOPIC_MOST) { return false; }
    const char *consumer = api_text(config, "durable_name");
    if (!names_consumer(*topic, *name, base)) { return false; }
    size_t size = strlen(base);
    return strncmp(consumer, base, size) == 0 && (consumer[size] == 0 || consumer[size] == '-');
}

/* The record of a consumer; NULL if it has none. False: it was replaced, or is being forgotten. */
static bool find_record(const listing *in, const char *consumer, const char *base, const listed **out) {
    *out = NULL;
    for (size_t i = 0; i < in->records.count; i++) {
        if (strcmp(in->records.items[i].base, base) != 0) { continue; }
        *out = &in->records.items[i];
        return strcmp(in->records.items[i].consumer, consumer) == 0 && (*out)->record.state != RECORD_FORGOTTEN;
    }
    return strcmp(consumer, base) == 0;
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
static bool show(const listing *in, const json_t *consumer) {
    engine *it = in->it;
    char base[CONSUMER_MOST];
    const listed *with;
    ctie_durable_options options;
    ctie_engine_durable out = {.size = sizeof out};
    ctie_engine_holder own = {.size = sizeof own, .name = it->host->name, .pid = it->host->pid};
    const json_t *config = json_object_get(consumer, "config"), *delivered = json_object_get(consumer, "delivered");
    if (!is_ours(config, &out.name, &out.identifier, base)) { return true; }
    if (!find_record(in, api_text(config, "durable_name"), base, &with)) { return true; }
    uint64_t last = api_number(delivered, "stream_seq");
    out.waiting = api_number(consumer, "num_pending");
    out.deliveries = api_number(delivered, "consumer_seq");
    out.position = number_of(it, last);
    if (out.waiting > 0) { out.oldest = find_oldest(it, api_text(config, "filter_subject"), last, in->deadline); }
    own.count = count_own(it->bindings, out.name, out.identifier, &own.since);
    if (own.count > 0) { out.holders = &own, out.holder_count = 1; }
    if (with != NULL) {
        options = durable_options_show(&with->record.options);
        out.options = &options;
        out.dead = with->dead;
    }
    return in->visit(&out, in->context);
}

static ctie_status show_all(const listing *in) {
    char what[STREAM_MOST + 32];
    ctie_status status = CTIE_OK;
    snprintf(what, sizeof what, "CONSUMER.LIST.%s", in->it->names.stream);
    for (uint64_t offset = 0, total = 1; status == CTIE_OK && offset < total;) {
        json_t *answer = NULL, *body = json_pack("{s:I}", "offset", (json_int_t)offset), *each;
        size_t index;
        if (body == NULL) { return CTIE_E_NO_MEMORY; }
        status = api(in->it, what, body, in->deadline, &answer);
        json_decref(body);
        const json_t *list = json_object_get(answer, "consumers");
        total = api_number(answer, "total");
        offset += json_array_size(list) > 0 ? json_array_size(list) : total;
        bool goes_on = true;
        json_array_foreach(list, index, each) {
            if (goes_on) { goes_on = show(in, each); }
        }
        json_decref(answer);
        if (!goes_on) { break; }
    }
    return status;
}

ctie_status engine_durables(void *data, ctie_engine_durable_fn visit, void *context, int64_t timeout_ms) {
    engine *it = data;
    listing all = {.it = it, .visit = visit, .context = context, .deadline = deadline_after(timeout_ms)};
    ctie_status status = connection_ready(it, all.deadline);
    if (status == CTIE_OK) { status = bindings_conclude(it, all.deadline); }
    if (status == CTIE_OK) { status = listed_find(it, all.deadline, &all.records); }
    if (status == CTIE_OK) { status = show_all(&all); }
    free(all.records.items);
    return status;
}
