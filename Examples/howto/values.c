/* Makes an order as a value, reads parts of it, changes one, and walks through a list.
   Build: cc values.c $(pkg-config --cflags --libs crosstie) */
#include <crosstie.h>
#include <crosstie/convenience.h>
#include <inttypes.h>
#include <stdio.h>

/* [make] */
static ctie_value *make_order(const char *name) {
    return CTIE_MAP("customer", CTIE_MAP("name", ctie_text(name), "vip", ctie_bool(true)), /* */
                    "lines", CTIE_LIST(CTIE_MAP("item", ctie_text("tea"), "count", ctie_int(2)),
                                       CTIE_MAP("item", ctie_text("cup"), "count", ctie_int(6))));
}
/* [end] */

/* [read] */
static void read_order(const ctie_value *order) {
    printf("%s orders %s\n", ctie_get_text(order, "customer.name", "nobody"), ctie_get_text(order, "lines.0.item", "nothing"));
    printf("discount: %" PRId64 "\n", ctie_get_int(order, "discount", 0));            /* missing: the default */
    printf("a number: %" PRId64 "\n", ctie_get_int(order, "customer.name", -1));       /* of another kind, too */
}

static int64_t count_items(const ctie_value *order) {
    const ctie_value *lines = ctie_get(order, "lines"); /* borrowed: it lives as long as the order */
    int64_t total = 0;
    for (size_t index = 0; index < ctie_value_count(lines); index++) {
        total += ctie_get_int(ctie_value_at(lines, index), "count", 0);
    }
    return total;
}
/* [end] */

/* [change] */
/* A value never changes: this makes another map, which shares the parts of the first one. */
static ctie_value *with_discount(const ctie_value *order, int64_t percent) {
    return CTIE_MAP("customer", ctie_value_retain(ctie_get(order, "customer")), /* */
                    "lines", ctie_value_retain(ctie_get(order, "lines")), /* */
                    "discount", ctie_int(percent));
}
/* [end] */

/* [json] */
static void print_json(const ctie_value *value) {
    ctie_value *json = NULL;
    ctie_error *error = NULL;
    if (ctie_value_to_json(value, 0, &json, &error) == CTIE_OK) {
        printf("%s\n", ctie_value_text(json, ""));
    } else {
        const ctie_str place = ctie_error_location(error);
        printf(CTIE_FMT " has no form in JSON\n", CTIE_ARG(place));
    }
    ctie_value_release(json);
    ctie_error_release(error);
}
/* [end] */

int main(void) {
    ctie_value *order = make_order("Ada");
    if (order == NULL) return 1; /* the one check: a part that cannot be made makes the whole NULL */
    read_order(order);
    printf("items: %" PRId64 "\n", count_items(order));
    ctie_value *cheaper = with_discount(order, 10);
    ctie_value_release(order); /* the shared parts live on */
    print_json(cheaper);
    ctie_value_release(cheaper);

    ctie_value *picture = CTIE_MAP("picture", ctie_bytes_of("GIF89a", 6));
    print_json(picture);
    ctie_value_release(picture);
    printf("not UTF-8: %s\n", make_order("\xff") == NULL ? "NULL" : "a value");
    return 0;
}
