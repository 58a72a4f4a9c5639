/* The ends of deeds: what the server gets to know, or that the message is handed out. */
#include "work.h"

enum { GIVEN_UP_MS = 5000 };
static const char TOO_LARGE[] = "a message is too large for a dead letter, whose headers count towards the server's "
                                "max_payload: that is tried again every five seconds";

/* Tells the server, by the newest reply subject of the message. */
ctie_status work_end(const deed *what, ending how, int64_t delay_ns) {
    binding *it = what->of;
    pthread_mutex_lock(&it->lock);
    claim *mine = claim_of(it, what->claim);
    const char *reply = mine != NULL ? mine->reply : what->claim == 0 ? what->reply : NULL;
    bool is_again = what->again_at != 0;
    bool is_there = reply != NULL && it->phase != IS_FORGOTTEN && !(mine != NULL && mine->is_outlived);
    if (is_there && how == END_DONE) {
        acks_add(it->of->acks, claim_consumer(it, is_again), is_again ? what->again_at : what->in_stream, reply);
    } else if (is_there && how == END_AGAIN) {
        negate(it, reply, delay_ns);
    }
    if (mine != NULL) { claim_free(it, mine); }
    pthread_mutex_unlock(&it->lock);
    binding_wake(it);
    return CTIE_OK;
}

void deed_give_up(const deed *what, ctie_status status) {
    if (status == CTIE_E_LIMIT) {
        complain(what->of->of, COMPLAINT_LARGE, TOO_LARGE);
    } else if (status != CTIE_E_CLOSED) {
        complain(what->of->of, COMPLAINT_DEED, last_problem());
    }
    work_end(what, END_AGAIN, GIVEN_UP_MS * NS_PER_MS);
}

/* To be handed out after all. Without its binding another one gets it. */
ctie_status work_hand_out(const work *it, natsMsg *message, uint32_t deliveries) {
    binding *of = it->what->of;
    pthread_mutex_lock(&of->lock);
    claim *mine = claim_of(of, it->what->claim);
    bool is_wanted = mine != NULL && !of->is_ended && !mine->is_outlived;
    if (is_wanted) {
        mine->waiting = message;
        mine->unseen = mine->count > deliveries ? mine->count - deliveries : 0;
        mine->is_resolved = false;
    }
    pthread_mutex_unlock(&of->lock);
    if (is_wanted) {
        binding_wake(of);
        return CTIE_OK;
    }
    natsMsg_Destroy(message);
    return work_end(it->what, END_AGAIN, 0);
}
