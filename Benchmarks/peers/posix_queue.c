/* A POSIX message queue, as deep as it may be. Nothing is acknowledged, and there are no batches. */
#include "../c/queue.h"

#include <fcntl.h>
#include <mqueue.h>

static mqd_t messages;
static queue *shared;

static mqd_t make_queue(long depth) {
    struct mq_attr attributes = {.mq_maxmsg = depth, .mq_msgsize = MESSAGE_SIZE};
    mqd_t made = mq_open("/crosstie-bench", O_RDWR | O_CREAT | O_EXCL, 0600, &attributes);
    if (made != (mqd_t)-1) mq_unlink("/crosstie-bench"); /* it ends with the last process that has it open */
    return made;
}

static void put(void *end, size_t first, size_t count) {
    static const char message[MESSAGE_SIZE];
    (void)end, (void)first;
    for (size_t i = 0; i < count; i++) require(mq_send(messages, message, sizeof message, 0) == 0, "mq_send");
}

static void consume(void *context) {
    char message[MESSAGE_SIZE];
    (void)context;
    for (say_ready(); mq_receive(messages, message, sizeof message, NULL) >= 0;) queue_take(shared, 1);
}

int main(void) {
    messages = make_queue(1000); /* which root may */
    if (messages == (mqd_t)-1) messages = make_queue(10);
    require(messages != (mqd_t)-1, "mq_open");
    shared = shared_memory(sizeof *shared);
    pid_t child = start_process(ANY_CORE, consume, NULL);
    queue_measure_both(shared, "POSIX mq, not durable", put, NULL);
    end_process(child);
    return 0;
}
