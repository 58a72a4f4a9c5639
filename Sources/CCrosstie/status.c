// The texts of the statuses. In C, because the list they come from is a macro.
#include <crosstie/status.h>

const char *ctie_status_name(ctie_status status) {
    switch (status) {
#define NAME_CASE(name, number, message) \
    case number: \
        return #name;
        CTIE_STATUS_LIST(NAME_CASE)
#undef NAME_CASE
    default:
        return "CTIE_UNLISTED";
    }
}

const char *ctie_status_message(ctie_status status) {
    switch (status) {
#define MESSAGE_CASE(name, number, message) \
    case number: \
        return message;
        CTIE_STATUS_LIST(MESSAGE_CASE)
#undef MESSAGE_CASE
    default:
        return "unknown status";
    }
}
