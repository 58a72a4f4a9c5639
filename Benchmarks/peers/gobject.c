/* Signals of a GObject: a thousand of them, emitted by name and by number, each with one handler. */
#include "../c/actions.h"

#include <glib-object.h>

typedef struct signals {
    GObject *object;
    char names[ACTIONS][64];
    guint numbers[ACTIONS];
} signals;

static void handle(GObject *object, gpointer data) {
    (void)object;
    (void)data;
}

static void emit_by_name(void *context, const uint16_t *actions, int count) {
    signals *all = context;
    for (int i = 0; i < count; i++) g_signal_emit_by_name(all->object, all->names[actions[i]]);
}

static void emit(void *context, const uint16_t *actions, int count) {
    signals *all = context;
    for (int i = 0; i < count; i++) g_signal_emit(all->object, all->numbers[actions[i]], 0);
}

int main(void) {
    static const GTypeInfo info = {.class_size = sizeof(GObjectClass), .instance_size = sizeof(GObject)};
    static signals all;
    GType type = g_type_register_static(G_TYPE_OBJECT, "Bench", &info, 0);
    all.object = g_object_new(type, NULL);
    for (int i = 0; i < ACTIONS; i++) {
        char component[32], action[32];
        name_component(component, i / ACTIONS_EACH);
        name_action(action, i);
        snprintf(all.names[i], sizeof all.names[i], "%s-%s", component, action);
        all.numbers[i] = g_signal_new(all.names[i], type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
        g_signal_connect(all.object, all.names[i], G_CALLBACK(handle), NULL);
    }
    measure_calls("GObject signal, by name", emit_by_name, &all);
    measure_calls("GObject signal, by number", emit, &all);
    g_object_unref(all.object);
    return 0;
}
