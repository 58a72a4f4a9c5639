/* Included before each source of the engine: its threads, its time and its connections are simulated, so that an input
   takes the same course whenever it is run, and no run waits. */
#ifndef SIMULATED_H
#define SIMULATED_H

#include <nats/nats.h>
#include <pthread.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

/* --- threads.c: threads take turns, and change only where they wait --- */
int sim_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *data);
int sim_join(pthread_t thread, void **result);
int sim_detach(pthread_t thread);
int sim_wait(pthread_cond_t *on, pthread_mutex_t *lock);
int sim_wait_until(pthread_cond_t *on, pthread_mutex_t *lock, const struct timespec *until);
int sim_signal(pthread_cond_t *on);
int sim_clock(clockid_t clock, struct timespec *out);
int sim_sleep(const struct timespec *how_long, struct timespec *left);
ssize_t sim_random(void *out, size_t size, unsigned flags);

#define pthread_create sim_create
#define pthread_join sim_join
#define pthread_detach sim_detach
#define pthread_cond_wait sim_wait
#define pthread_cond_timedwait sim_wait_until
#define pthread_cond_signal sim_signal
#define pthread_cond_broadcast sim_signal
#define clock_gettime sim_clock
#define nanosleep sim_sleep
#define getrandom sim_random

/* --- messages.c: messages of libnats whose every byte is AddressSanitizer's --- */
natsStatus sim_message(natsMsg **out, const char *subject, const char *reply, const char *bytes, int size);
void sim_message_free(natsMsg *it);
const char *sim_message_subject(const natsMsg *it);
const char *sim_message_reply(const natsMsg *it);
const char *sim_message_data(const natsMsg *it);
int sim_message_size(const natsMsg *it);
bool sim_is_nobody(natsMsg *it);
natsStatus sim_header_set(natsMsg *it, const char *name, const char *value);
natsStatus sim_header_add(natsMsg *it, const char *name, const char *value);
natsStatus sim_header_delete(natsMsg *it, const char *name);
natsStatus sim_header_get(natsMsg *it, const char *name, const char **value);
natsStatus sim_header_names(natsMsg *it, const char ***names, int *count);

#define natsMsg_Create sim_message
#define natsMsg_Destroy sim_message_free
#define natsMsg_GetSubject sim_message_subject
#define natsMsg_GetReply sim_message_reply
#define natsMsg_GetData sim_message_data
#define natsMsg_GetDataLength sim_message_size
#define natsMsg_IsNoResponders sim_is_nobody
#define natsMsgHeader_Set sim_header_set
#define natsMsgHeader_Add sim_header_add
#define natsMsgHeader_Delete sim_header_delete
#define natsMsgHeader_Get sim_header_get
#define natsMsgHeader_Keys sim_header_names

/* --- connection.c, inboxes.c: libnats without a network --- */
natsStatus sim_connect(natsConnection **out, natsOptions *options);
void sim_destroy(natsConnection *it);
natsStatus sim_url(natsConnection *it, char *out, size_t room);
int64_t sim_payload(natsConnection *it);
natsStatus sim_client(natsConnection *it, uint64_t *out);
natsStatus sim_last_error(natsConnection *it, const char **words);
const char *sim_words(natsStatus *status);
natsStatus sim_on_disconnected(natsOptions *options, natsConnectionHandler handler, void *closure);
natsStatus sim_on_reconnected(natsOptions *options, natsConnectionHandler handler, void *closure);
natsStatus sim_on_closed(natsOptions *options, natsConnectionHandler handler, void *closure);
natsStatus sim_on_error(natsOptions *options, natsErrHandler handler, void *closure);
natsStatus sim_publish(natsConnection *it, const char *subject, const void *bytes, int size);
natsStatus sim_publish_request(natsConnection *it, const char *subject, const char *reply, const void *bytes, int size);
natsStatus sim_publish_message(natsConnection *it, natsMsg *message);
natsStatus sim_subscribe(natsSubscription **out, natsConnection *it, const char *subject, natsMsgHandler handler,
                         void *closure);
natsStatus sim_subscribe_sync(natsSubscription **out, natsConnection *it, const char *subject);
natsStatus sim_next(natsMsg **out, natsSubscription *from, int64_t timeout_ms);
natsStatus sim_on_complete(natsSubscription *it, natsOnCompleteCB handler, void *closure);
natsStatus sim_limits(natsSubscription *it, int messages, int bytes);
natsStatus sim_drain(natsSubscription *it);
natsStatus sim_unsubscribe(natsSubscription *it);
void sim_give_up(natsSubscription *it);
const char *sim_subject(natsSubscription *it);
natsStatus sim_inbox(natsInbox **out);
void sim_inbox_free(natsInbox *it);

#define natsConnection_Connect sim_connect
#define natsConnection_Destroy sim_destroy
#define natsConnection_GetConnectedUrl sim_url
#define natsConnection_GetMaxPayload sim_payload
#define natsConnection_GetClientID sim_client
#define natsConnection_GetLastError sim_last_error
#define nats_GetLastError sim_words
#define natsOptions_SetDisconnectedCB sim_on_disconnected
#define natsOptions_SetReconnectedCB sim_on_reconnected
#define natsOptions_SetClosedCB sim_on_closed
#define natsOptions_SetErrorHandler sim_on_error
#define natsConnection_Publish sim_publish
#define natsConnection_PublishRequest sim_publish_request
#define natsConnection_PublishMsg sim_publish_message
#define natsConnection_Subscribe sim_subscribe
#define natsConnection_SubscribeSync sim_subscribe_sync
#define natsSubscription_NextMsg sim_next
#define natsSubscription_SetOnCompleteCB sim_on_complete
#define natsSubscription_SetPendingLimits sim_limits
#define natsSubscription_Drain sim_drain
#define natsSubscription_Unsubscribe sim_unsubscribe
#define natsSubscription_Destroy sim_give_up
#define natsSubscription_GetSubject sim_subject
#define natsInbox_Create sim_inbox
#define natsInbox_Destroy sim_inbox_free

#endif
