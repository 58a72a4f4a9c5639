/* The names of a group on the server: subjects, filters and consumers, and garbage in their place. */
#include "names.h"
#include "text.h"

#include "../C/check.h"

#include <string.h>

static group_names names_of(const char *group) {
    group_names names;
    names_of_group(&names, ctie_str_from(group));
    return names;
}

static void test_groups(void) {
    group_names shop = names_of("shop.till"), now = names_of("shop"), other = names_of("shop_now");
    CHECK(strcmp(shop.stream, "CTIE_shop+till") == 0);
    CHECK(strcmp(shop.now, "CTIE_shop+till=now") == 0);
    CHECK(strcmp(shop.messages, "ctie.shop+till.m.>") == 0);
    CHECK(strcmp(shop.everything, "ctie.shop+till.m.x") == 0);
    CHECK(strcmp(shop.presence, "ctie.shop+till.p") == 0);
    CHECK(strcmp(now.now, other.stream) != 0);
}

static bool is_subject(int32_t kind, const char *identifier, const char *wanted) {
    group_names shop = names_of("shop");
    char subject[SUBJECT_MOST];
    int32_t read_kind;
    ctie_str read;
    names_subject(&shop, kind, ctie_str_from(identifier), subject);
    bool is_read = names_read(&shop, subject, &read_kind, &read);
    return strcmp(subject, wanted) == 0 && is_read && read_kind == kind && text_is(read, identifier);
}

static void test_subjects(void) {
    CHECK(is_subject(CTIE_MESSAGE_VALUE, "a.b", "ctie.shop.m.v.a.b"));
    CHECK(is_subject(CTIE_MESSAGE_SIGNAL, "a", "ctie.shop.m.s.a"));
    CHECK(is_subject(CTIE_MESSAGE_DESTROYED, "x", "ctie.shop.m.d.x"));
    CHECK(is_subject(CTIE_MESSAGE_DESTROYED, "", "ctie.shop.m.x"));
}

static void test_longest(void) {
    char group[129], identifier[129], subject[SUBJECT_MOST];
    memset(group, 'g', 128), memset(identifier, 'i', 128);
    group[128] = identifier[128] = 0;
    group_names names = names_of(group);
    int32_t kind;
    ctie_str read;
    names_subject(&names, CTIE_MESSAGE_VALUE, ctie_str_from(identifier), subject);
    CHECK(names_read(&names, subject, &kind, &read) && text_is(read, identifier));
    strcat(subject, "i");
    CHECK(!names_read(&names, subject, &kind, &read));
}

static bool is_filter(char kind, const char *topic, const char *wanted) {
    group_names shop = names_of("shop");
    char filter[SUBJECT_MOST];
    names_filter(&shop, kind, ctie_str_from(topic), filter);
    return strcmp(filter, wanted) == 0;
}

static void test_filters(void) {
    CHECK(is_filter(SUBJECT_ANY, "chat.a", "ctie.shop.m.*.chat.a"));
    CHECK(is_filter(SUBJECT_ANY, "chat.*", "ctie.shop.m.*.chat.>"));
    CHECK(is_filter(SUBJECT_VALUE, "*", "ctie.shop.m.v.>"));
}

static void test_garbage(void) {
    static const char *const FOREIGN[] = {
        "", "ctie", "ctie.", "ctie.shop", "ctie.shop.m", "ctie.shop.m.", "ctie.shop.m.v", "ctie.shop.m.v.",
        "ctie.shop.m.v..a", "ctie.shop.m.v.a.", "ctie.shop.m.v.a..b", "ctie.shop.m.v._a", "ctie.shop.m.v.-a",
        "ctie.shop.m.v.a b", "ctie.shop.m.v.\xc3\xa4", "ctie.shop.m.v.a.*", "ctie.shop.m.v.>",
        "ctie.shop.m.w.a", "ctie.shop.m.x.a", "ctie.shop.m.vv.a", "ctie.shops.m.v.a",
        "ctie.sho.m.v.a", "ctie.shop.p", "ctie.shop.p.a", "Ctie.shop.m.v.a", "$JS.API.INFO", "ctie.shop.m.xx",
    };
    group_names shop = names_of("shop");
    int32_t kind;
    ctie_str identifier;
    for (size_t i = 0; i < sizeof FOREIGN / sizeof *FOREIGN; i++) {
        bool is_read = names_read(&shop, FOREIGN[i], &kind, &identifier);
        CHECK(!is_read);
        if (is_read) { fprintf(stderr, "    %s\n", FOREIGN[i]); }
    }
    CHECK(!names_read(&shop, NULL, &kind, &identifier));
}

/* Names of consumers that are stored on servers: they never change. */
static void test_consumers(void) {
    char one[CONSUMER_MOST], two[CONSUMER_MOST];
    CHECK(names_consumer(CTIE_STR("chat.*"), CTIE_STR("work"), one));
    CHECK(strcmp(one, "YFKOEBFLWNTKFS3FBIVOPWHO7757TWQJC657PR2HG6UCKGWHFCIQ") == 0);
    CHECK(names_consumer(CTIE_STR("b"), CTIE_STR("a"), one));
    CHECK(names_consumer(CTIE_STR(""), CTIE_STR("a\0b"), two));
    CHECK(strlen(one) == 52 && strcmp(one, two) != 0);
}

/* Subjects of the third stream, which a stranger may publish on. */
static void test_letters(void) {
    static const char *const FOREIGN[] = {
        "", "ctie.shop.q.", "ctie.shop.q.C", "ctie.shop.q.C.o", "ctie.shop.q.C.l", "ctie.shop.q.C.l.", "ctie.shop.q.C.l.0",
        "ctie.shop.q.C.l.-1", "ctie.shop.q.C.l.1.", "ctie.shop.q.C.l.1.a..b", "ctie.shop.q.C.l.9223372036854775808.a",
        "ctie.shop.q..l.1.a", "ctie.shop.q.C.p.1", "ctie.shops.q.C.l.1.a", "ctie.shop.q.C.l.1.a b",
    };
    group_names shop = names_of("shop");
    char subject[LETTER_MOST], consumer[CONSUMER_MOST], long_one[200];
    uint64_t number;
    ctie_str identifier;
    bool is_again;
    names_letter(&shop, "C", 7, CTIE_STR("a.b"), subject);
    CHECK(strcmp(subject, "ctie.shop.q.C.l.7.a.b") == 0);
    CHECK(names_read_letter(&shop, subject, consumer, &number, &identifier));
    CHECK(strcmp(consumer, "C") == 0 && number == 7 && identifier.size == 3);
    names_letter(&shop, "C", 7, (ctie_str){"", 0}, subject);
    CHECK(names_read_letter(&shop, subject, consumer, &number, &identifier) && identifier.size == 0);
    for (size_t i = 0; i < sizeof FOREIGN / sizeof *FOREIGN; i++) {
        bool is_read = names_read_letter(&shop, FOREIGN[i], consumer, &number, &identifier);
        CHECK(!is_read);
        if (is_read) { fprintf(stderr, "    %s\n", FOREIGN[i]); }
    }
    memset(long_one, 'C', sizeof long_one);
    memcpy(long_one, "ctie.shop.q.", 12);
    strcpy(long_one + 12 + CONSUMER_MOST, ".l.1.a");
    CHECK(!names_read_letter(&shop, long_one, consumer, &number, &identifier));
    CHECK(!names_read_letter(&shop, NULL, consumer, &number, &identifier));
    names_pardon(&shop, "C", 7, false, subject);
    CHECK(names_read_pardon(subject, &number, &is_again) && number == 7 && !is_again);
    names_pardon(&shop, "C", 8, true, subject);
    CHECK(names_read_pardon(subject, &number, &is_again) && number == 8 && is_again);
    CHECK(!names_read_pardon("ctie.shop.q.C.p.", &number, &is_again) && !names_read_pardon(NULL, &number, &is_again));
}

static bool is_utf8(const char *text) { return text_is_utf8(text, strlen(text)); }

static void test_texts(void) {
    uint64_t number = 7;
    char out[8];
    CHECK(is_utf8("a\xc3\xa4\xe2\x82\xac\xf0\x9f\x8e\x88"));
    CHECK(!is_utf8("\xc3") && !is_utf8("\xc0\x80") && !is_utf8("\xed\xa0\x80") && !is_utf8("\xf4\x90\x80\x80"));
    CHECK(!is_utf8("\xe0\x80\x80") && !is_utf8("\xf0\x80\x80\x80") && !is_utf8("\xff") && !is_utf8("\x80"));
    CHECK(text_number("18446744073709551615", 20, UINT64_MAX, &number) && number == UINT64_MAX);
    CHECK(!text_number("18446744073709551616", 20, UINT64_MAX, &number));
    CHECK(!text_number("", 0, UINT64_MAX, &number) && !text_number("-1", 2, UINT64_MAX, &number));
    CHECK(text_number("7", 1, 7, &number) && !text_number("8", 1, 7, &number) && !text_number("10", 2, 7, &number));
    text_copy(out, 4, CTIE_STR("ab\xc3\xa4"));
    CHECK(strcmp(out, "ab") == 0);
}

int main(void) {
    test_groups();
    test_subjects();
    test_longest();
    test_filters();
    test_garbage();
    test_consumers();
    test_letters();
    test_texts();
    return check_end();
}
