/* The floor: both names hashed, looked up in a table that nobody changes, compared, and the function called. */
#include "../c/actions.h"

enum { SLOTS = 4096 };

typedef struct name {
    char text[32];
    size_t size;
} name;

typedef struct slot {
    const name *component, *action;
    void (*fn)(void *data);
    void *data;
} slot;

static name components[COMPONENTS], actions_named[ACTIONS];
static slot slots[SLOTS];
static __thread long handled;

static void handle(void *data) { handled += data != NULL; }

static uint64_t hash(uint64_t state, const name *name) {
    for (size_t at = 0; at < name->size; at += 8) {
        uint64_t word; /* what follows a name is zeros */
        memcpy(&word, name->text + at, 8);
        __uint128_t product = (__uint128_t)(state ^ word) * 0x9E3779B97F4A7C15u;
        state = (uint64_t)product ^ (uint64_t)(product >> 64);
    }
    return state ^ name->size;
}

static int equal(const name *left, const name *right) {
    return left->size == right->size && memcmp(left->text, right->text, left->size) == 0;
}

static slot *find(const name *component, const name *action) {
    size_t at = hash(hash(1, component), action) % SLOTS;
    while (slots[at].fn != NULL && !(equal(slots[at].component, component) && equal(slots[at].action, action))) {
        at = (at + 1) % SLOTS;
    }
    return &slots[at];
}

static void call(void *context, const uint16_t *actions, int count) {
    (void)context;
    for (int i = 0; i < count; i++) {
        slot *found = find(&components[actions[i] / ACTIONS_EACH], &actions_named[actions[i]]);
        require(found->fn != NULL, "a name is not there");
        found->fn(found->data);
    }
}

int main(void) {
    for (int i = 0; i < COMPONENTS; i++) {
        name_component(components[i].text, i);
        components[i].size = strlen(components[i].text);
    }
    for (int i = 0; i < ACTIONS; i++) {
        name *component = &components[i / ACTIONS_EACH], *action = &actions_named[i];
        name_action(action->text, i);
        action->size = strlen(action->text);
        *find(component, action) = (slot){component, action, handle, slots};
    }
    measure_calls("hash, look-up, call alone", call, NULL);
    return 0;
}
