/* The shared memory of a peer without the library, byte by byte (docs/join-format.md). */
#ifndef RAW_MEMORY_H
#define RAW_MEMORY_H

#include "raw_peer.h"

#include <fcntl.h>
#include <sys/syscall.h>

enum { ADD_SEALS = 1033, SEAL_SEAL = 1, SEAL_SHRINK = 2, SEAL_GROW = 4, SEAL_WRITE = 8, ALL_SEALS = 7 };

/** The memory of the last file that was made. */
static unsigned char *memory;

static inline void forget_memory(void) {
    if (memory != NULL) munmap(memory, MEMORY_SIZE);
    memory = NULL;
}

/** A file with the beginning of shared memory, and with these seals. */
static inline int memory_file(size_t size, unsigned seals) {
    int file = (int)syscall(SYS_memfd_create, "hostile", 3);
    CHECK(file >= 0 && ftruncate(file, (off_t)size) == 0);
    forget_memory();
    if (size == MEMORY_SIZE && (seals & SEAL_WRITE) == 0) {
        memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        CHECK(memory != MAP_FAILED);
        memcpy(memory, MEMORY_MAGIC, 8);
        memory[8] = MEMORY_VERSION;
    }
    CHECK(fcntl(file, ADD_SEALS, seals) == 0);
    return file;
}

static inline void send_with(int socket, unsigned char kind, const int *files, size_t count) {
    unsigned char bytes[2] = {PACKET_LAST, kind};
    char control[256];
    struct iovec part = {bytes, 2};
    struct msghdr message = {0};
    memset(control, 0, sizeof control);
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(count * sizeof(int));
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(count * sizeof(int));
    memcpy(CMSG_DATA(header), files, count * sizeof(int));
    sendmsg(socket, &message, MSG_NOSIGNAL);
}

/** Offers the memory of a file, and closes that. */
static inline void offer_memory(int socket, int file) {
    send_with(socket, FRAME_SHARE, &file, 1);
    close(file);
}

static inline void send_frame(int socket, unsigned char kind) {
    unsigned char bytes[2] = {PACKET_LAST, kind};
    send(socket, bytes, sizeof bytes, MSG_NOSIGNAL);
}

/** Receives until there is a frame of a kind. */
static inline bool receives_frame(int socket, unsigned char kind) {
    unsigned char bytes[65536];
    ssize_t got;
    while ((got = recv(socket, bytes, sizeof bytes, 0)) > 0 && (bytes[0] != PACKET_LAST || bytes[1] != kind)) continue;
    return got > 0;
}

/** Frames with more descriptors than one, and with one where none belongs: they do not stay open. */
static inline void send_descriptors(void) {
    int socket = greet_as(1), files[16], before = open_files();
    for (int i = 0; i < 16; i++) files[i] = open("/dev/null", O_RDONLY);
    for (int i = 0; i < 50; i++) send_with(socket, FRAME_GOODBYE, files, 16);
    for (int i = 0; i < 16; i++) close(files[i]);
    /* The other side may still have held an earlier connection. */
    AWAIT(open_files() <= before);
    close(socket);
}

struct entry {
    uint32_t size, location, answer, generation;
};

static inline uint32_t *memory_word(int direction, size_t offset) {
    return (uint32_t *)(void *)(memory + (1 + (size_t)direction) * MEMORY_PAGE_SIZE + offset);
}

static inline size_t slot_offset(int direction, size_t index) {
    return 3 * MEMORY_PAGE_SIZE + (size_t)direction * DIRECTION_SIZE + index * MEMORY_SLOT_SIZE;
}

static inline size_t answer_offset(int direction, size_t index) { return slot_offset(direction, MEMORY_SLOTS + index); }

/** The first block for frames over 64 KiB, and its location. */
static inline size_t large_block_offset(int direction) {
    return slot_offset(direction, 2 * (size_t)MEMORY_SLOTS) + (size_t)MEMORY_SMALL_BLOCKS * MEMORY_SMALL_BLOCK_SIZE;
}
enum { LARGE_BLOCK = MEMORY_SLOTS + MEMORY_SMALL_BLOCKS };

static inline void put_entry(uint32_t number, struct entry entry) {
    memcpy(memory_word(0, CONTROL_ENTRIES + MEMORY_ENTRY_SIZE * (number % MEMORY_SLOTS)), &entry, sizeof entry);
}

/** Makes entries visible, and wakes the other side by every means. */
static inline void publish(int socket, uint32_t head) {
    unsigned char wakeup = PACKET_WAKEUP;
    __atomic_store_n(memory_word(0, CONTROL_HEAD), head, __ATOMIC_SEQ_CST);
    syscall(SYS_futex, memory_word(0, CONTROL_WAKEUP), 1, 64, NULL, NULL, 0);
    send(socket, &wakeup, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

#endif
