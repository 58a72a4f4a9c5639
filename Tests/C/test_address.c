/* Groups on a server: their addresses, the options of their servers, and the library that is loaded for them. */
#define _GNU_SOURCE
#include "addresses.h"

static server_notes *notes;

/* ---- Addresses ----------------------------------------------------------------------------------- */

typedef struct parts {
    const char *address, *hosts, *user, *password, *token;
    uint32_t flags;
} parts;

static void addresses_are_read(void) {
    static char longest[4200] = "nats://";
    static const parts WELL[] = {
        {"nats://host/shop", "host:4222", "", "", "", 0},
        {"tls://host/shop", "host:4222", "", "", "", CTIE_ENGINE_SERVER_TLS},
        {"nats://127.0.0.1:1/shop", "127.0.0.1:1", "", "", "", 0},
        {"nats://a:65535,b,c-d.e_f:00080/shop", "a:65535,b:4222,c-d.e_f:80", "", "", "", 0},
        {"nats://[::1]/shop", "[::1]:4222", "", "", "", 0},
        {"nats://[2001:db8::1]:99,[::ffff:1.2.3.4]/shop", "[2001:db8::1]:99,[::ffff:1.2.3.4]:4222", "", "", "", 0},
        {"nats://me:secret@localhost/shop", "localhost:4222", "me", "secret", "", 0},
        {"nats://token@localhost/shop", "localhost:4222", "", "", "token", 0},
        {"nats://%6d%65:a%3Ab%2fc%40d%25@localhost,127.0.0.2:7/shop", "localhost:4222,127.0.0.2:7", "me", "a:b/c@d%", "", 0},
        {"nats://u:p:q@localhost/shop", "localhost:4222", "u", "p:q", "", 0},
        {"nats://%C3%A4:%E2%82%AC@localhost/shop", "localhost:4222", "\xC3\xA4", "\xE2\x82\xAC", "", 0},
        {"nats://u:-._~!$&'()*+,;=@localhost/shop", "localhost:4222", "u", "-._~!$&'()*+,;=", "", 0},
    };
    for (size_t i = 0; i < sizeof WELL / sizeof *WELL; i++) {
        const parts *it = &WELL[i];
        int made = notes->made;
        CHECK_STATUS(try_address(it->address, NULL), CTIE_OK);
        bool is_read = notes->made == made + 1 && notes->closed == notes->made && strcmp(notes->group, "shop") == 0 &&
                       strcmp(notes->texts[0], it->hosts) == 0 && strcmp(notes->texts[1], it->user) == 0 &&
                       strcmp(notes->texts[2], it->password) == 0 && strcmp(notes->texts[3], it->token) == 0 &&
                       notes->server.flags == it->flags && notes->server.size == sizeof notes->server;
        if (!is_read) { fprintf(stderr, "%s\n", it->address); }
        CHECK(is_read);
    }
    CHECK_STATUS(try_address("nats://h/a.b-c_d", NULL), CTIE_OK);
    CHECK(strcmp(notes->group, "a.b-c_d") == 0);
    memset(longest + 7, 't', 4096 - 7 - 7);
    memcpy(longest + 4096 - 7, "@h/shop", 8);
    CHECK_STATUS(try_address(longest, NULL), CTIE_OK);
    CHECK(strlen(notes->texts[3]) == 4096 - 7 - 7);
    memcpy(longest + 4096 - 7, "t@h/shop", 9);
    CHECK_STATUS(try_address(longest, NULL), CTIE_E_LIMIT);
}

typedef struct refusal {
    const char *address;
    ctie_status status;
} refusal;

/* Each has the secret `hunter2` where a person could put one by mistake. */
static const refusal REFUSED[] = {
    {"http://u:hunter2@h/shop", CTIE_E_UNSUPPORTED},
    {"NATS://u:hunter2@h/shop", CTIE_E_UNSUPPORTED},
    {"://u:hunter2@h/shop", CTIE_E_UNSUPPORTED},
    {"hunter2://h/shop", CTIE_E_UNSUPPORTED},
    {"u:hunter2@nats://h/shop", CTIE_E_UNSUPPORTED},
    {"nats:/u:hunter2@h/shop", CTIE_E_IDENTIFIER},
    {"u:hunter2@h/shop", CTIE_E_IDENTIFIER},
    {"nats://u:hunter2@h", CTIE_E_IDENTIFIER},
    {"nats://u:hunter2@h/", CTIE_E_IDENTIFIER},
    {"nats://u:hunter2@h/shop/", CTIE_E_IDENTIFIER},
    {"nats://u:hunter2@h/a b", CTIE_E_IDENTIFIER},
    {"nats://u:hunter2@h/shop?x=hunter2", CTIE_E_IDENTIFIER},
    {"nats://u:hunter2@h/.a", CTIE_E_IDENTIFIER},
    {"nats://u/hunter2@h/shop", CTIE_E_IDENTIFIER},
    {"nats:///hunter2", CTIE_E_INVALID},
    {"nats://u:hunter2@/shop", CTIE_E_INVALID},
    {"nats://u:hunter2@h,/shop", CTIE_E_INVALID},
    {"nats://u:hunter2@,h/shop", CTIE_E_INVALID},
    {"nats://u:hunter2@:4222/shop", CTIE_E_INVALID},
    {"nats://@hunter2/shop", CTIE_E_INVALID},
    {"nats://:hunter2@h/shop", CTIE_E_INVALID},
    {"nats://hunter2:@h/shop", CTIE_E_INVALID},
    {"nats://u:hunter2@h@i/shop", CTIE_E_INVALID},
    {"nats://u:hunter2@h,v:hunter2@i/shop", CTIE_E_INVALID},
    {"nats://u:hunter2%@h/shop", CTIE_E_INVALID},
    {"nats://u:hunter2%4@h/shop", CTIE_E_INVALID},
    {"nats://u:hunter2%4g@h/shop", CTIE_E_INVALID},
    {"nats://u:hunter2%00@h/shop", CTIE_E_INVALID},
    {"nats://u:hunter2%0a@h/shop", CTIE_E_INVALID},
    {"nats://u:hunter2%7F@h/shop", CTIE_E_INVALID},
    {"nats://u:hunter2%FF@h/shop", CTIE_E_INVALID},
    {"nats://u:hunter2\xC3\xA4@h/shop", CTIE_E_INVALID},
    {"nats://u:hunter2\xFF@h/shop", CTIE_E_INVALID},
    {"nats://u:hunter2#@h/shop", CTIE_E_INVALID},
    {"nats://u:hunter2 @h/shop", CTIE_E_INVALID},
    {"nats://u:hunter2@h:0/shop", CTIE_E_INVALID},
    {"nats://u:hunter2@h:65536/shop", CTIE_E_INVALID},
    {"nats://u:hunter2@h:/shop", CTIE_E_INVALID},
    {"nats://u:hunter2@h:+1/shop", CTIE_E_INVALID},
    {"nats://u:hunter2@h:1:2/shop", CTIE_E_INVALID},
    {"nats://u:hunter2@h:000001/shop", CTIE_E_INVALID},
    {"nats://u:hunter2@h:99999999999999999999/shop", CTIE_E_INVALID},
    {"nats://u:hunter2@h%41/shop", CTIE_E_INVALID},
    {"nats://u:hunter2@h!/shop", CTIE_E_INVALID},
    {"nats://u:hunter2@\xC3\xA4/shop", CTIE_E_INVALID},
    {"nats://u:hunter2@::1/shop", CTIE_E_INVALID},
    {"nats://u:hunter2@[::1/shop", CTIE_E_INVALID},
    {"nats://u:hunter2@[]/shop", CTIE_E_INVALID},
    {"nats://u:hunter2@[h]/shop", CTIE_E_INVALID},
    {"nats://u:hunter2@[1.2.3.4]/shop", CTIE_E_INVALID},
    {"nats://u:hunter2@[::1]x/shop", CTIE_E_INVALID},
    {"nats://u:hunter2@[::1]4222/shop", CTIE_E_INVALID},
    {"nats://u:hunter2@[fe80::1%25lo]/shop", CTIE_E_INVALID},
};

static bool says(const ctie_error *error, const char *text) {
    ctie_str message = ctie_error_message(error), location = ctie_error_location(error);
    return memmem(message.data, message.size, text, strlen(text)) != NULL ||
           memmem(location.data, location.size, text, strlen(text)) != NULL;
}

static char log_text[8192];

static void keep_line(int32_t level, ctie_str text, void *user_data) {
    int *count = user_data;
    size_t used = strlen(log_text);
    snprintf(log_text + used, sizeof log_text - used, "%.*s\n", (int)text.size, text.data);
    *count += level == CTIE_LOG_WARNING;
}

static void other_addresses_are_refused(void) {
    int made = notes->made, warnings = 0;
    for (size_t i = 0; i < sizeof REFUSED / sizeof *REFUSED; i++) {
        ctie_wormhole_options options = CTIE_WORMHOLE_OPTIONS_INIT;
        ctie_wormhole *wormhole = NULL;
        ctie_error *error = NULL;
        options.log = (ctie_logger){keep_line, &warnings, NULL};
        ctie_status status = open_address(REFUSED[i].address, &options, &wormhole, &error);
        bool is_secret = !says(error, "hunter2") && strstr(log_text, "hunter2") == NULL;
        if (status != REFUSED[i].status || !is_secret) {
            fprintf(stderr, "%s: %.*s\n", REFUSED[i].address, (int)ctie_error_message(error).size,
                    ctie_error_message(error).data);
        }
        CHECK_STATUS(status, REFUSED[i].status);
        CHECK(is_secret && wormhole == NULL && error != NULL);
        if (status == CTIE_E_UNSUPPORTED) { CHECK(says(error, "nats://") && says(error, "tls://")); }
        ctie_error_release(error);
    }
    CHECK(notes->made == made);
    const char with_nul[] = "nats://h/sh\0op";
    ctie_wormhole *wormhole = NULL;
    CHECK_STATUS(ctie_wormhole_open((ctie_str){with_nul, sizeof with_nul - 1}, NULL, &wormhole, NULL), CTIE_E_IDENTIFIER);
}

/* ---- Options ------------------------------------------------------------------------------------- */

static void options_reach_the_engine(void) {
    ctie_wormhole_options options = CTIE_WORMHOLE_OPTIONS_INIT;
    options.user = CTIE_STR("me"), options.password = CTIE_STR("secret");
    options.tls_ca = CTIE_STR("/ca"), options.tls_certificate = CTIE_STR("/certificate"), options.tls_key = CTIE_STR("/key");
    options.replicas = 3, options.max_age_ms = 5000, options.flags = CTIE_WORMHOLE_OFFLINE;
    options.max_queued = 1 << 20, options.max_queued_size = 77, options.max_value_size = 10;
    CHECK_STATUS(try_address("tls://h/shop", &options), CTIE_OK);
    static const char *const TEXTS[] = {"h:4222", "me", "secret", "", "", "", "/ca", "/certificate", "/key"};
    for (int i = 0; i < NOTED_TEXTS; i++) { CHECK(strcmp(notes->texts[i], TEXTS[i]) == 0); }
    CHECK(notes->server.flags == (CTIE_ENGINE_SERVER_TLS | CTIE_ENGINE_SERVER_OFFLINE));
    CHECK(notes->server.replicas == 3 && notes->server.max_age_ms == 5000);
    CHECK(notes->server.max_queued == 1 << 20 && notes->server.max_queued_size == 77);
    options = (ctie_wormhole_options)CTIE_WORMHOLE_OPTIONS_INIT;
    options.nkey_seed = CTIE_STR("SUA");
    CHECK_STATUS(try_address("nats://h/shop", &options), CTIE_OK);
    CHECK(strcmp(notes->texts[4], "SUA") == 0 && notes->server.replicas == 0 && notes->server.max_queued == 0);
    CHECK(notes->server.flags == 0 && notes->server.max_age_ms == 0 && notes->server.max_queued_size == 0);
    options = (ctie_wormhole_options)CTIE_WORMHOLE_OPTIONS_INIT;
    options.credentials = CTIE_STR("a.creds");
    CHECK_STATUS(try_address("nats://h/shop", &options), CTIE_OK);
    CHECK(strcmp(notes->texts[5], "a.creds") == 0);
    options = (ctie_wormhole_options)CTIE_WORMHOLE_OPTIONS_INIT;
    options.token = CTIE_STR("t");
    CHECK_STATUS(try_address("nats://h/shop", &options), CTIE_OK);
    CHECK(strcmp(notes->texts[3], "t") == 0);
    /* Options of a header without them. */
    options = (ctie_wormhole_options)CTIE_WORMHOLE_OPTIONS_INIT;
    options.size = offsetof(ctie_wormhole_options, credentials);
    options.token = CTIE_STR("t");
    CHECK_STATUS(try_address("nats://h/shop", &options), CTIE_OK);
    CHECK(strcmp(notes->texts[3], "") == 0);
}

/* The options of a server, each with a value that is allowed. */
static ctie_wormhole_options with_option(int which) {
    ctie_wormhole_options options = CTIE_WORMHOLE_OPTIONS_INIT;
    switch (which) {
    case 0: options.credentials = CTIE_STR("x"); break;
    case 1: options.nkey_seed = CTIE_STR("x"); break;
    case 2: options.token = CTIE_STR("x"); break;
    case 3: options.user = options.password = CTIE_STR("x"); break;
    case 4: options.tls_ca = CTIE_STR("x"); break;
    case 5: options.tls_certificate = options.tls_key = CTIE_STR("x"); break;
    case 6: options.replicas = 1; break;
    case 7: options.max_age_ms = 1; break;
    case 8: options.flags = CTIE_WORMHOLE_OFFLINE; break;
    }
    return options;
}

enum { SERVER_OPTIONS = 9, LOG_INS = 4 };

static void options_of_a_server_need_one(void) {
    for (int i = 0; i < SERVER_OPTIONS; i++) {
        ctie_wormhole_options options = with_option(i);
        CHECK_STATUS(try_address("tls://h/shop", &options), CTIE_OK);
        CHECK_STATUS(try_address("shop", &options), CTIE_E_INVALID);
        options.directory = ctie_str_from(directory);
        CHECK_STATUS(try_address("shop", &options), CTIE_E_INVALID);
        options = with_option(i);
        options.flags |= CTIE_WORMHOLE_MEMORY;
        CHECK_STATUS(try_address("shop", &options), CTIE_E_INVALID);
    }
    CHECK(access(directory, F_OK) != 0);
}

static void there_is_one_log_in(void) {
    int made = notes->made;
    for (int i = 0; i < LOG_INS; i++) {
        ctie_wormhole_options options = with_option(i);
        CHECK_STATUS(try_address("nats://t@h/shop", &options), CTIE_E_INVALID);
        CHECK_STATUS(try_address("nats://u:p@h/shop", &options), CTIE_E_INVALID);
        for (int j = 0; j < i; j++) {
            ctie_wormhole_options other = with_option(j);
            if (j == 0) { options.credentials = other.credentials; }
            if (j == 1) { options.nkey_seed = other.nkey_seed; }
            if (j == 2) { options.token = other.token; }
            CHECK_STATUS(try_address("nats://h/shop", &options), CTIE_E_INVALID);
            options = with_option(i);
        }
    }
    ctie_wormhole_options options = CTIE_WORMHOLE_OPTIONS_INIT;
    options.user = CTIE_STR("u");
    CHECK_STATUS(try_address("nats://h/shop", &options), CTIE_E_INVALID);
    options.user = CTIE_STR(""), options.password = CTIE_STR("p");
    CHECK_STATUS(try_address("nats://h/shop", &options), CTIE_E_INVALID);
    CHECK(notes->made == made);
}

static void wrong_options_are_refused(void) {
    static char text[4097];
    int made = notes->made;
    memset(text, 'x', sizeof text);
    ctie_wormhole_options options = CTIE_WORMHOLE_OPTIONS_INIT;
    ctie_str *const TEXTS[] = {&options.credentials, &options.nkey_seed, &options.token, &options.tls_ca};
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        *TEXTS[i] = (ctie_str){text, 4096};
        CHECK_STATUS(try_address("tls://h/shop", &options), CTIE_E_LIMIT);
        *TEXTS[i] = (ctie_str){"a\0b", 3};
        CHECK_STATUS(try_address("tls://h/shop", &options), CTIE_E_INVALID);
        *TEXTS[i] = CTIE_STR("a\r\nb");
        CHECK_STATUS(try_address("tls://h/shop", &options), CTIE_E_INVALID);
        *TEXTS[i] = CTIE_STR("\xFF");
        CHECK_STATUS(try_address("tls://h/shop", &options), CTIE_E_UTF8);
        *TEXTS[i] = (ctie_str){NULL, 3};
        CHECK_STATUS(try_address("tls://h/shop", &options), CTIE_E_INVALID);
        *TEXTS[i] = (ctie_str){NULL, 0};
    }
    options.replicas = 6;
    CHECK_STATUS(try_address("nats://h/shop", &options), CTIE_E_LIMIT);
    options.replicas = 0, options.max_age_ms = UINT64_MAX;
    CHECK_STATUS(try_address("nats://h/shop", &options), CTIE_E_LIMIT);
    options.max_age_ms = 0, options.reserved = 1;
    CHECK_STATUS(try_address("nats://h/shop", &options), CTIE_E_INVALID);
    CHECK_STATUS(try_address("shop", &options), CTIE_E_INVALID);
    options.reserved = 0, options.tls_certificate = CTIE_STR("x");
    CHECK_STATUS(try_address("tls://h/shop", &options), CTIE_E_INVALID);
    options.tls_certificate = CTIE_STR(""), options.tls_key = CTIE_STR("x");
    CHECK_STATUS(try_address("tls://h/shop", &options), CTIE_E_INVALID);
    /* Certificates without TLS would not be used. */
    options = with_option(4);
    CHECK_STATUS(try_address("nats://h/shop", &options), CTIE_E_INVALID);
    options = with_option(5);
    CHECK_STATUS(try_address("nats://h/shop", &options), CTIE_E_INVALID);
    CHECK(notes->made == made);
}

static void close_nothing(void *user_data) { ++*(int *)user_data; }

static void an_address_is_alone(void) {
    static const uint32_t FLAGS[] = {CTIE_WORMHOLE_FAST, CTIE_WORMHOLE_SYSTEM, CTIE_WORMHOLE_MEMORY,
                                     CTIE_WORMHOLE_ANY_FILESYSTEM, CTIE_WORMHOLE_EXISTING, 1u << 31};
    int made = notes->made, closed = 0;
    ctie_wormhole_options options = CTIE_WORMHOLE_OPTIONS_INIT;
    for (size_t i = 0; i < sizeof FLAGS / sizeof *FLAGS; i++) {
        options.flags = FLAGS[i];
        CHECK_STATUS(try_address("nats://h/shop", &options), CTIE_E_INVALID);
    }
    options.flags = 0;
    uint64_t *const UNSUPPORTED[] = {&options.map_size, &options.max_map_size, &options.retain_ms,
                                     &options.retain_count, &options.retain_size};
    for (size_t i = 0; i < sizeof UNSUPPORTED / sizeof *UNSUPPORTED; i++) {
        *UNSUPPORTED[i] = 32 << 20;
        CHECK_STATUS(try_address("nats://h/shop", &options), CTIE_E_UNSUPPORTED);
        *UNSUPPORTED[i] = 0;
    }
    options.directory = ctie_str_from(directory);
    CHECK_STATUS(try_address("nats://h/shop", &options), CTIE_E_INVALID);
    options.directory = CTIE_STR("");
    ctie_engine engine = {.size = sizeof engine, .close = close_nothing};
    options.engine = &engine, options.engine_data = &closed;
    CHECK_STATUS(try_address("nats://h/shop", &options), CTIE_E_INVALID);
    CHECK(closed == 1);
    options.engine = NULL, options.engine_data = NULL;
    ctie_transport transport = {.size = sizeof transport, .destroy = close_nothing};
    options.transport = &transport, options.transport_data = &closed;
    CHECK_STATUS(try_address("nats://h/shop", &options), CTIE_E_INVALID);
    CHECK(closed == 2 && notes->made == made);
}

/* A secret that others on the way could read is a warning, once for each wormhole. */
static void open_secrets_are_warned_of(void) {
    static const struct { const char *address; int option, warnings; } CASES[] = {
        {"nats://u:hunter2@example.com/shop", -1, 1}, {"nats://hunter2@example.com/shop", -1, 1},
        {"nats://localhost,example.com/shop", 3, 1},  {"nats://example.com/shop", 2, 1},
        {"nats://128.0.0.1/shop", 2, 1},              {"nats://[::2]/shop", 2, 1},
        {"nats://127.example.com/shop", 2, 1},        {"nats://example.com/shop", -1, 0},
        {"nats://example.com/shop", 1, 0},            {"tls://u:hunter2@example.com/shop", -1, 0},
        {"nats://u:hunter2@localhost/shop", -1, 0},   {"nats://u:hunter2@127.1.2.3,[::1],LocalHost/shop", -1, 0},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        int warnings = 0;
        ctie_wormhole_options options = with_option(CASES[i].option);
        options.log = (ctie_logger){keep_line, &warnings, NULL};
        log_text[0] = 0;
        CHECK_STATUS(try_address(CASES[i].address, &options), CTIE_OK);
        if (warnings != CASES[i].warnings) { fprintf(stderr, "%s\n", CASES[i].address); }
        CHECK(warnings == CASES[i].warnings);
        CHECK((strstr(log_text, "tls://") != NULL) == (warnings == 1) && strstr(log_text, "hunter2") == NULL);
    }
}

/* ---- Loading ------------------------------------------------------------------------------------- */

static void libraries_are_checked(void) {
    static const struct { const char *library; ctie_status status; const char *message; } CASES[] = {
        {"server_of_other_abi", CTIE_E_ABI, "libcrosstie-nats.so.0"},
        {"server_too_small", CTIE_E_ABI, "libcrosstie-nats.so.0"},
        {"server_without_send", CTIE_E_ABI, "function"},
        {"empty", CTIE_E_UNAVAILABLE, "ctie_engine_nats"}, /* it has no such symbol */
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        ctie_wormhole *wormhole = NULL;
        ctie_error *error = NULL;
        use_engine(CASES[i].library);
        CHECK_STATUS(open_address("nats://u:hunter2@localhost/shop", NULL, &wormhole, &error), CASES[i].status);
        CHECK(says(error, CASES[i].message) && !says(error, "hunter2"));
        ctie_error_release(error);
    }
}

/* A library that is there and cannot be loaded is not passed over. */
static void a_broken_library_says_why(void) {
    ctie_wormhole *wormhole = NULL;
    ctie_error *error = NULL;
    name_engine("broken");
    FILE *file = fopen(engine_library, "w");
    CHECK(file != NULL && fputs("no library", file) >= 0 && fclose(file) == 0);
    CHECK_STATUS(open_address("nats://u:hunter2@localhost/shop", NULL, &wormhole, &error), CTIE_E_UNAVAILABLE);
    CHECK(says(error, "install crosstie-nats (") && says(error, engine_library) && !says(error, "hunter2"));
    ctie_error_release(error);
}

static void an_engine_may_not_be_made(void) {
    static const ctie_status ANSWERS[] = {CTIE_E_NO_MEMORY, CTIE_E_INVALID, CTIE_E_UNSUPPORTED};
    int closed = notes->closed;
    for (size_t i = 0; i < sizeof ANSWERS / sizeof *ANSWERS; i++) {
        notes->answer = ANSWERS[i];
        CHECK_STATUS(try_address("nats://localhost/shop", NULL), ANSWERS[i]);
    }
    notes->answer = 5;
    CHECK_STATUS(try_address("nats://localhost/shop", NULL), CTIE_E_SYSTEM);
    notes->answer = CTIE_OK;
    CHECK(notes->closed == closed);
}

/* ---- Using it ------------------------------------------------------------------------------------ */

static void messages_go_both_ways(void) {
    ctie_wormhole *one = NULL, *two = NULL;
    ctie_wormhole_options options = CTIE_WORMHOLE_OPTIONS_INIT;
    ctie_message *message = NULL;
    ctie_value *members = NULL;
    int closed = notes->closed;
    options.name = CTIE_STR("one"), options.password = CTIE_STR("hunter2"), options.user = CTIE_STR("me");
    CHECK_STATUS(open_address("nats://localhost/shop", &options, &one, NULL), CTIE_OK);
    CHECK_STATUS(open_address("nats://token:hunter2@localhost/shop", NULL, &two, NULL), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_send(one, CTIE_STR("a.b"), ctie_value_int(7), NULL, NULL, NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_message(two, CTIE_STR("a.b"), &message, NULL), CTIE_OK);
    CHECK(text_is(ctie_message_sender_name(message), "one"));
    ctie_message_release(message);
    CHECK_STATUS(ctie_wormhole_members(two, &members, NULL), CTIE_OK);
    CHECK(ctie_value_count(members) == 2);
    ctie_str json = {NULL, 0};
    ctie_value *shown = NULL;
    CHECK_STATUS(ctie_value_to_json(members, 0, &shown, NULL), CTIE_OK);
    CHECK_STATUS(ctie_value_get_string(shown, &json), CTIE_OK);
    CHECK(json.size > 0 && memmem(json.data, json.size, "hunter2", 7) == NULL);
    ctie_value_release(shown);
    ctie_value_release(members);
    CHECK_STATUS(ctie_wormhole_release(one), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(two), CTIE_OK);
    CHECK(notes->closed == closed + 2);
}

static ctie_status send_to(ctie_wormhole *wormhole, const char *id, ctie_error **error) {
    return ctie_wormhole_send(wormhole, ctie_str_from(id), ctie_value_null(), NULL, NULL, NULL, error);
}

/* An error has the engine's reason, of its own call only. */
static void an_engine_explains_its_failures(void) {
    ctie_wormhole *wormhole = NULL;
    ctie_error *error = NULL;
    char wanted[256];
    CHECK_STATUS(open_address("nats://localhost/shop", NULL, &wormhole, NULL), CTIE_OK);
    CHECK_STATUS(send_to(wormhole, "refused", &error), CTIE_E_DENIED);
    snprintf(wanted, sizeof wanted, "%s: no   permission", ctie_status_message(CTIE_E_DENIED));
    CHECK(text_is(ctie_error_message(error), wanted));
    ctie_error_release(error);
    for (int i = 0; i < 2; i++) {
        CHECK_STATUS(send_to(wormhole, "refused.silently", &error), CTIE_E_DENIED);
        CHECK(!says(error, "permission") && !says(error, "stale"));
        ctie_error_release(error);
        CHECK_STATUS(send_to(wormhole, "allowed", NULL), CTIE_OK);
    }
    /* Outside a function of the engine there is nothing to explain. */
    notes->host->explain(notes->host->context, CTIE_STR("nobody asked"));
    notes->host->explain(notes->host->context, (ctie_str){NULL, 9});
    CHECK_STATUS(send_to(wormhole, "refused.silently", &error), CTIE_E_DENIED);
    CHECK(!says(error, "nobody asked"));
    ctie_error_release(error);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
}

int main(void) {
    name_directory();
    begin_engines();
    use_engine("server");
    notes = notes_of_engine();
    if (notes == NULL) { return 1; }
    addresses_are_read();
    other_addresses_are_refused();
    options_reach_the_engine();
    options_of_a_server_need_one();
    there_is_one_log_in();
    wrong_options_are_refused();
    an_address_is_alone();
    open_secrets_are_warned_of();
    an_engine_may_not_be_made();
    messages_go_both_ways();
    an_engine_explains_its_failures();
    libraries_are_checked();
    a_broken_library_says_why();
    end_engines();
    return check_end();
}
