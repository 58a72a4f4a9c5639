/* POSIX message queues: one for each receiver, for they do not broadcast. */
#include "carrier.h"

#include <fcntl.h>
#include <mqueue.h>

typedef struct side {
    mqd_t in, *out;
    int targets;
} side;

static mqd_t queue[1 + FAN_WIDTH]; /* what each end reads */
static int width;

/* A queue without a name: it ends with the last process that has it open. */
static mqd_t make_queue(void) {
    struct mq_attr attributes = {.mq_maxmsg = 10, .mq_msgsize = MESSAGE_SIZE};
    char name[64];
    snprintf(name, sizeof name, "/crosstie-bench-%d", (int)getpid());
    mqd_t made = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &attributes);
    require(made != (mqd_t)-1, "mq_open");
    mq_unlink(name);
    return made;
}

static void prepare(const char *place, int receivers) {
    (void)place;
    width = receivers;
    for (int i = 0; i <= receivers; i++) queue[i] = make_queue();
}

static void *open_side(const char *place, int end) {
    static side self;
    (void)place;
    self = end == 0 ? (side){queue[0], queue + 1, width} : (side){queue[end], queue, 1};
    return &self;
}

static void notify(void *data) {
    static const char message[MESSAGE_SIZE];
    side *self = data;
    for (int i = 0; i < self->targets; i++) require(mq_send(self->out[i], message, sizeof message, 0) == 0, "mq_send");
}

static void receive(void *self) {
    char message[MESSAGE_SIZE];
    require(mq_receive(((side *)self)->in, message, sizeof message, NULL) >= 0, "mq_receive");
}

int main(int argc, char **argv) {
    return carrier_main(argc, argv, &(carrier){"POSIX mq", prepare, open_side, notify, receive});
}
