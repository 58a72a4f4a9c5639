/* A plug-in that was built against a header of another form of declarations. */
#include <crosstie.h>

static void go(ctie_request *request, void *user_data) {
    (void)user_data;
    ctie_request_reply(request, ctie_value_null());
}

static const ctie_declared_action GO = {{{"go", 2}, go, NULL, 0, {"", 0}}, NULL};
static const ctie_declaration OTHER = {
    sizeof(ctie_declaration), CTIE_DECLARATION_FORM + 1, {"other", 5}, &GO, {NULL, NULL, NULL, NULL}, NULL};

__attribute__((constructor)) static void declare(void) {
    (void)ctie_component_declare(&OTHER, NULL);
}
