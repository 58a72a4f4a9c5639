/*
 * A peer that breaks the form of shared memory: files that are none, wrong lengths, slots and states, bytes that change
 * while they are read, answers that are none. It is cut off; the process and its other peers go on.
 */
#define _GNU_SOURCE
#include "raw_peer.h"
#include "raw_memory.h"

static ctie_bus *bus;
static ctie_join *joined;

/** A connection with memory that both sides use. */
static int share_memory(void) {
    int file = greet_as(1);
    offer_memory(file, memory_file(MEMORY_SIZE, ALL_SEALS));
    CHECK(receives_frame(file, FRAME_MEMORY));
    send_frame(file, FRAME_MEMORY);
    AWAIT(peer_count(joined) == 1);
    return file;
}

static void end_connection(int file) {
    close(file);
    AWAIT(peer_count(joined) == 0);
}

/* ---- Files --------------------------------------------------------------------------------------- */

/** Whether a call by the socket is still answered. */
static bool goes_on(int file) {
    unsigned char bytes[256];
    size_t size = call_frame(bytes, 1, "stock", 0, 1);
    CHECK(send(file, bytes, size, MSG_NOSIGNAL) == (ssize_t)size);
    return answer_status(file) == CTIE_OK;
}

static void a_file_of_another_form_is_not_used(void) {
    int files[] = {memory_file(MEMORY_SIZE - 4096, ALL_SEALS), memory_file(MEMORY_SIZE + 4096, ALL_SEALS),
                   memory_file(MEMORY_SIZE, 0), memory_file(MEMORY_SIZE, SEAL_GROW), memory_file(0, ALL_SEALS),
                   memory_file(MEMORY_SIZE, ALL_SEALS | SEAL_WRITE), open("/dev/null", O_RDWR), dup(STDERR_FILENO)};
    int before = open_files() - (int)(sizeof files / sizeof *files);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        int file = greet_as(1);
        offer_memory(file, files[i]);
        CHECK(goes_on(file));
        end_connection(file);
    }
    AWAIT(open_files() == before);
    /* Without the magic. */
    memory = NULL;
    int file = greet_as(1), blank = (int)syscall(SYS_memfd_create, "blank", 2);
    CHECK(ftruncate(blank, MEMORY_SIZE) == 0 && fcntl(blank, ADD_SEALS, ALL_SEALS) == 0);
    offer_memory(file, blank);
    CHECK(goes_on(file));
    end_connection(file);
}

static void frames_of_memory_are_checked(void) {
    int file = greet_as(1);
    send_frame(file, FRAME_MEMORY); /* without any */
    CHECK(is_cut_off(file));
    close(file);
    file = share_memory();
    send_frame(file, FRAME_MEMORY); /* twice */
    CHECK(is_cut_off(file));
    close(file);
    file = share_memory();
    offer_memory(file, memory_file(MEMORY_SIZE, ALL_SEALS)); /* a second one */
    CHECK(is_cut_off(file));
    close(file);
    file = share_memory();
    send_frame(file, 7); /* a frame of the socket without a mark in the memory */
    CHECK(is_cut_off(file));
    end_connection(file);
    send_descriptors();
}

/* ---- Entries ------------------------------------------------------------------------------------- */

static void entries_are_checked(void) {
    static const struct entry wrong[] = {
        {0, 0, 0, 0},      {4097, 0, 0, 0},        {4097, 63, 0, 0},            {UINT32_MAX, 0, 0, 0},
        {65537, 64, 0, 0}, {65537, 71, 0, 0},      {(1 << 20) + 65537, 73, 0, 0}, {10, 74, 0, 0},
        {10, 0, 65, 0},    {10, 0, UINT32_MAX, 0}, {10, UINT32_MAX - 1, 0, 0},  {1, UINT32_MAX, 0, 0},
    };
    unsigned char frame[256];
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        int file = share_memory();
        size_t size = call_frame(frame, 1, "stock", 0, 1);
        memcpy(memory + slot_offset(0, 0), frame + 1, size - 1);
        put_entry(0, wrong[i]);
        publish(file, 1);
        CHECK(is_cut_off(file));
        end_connection(file);
    }
    static const uint32_t heads[] = {65, UINT32_MAX, 1u << 31};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        int file = share_memory();
        publish(file, heads[i]);
        CHECK(is_cut_off(file));
        end_connection(file);
    }
}

/** Sends a call by the memory, as the entry of a number. */
static void call_by_memory(int file, uint32_t number, const char *target, uint32_t slot) {
    unsigned char frame[256];
    size_t size = call_frame(frame, number + 1, target, 0, 1) - 1;
    memcpy(memory + slot_offset(0, number % 64), frame + 1, size);
    memory_word(0, CONTROL_ANSWERS + MEMORY_ANSWER_SIZE * slot)[0] = (number + 1) << 2 | 1;
    put_entry(number, (struct entry){(uint32_t)size, number % 64, slot + 1, number + 1});
    publish(file, number + 1);
}

static void calls_are_answered_in_their_slot(void) {
    int file = share_memory();
    for (uint32_t number = 0; number < 200; number++) {
        uint32_t *word = memory_word(0, CONTROL_ANSWERS + MEMORY_ANSWER_SIZE * (number % 7));
        call_by_memory(file, number, number % 2 == 0 ? "stock" : "secret", number % 7);
        AWAIT(__atomic_load_n(word, __ATOMIC_ACQUIRE) == ((number + 1) << 2 | 3));
        const unsigned char *answer = memory + answer_offset(0, number % 7);
        CHECK(answer[0] == 4 && answer[1] == (unsigned char)(number + 1));
        CHECK((answer[9] == (unsigned char)CTIE_OK) == (number % 2 == 0));
    }
    end_connection(file);
}

static _Atomic int shall_stop;

/** Changes bytes of the memory at random, more often those that decide something. */
static void *spoil(void *argument) {
    unsigned seed = (unsigned)(uintptr_t)argument;
    unsigned char *bytes = memory;
    while (!shall_stop) {
        size_t at = (size_t)rand_r(&seed) % (seed % 2 == 0 ? 4096 : seed % 3 == 0 ? 3 * 4096 : 3 * 4096 + 8 * 4096);
        bytes[at + (seed % 2 == 0 ? 4096 : 0)] = (unsigned char)rand_r(&seed);
    }
    return NULL;
}

static void bytes_may_change_at_any_time(void) {
    ctie_request_options hardly = CTIE_REQUEST_OPTIONS_INIT;
    hardly.timeout_ms = 1;
    for (int round = 0; round < test_rounds(60); round++) {
        pthread_t thread;
        int file = share_memory();
        shall_stop = 0;
        pthread_create(&thread, NULL, spoil, (void *)(uintptr_t)(round + 1));
        for (uint32_t number = 0; number < 300; number++) {
            call_by_memory(file, number, "stock", number % 64);
            if (number % 32 == (uint32_t)round % 32) {
                ctie_component_call(bus, CTIE_TARGET("trade", "echo"), NULL, &hardly, NULL, NULL);
            }
        }
        shall_stop = 1;
        pthread_join(thread, NULL);
        close(file);
        AWAIT(peer_count(joined) == 0);
    }
}

/* ---- Bytes beside a frame ------------------------------------------------------------------------ */

/** Writes a call whose parameters name bytes of these sizes beside it. Its size. */
static size_t put_naming_call(unsigned char *at, uint32_t number, const char *target, const uint32_t *sizes, size_t count) {
    unsigned char frame[512];
    size_t size = call_frame(frame, number + 1, target, 4 + 5 * count, 1) - 4;
    memcpy(frame + size, "\x81\xa1" "b", 3);
    frame[size + 3] = (unsigned char)(0x90 + count);
    size += 4;
    for (size_t i = 0; i < count; i++, size += 5) {
        frame[size] = 0xC1;
        for (int byte = 0; byte < 4; byte++) frame[size + 1 + (size_t)byte] = (unsigned char)(sizes[i] >> (24 - 8 * byte));
    }
    size = put(frame, size, 0, 4);
    memcpy(at, frame + 1, size - 1);
    return size - 1;
}

static uint32_t *large_block_word(int direction) {
    return memory_word(direction, CONTROL_BLOCK_WORDS + 4 * MEMORY_SMALL_BLOCKS);
}

/** Sends such a call in a block or in a slot. */
static void name_bytes(int file, uint32_t number, uint32_t location, const char *target, const uint32_t *sizes, size_t count) {
    size_t place = location == LARGE_BLOCK ? large_block_offset(0) : slot_offset(0, location);
    size_t size = put_naming_call(memory + place, number, target, sizes, count);
    memory_word(0, CONTROL_ANSWERS)[0] = (number + 1) << 2 | 1;
    if (location == LARGE_BLOCK) *large_block_word(0) = 1;
    put_entry(number, (struct entry){(uint32_t)size, location, 1, number + 1});
    publish(file, number + 1);
}

static void bytes_beside_a_frame_are_checked(void) {
    static const struct {
        uint32_t location, sizes[3];
        size_t count;
    } wrong[] = {
        {0, {10}, 1}, /* a slot has none */
        {LARGE_BLOCK, {MEMORY_LARGE_BLOCK_SIZE}, 1},
        {LARGE_BLOCK, {1 << 20}, 1}, /* with the frame over the limit of frames */
        {LARGE_BLOCK, {UINT32_MAX}, 1},
        {LARGE_BLOCK, {600000, 600000}, 2},
        {LARGE_BLOCK, {1000000, 0, UINT32_MAX}, 3},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        int file = share_memory();
        name_bytes(file, 0, wrong[i].location, "stock", wrong[i].sizes, wrong[i].count);
        CHECK(is_cut_off(file));
        end_connection(file);
    }
}

/* They come back as they were, beside the answer. */
static void bytes_beside_a_frame_arrive(void) {
    static const uint32_t sizes[] = {70000, 0, 900000};
    int file = share_memory();
    size_t content = large_block_offset(0) + put_naming_call(memory + large_block_offset(0), 0, "stock", sizes, 3);
    for (size_t i = 0; i < 970000; i++) memory[content + i] = (unsigned char)(i * 7 + i / 251);
    name_bytes(file, 0, LARGE_BLOCK, "stock", sizes, 3);
    AWAIT(__atomic_load_n(memory_word(1, CONTROL_HEAD), __ATOMIC_ACQUIRE) == 1);
    AWAIT(__atomic_load_n(large_block_word(0), __ATOMIC_ACQUIRE) == 0);
    const uint32_t *entry = memory_word(1, CONTROL_ENTRIES);
    CHECK(entry[0] < 100 + 5 * 3 && entry[1] == LARGE_BLOCK);
    const unsigned char *answer = memory + large_block_offset(1);
    CHECK(answer[0] == FRAME_ANSWER);
    /* Bytes of no size are inside. */
    CHECK(memcmp(answer + entry[0] - 12, "\xc1\x00\x01\x11\x70\xc4\x00\xc1\x00\x0d\xbb\xa0", 12) == 0);
    CHECK(memcmp(answer + entry[0], memory + content, 970000) == 0);
    end_connection(file);
}

/** Changes the bytes beside the frame in the block. */
static void *spoil_block(void *start) {
    unsigned seed = 1;
    while (!shall_stop) ((unsigned char *)start)[(size_t)rand_r(&seed) % 900000] = (unsigned char)rand_r(&seed);
    return NULL;
}

/* Only the bytes themselves differ then. */
static void bytes_beside_a_frame_may_change(void) {
    static const uint32_t size = 900000;
    pthread_t thread;
    int file = share_memory();
    shall_stop = 0;
    pthread_create(&thread, NULL, spoil_block, memory + large_block_offset(0) + 512);
    for (uint32_t number = 0; number < 100; number++) {
        name_bytes(file, number, LARGE_BLOCK, "secret", &size, 1);
        AWAIT(__atomic_load_n(memory_word(0, CONTROL_ANSWERS), __ATOMIC_ACQUIRE) == ((number + 1) << 2 | 3));
        AWAIT(__atomic_load_n(large_block_word(0), __ATOMIC_ACQUIRE) == 0);
    }
    shall_stop = 1;
    pthread_join(thread, NULL);
    end_connection(file);
}

/* ---- Answers ------------------------------------------------------------------------------------- */

static ctie_status got;

static void *call_trade(void *unused CTIE_UNUSED) {
    got = ctie_component_call(bus, CTIE_TARGET("trade", "echo"), NULL, without_end(), NULL, NULL);
    return NULL;
}

/** Answers a call of the process with a frame, whose length is given apart. */
static void answer_with(const unsigned char *frame, size_t size, uint32_t said, ctie_status expected) {
    pthread_t thread;
    int file = share_memory();
    pthread_create(&thread, NULL, call_trade, NULL);
    AWAIT(__atomic_load_n(memory_word(1, CONTROL_HEAD), __ATOMIC_ACQUIRE) == 1);
    const uint32_t *entry = memory_word(1, CONTROL_ENTRIES);
    CHECK(entry[2] >= 1 && entry[2] <= 64);
    uint32_t *word = memory_word(1, CONTROL_ANSWERS + MEMORY_ANSWER_SIZE * (entry[2] - 1));
    memcpy(memory + answer_offset(1, entry[2] - 1), frame, size);
    word[1] = said;
    __atomic_store_n(word, entry[3] << 2 | 3, __ATOMIC_SEQ_CST);
    syscall(SYS_futex, word, 1, 1, NULL, NULL, 0);
    pthread_join(thread, NULL);
    CHECK_STATUS(got, expected);
    close(file);
    AWAIT(peer_count(joined) == 0);
}

static void answers_are_checked(void) {
    unsigned char frame[64];
    size_t size = put(frame, 0, 4, 1);
    size = put(frame, size, 1, 8);
    size = put(frame, size, CTIE_OK, 4);
    size = put(frame, size, 1, 4);
    size = put(frame, size, 0, 4);
    size = put(frame, size, 0, 4);
    for (uint64_t id = 1; id < 3; id++) {
        put(frame, 1, id, 8);
        answer_with(frame, size, (uint32_t)size, id == 1 ? CTIE_OK : CTIE_E_CORRUPT);
    }
    put(frame, 1, 1, 8);
    answer_with(frame, size, (uint32_t)size - 1, CTIE_E_CORRUPT);
    answer_with(frame, size, 0, CTIE_E_CORRUPT);
    answer_with(frame, size, 4097, CTIE_E_CORRUPT);
    answer_with(frame, size, UINT32_MAX, CTIE_E_CORRUPT);
    put(frame, 17, UINT32_MAX, 4); /* a message longer than the frame */
    answer_with(frame, size, (uint32_t)size, CTIE_E_CORRUPT);
}

/* A peer that wakes the process again and again, or never takes what it gets, has no more than what waits for it. */
static void floods_and_silence(void) {
    int file = share_memory();
    unsigned char wakeup = 2;
    for (int i = 0; i < 20000; i++) send(file, &wakeup, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
    ctie_call *calls[200];
    for (int i = 0; i < 200; i++) calls[i] = call_later(bus, "trade", "echo", without_end());
    AWAIT(__atomic_load_n(memory_word(1, CONTROL_HEAD), __ATOMIC_ACQUIRE) == 64);
    close(file);
    for (int i = 0; i < 200; i++) {
        ctie_status status = call_end(calls[i]);
        CHECK(status == CTIE_E_PEER_GONE || status == CTIE_E_NO_COMPONENT);
    }
    AWAIT(peer_count(joined) == 0);
}

static void connections_without_number(void) {
    int files[64], count = test_rounds(10000);
    for (int done = 0; done < count;) {
        int made = 0;
        for (; made < 64 && done < count; made++, done++) {
            files[made] = connect_raw();
            if (files[made] >= 0 && done % 3 == 0) offer_memory(files[made], memory_file(MEMORY_SIZE, ALL_SEALS));
        }
        for (int i = 0; i < made; i++) {
            if (files[i] >= 0) close(files[i]);
        }
        forget_memory();
    }
}

int main(void) {
    if (!can_share_memory()) return check_skipped("the system has no futex_waitv");
    name_directory();
    board = share(sizeof *board);
    bus = make_bus();
    int threads = thread_count(), files = open_files();
    add_stock(bus);
    ctie_wormhole *wormhole = open_group();
    joined = join_as(bus, wormhole, "victim", "stock", "trade", 0);
    a_file_of_another_form_is_not_used();
    frames_of_memory_are_checked();
    entries_are_checked();
    calls_are_answered_in_their_slot();
    bytes_beside_a_frame_are_checked();
    bytes_beside_a_frame_arrive();
    bytes_beside_a_frame_may_change();
    answers_are_checked();
    bytes_may_change_at_any_time();
    floods_and_silence();
    connections_without_number();
    AWAIT(peer_count(joined) == 0);
    calls_are_answered_in_their_slot();
    CHECK_STATUS(ctie_join_release(joined), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    CHECK(threads_end(threads));
    forget_memory();
    CHECK(open_files() == files);
    remove_directory();
    return check_end();
}
