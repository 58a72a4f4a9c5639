/* A signal of a GObject with so many handlers, emitted by its name. */
#include "../c/bench.h"

#include <glib-object.h>

enum { EVENTS = 2000 };

static const int AUDIENCES[] = {1, 10, 100};

static void handle(GObject *object, gpointer data) { (void)object, (void)data; }

static void emit(void *object) { g_signal_emit_by_name(object, "saved"); }

int main(void) {
    static const GTypeInfo info = {.class_size = sizeof(GObjectClass), .instance_size = sizeof(GObject)};
    GType type = g_type_register_static(G_TYPE_OBJECT, "Bench", &info, 0);
    char work[32];
    g_signal_new("saved", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
    for (size_t i = 0; i < sizeof AUDIENCES / sizeof *AUDIENCES; i++) {
        GObject *object = g_object_new(type, NULL);
        for (int handler = 0; handler < AUDIENCES[i]; handler++) {
            g_signal_connect(object, "saved", G_CALLBACK(handle), NULL);
        }
        snprintf(work, sizeof work, "event.%d", AUDIENCES[i]);
        measure_rounds(work, "GObject signal, by name", EVENTS, emit, object);
        g_object_unref(object);
    }
    return 0;
}
