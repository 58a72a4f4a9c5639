#include "server.h"
#include "simulated.h"

#include <stdio.h>
#include <string.h>

#define CREATED "\"created\":\"2026-01-01T00:00:00Z\""
#define STREAM "\"retention\":\"limits\",\"allow_direct\":true,\"num_replicas\":1"

static const char ALL[] = "{" CREATED ",\"config\":{\"subjects\":[\"ctie.g.m.>\"]," STREAM "},"
                          "\"state\":{\"first_seq\":1,\"last_seq\":0}}";
static const char NOW[] = "{" CREATED ",\"config\":{\"sources\":[{\"name\":\"CTIE_g\"}],"
                          "\"max_msgs_per_subject\":1," STREAM "}}";
static const char DURABLE[] = "{" CREATED ",\"config\":{\"subjects\":[\"ctie.g.q.>\"],\"max_msgs_per_subject\":1," STREAM "}}";
static const char NO_MESSAGE[] = "{\"error\":{\"code\":404,\"err_code\":10037,\"description\":\"no message found\"}}";
static const char NO_CONSUMER[] =
    "{\"error\":{\"code\":404,\"err_code\":10014,\"description\":\"consumer not found\"}}";

/* By the begin of what is asked for, the longer ones first. */
static const struct {
    const char *of, *answer;
} ANSWERS[] = {
    {"STREAM.INFO.CTIE_g=now", NOW},
    {"STREAM.INFO.CTIE_g=durable", DURABLE},
    {"STREAM.INFO.", ALL},
    {"STREAM.MSG.GET.", NO_MESSAGE},
    {"STREAM.", "{\"success\":true}"},
    {"CONSUMER.INFO.", NO_CONSUMER},
    {"CONSUMER.LIST.", "{\"total\":0,\"offset\":0,\"consumers\":[]}"},
    {"CONSUMER.DELETE.", "{\"success\":true}"},
    {"CONSUMER.", "{\"name\":\"C\",\"num_pending\":0,\"delivered\":{\"consumer_seq\":0,\"stream_seq\":0}}"},
};

static unsigned long long last;

void server_begin(void) { last = 0; }

static natsMsg *with(const char *reply, const char *body) {
    natsMsg *made = NULL;
    return natsMsg_Create(&made, reply, NULL, body, (int)strlen(body)) == NATS_OK ? made : NULL;
}

/* There is no other member. */
static natsMsg *nobody(const char *reply) {
    natsMsg *made = with(reply, "");
    if (made != NULL) { natsMsgHeader_Set(made, "Status", "503"); }
    return made;
}

/* The copies have the last destroying, or nothing. */
static natsMsg *direct(const char *subject, const char *reply) {
    static const char COPIES[] = "DIRECT.GET.CTIE_g=now.ctie.g.m.";
    char number[24], source[40];
    natsMsg *made = with(reply, "");
    size_t size = sizeof COPIES - 1;
    bool has_it = last > 0 && strncmp(subject, COPIES, size) == 0 && strchr("dx", subject[size]) != NULL;
    if (made == NULL) { return NULL; }
    if (!has_it) {
        natsMsgHeader_Set(made, "Status", "404");
        return made;
    }
    snprintf(number, sizeof number, "%llu", last);
    snprintf(source, sizeof source, "CTIE_g %llu", last);
    natsMsgHeader_Set(made, "Nats-Stream", "CTIE_g=now");
    natsMsgHeader_Set(made, "Nats-Sequence", number);
    natsMsgHeader_Set(made, "Nats-Stream-Source", source);
    return made;
}

natsMsg *server_answer(const char *subject, const char *reply) {
    static const char API[] = "$JS.API.";
    char text[64];
    if (strncmp(subject, "ctie.g.m.", 9) == 0) {
        snprintf(text, sizeof text, "{\"stream\":\"CTIE_g\",\"seq\":%llu}", ++last);
        return with(reply, text);
    }
    if (strncmp(subject, "ctie.g.q.", 9) == 0) {
        snprintf(text, sizeof text, "{\"stream\":\"CTIE_g=durable\",\"seq\":%llu}", ++last);
        return with(reply, text);
    }
    if (strncmp(subject, "$JS.ACK.", 8) == 0) { return with(reply, ""); }
    if (strncmp(subject, "ctie.g.j.all.", 13) == 0) { return nobody(reply); }
    if (strncmp(subject, API, sizeof API - 1) != 0) { return NULL; }
    subject += sizeof API - 1;
    if (strncmp(subject, "DIRECT.", 7) == 0) { return direct(subject, reply); }
    for (size_t i = 0; i < sizeof ANSWERS / sizeof *ANSWERS; i++) {
        if (strncmp(subject, ANSWERS[i].of, strlen(ANSWERS[i].of)) == 0) { return with(reply, ANSWERS[i].answer); }
    }
    return NULL;
}
