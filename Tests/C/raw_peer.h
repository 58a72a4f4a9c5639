/* A peer without the library: it writes the bytes of the protocol itself (docs/join-format.md). */
#ifndef RAW_PEER_H
#define RAW_PEER_H

#include "join_format.h"
#include "joining.h"

#include <sys/socket.h>
#include <sys/un.h>

/** The socket of the join in this process. */
static inline void find_socket(struct sockaddr_un *address) {
    char peers[80];
    snprintf(peers, sizeof peers, "%s/peers", directory);
    DIR *names = opendir(peers);
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    for (struct dirent *each; names != NULL && (each = readdir(names)) != NULL;) {
        if (each->d_name[0] == '.') continue;
        snprintf(address->sun_path, sizeof address->sun_path, "%s/%.12s", peers, each->d_name);
    }
    if (names != NULL) closedir(names);
}

static inline int connect_raw(void) {
    struct sockaddr_un address;
    int file = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    find_socket(&address);
    if (file >= 0 && connect(file, (struct sockaddr *)&address, sizeof address) == 0) return file;
    close(file);
    return -1;
}

static inline size_t put(unsigned char *bytes, size_t at, uint64_t value, int count) {
    for (int i = 0; i < count; i++) bytes[at + (size_t)i] = (unsigned char)(value >> (8 * i));
    return at + (size_t)count;
}

/** A greeting in the name of this process's own member, in a packet. */
static inline size_t greeting(unsigned char *bytes, unsigned version, uint64_t member) {
    size_t at = put(bytes, 0, PACKET_LAST, 1);
    at = put(bytes, at, FRAME_HELLO, 1);
    memcpy(bytes + at, FRAME_MAGIC, 8);
    at = put(bytes, at + 8, version, 2);
    at = put(bytes, at, 1 << 20, 4);
    at = put(bytes, at, member, 8);
    at = put(bytes, at, 99, 4);
    at = put(bytes, at, 5, 2);
    memcpy(bytes + at, "enemy", 5);
    at = put(bytes, at + 5, 1, 2);
    at = put(bytes, at, 5, 2);
    memcpy(bytes + at, "trade", 5);
    return put(bytes, at + 5, 0, 2);
}

/** The number of this process's member, out of the join's own greeting. */
static inline uint64_t own_member(int file) {
    unsigned char bytes[4096];
    uint64_t member = 0;
    CHECK(recv(file, bytes, sizeof bytes, 0) > 24);
    for (int i = 7; i >= 0; i--) member = member << 8 | bytes[HELLO_MEMBER_AT + i];
    return member;
}

/** A connection that has sent its greeting. */
static inline int greet_as(unsigned version) {
    unsigned char bytes[128];
    int file = connect_raw();
    CHECK(file >= 0);
    size_t size = greeting(bytes, version, own_member(file));
    CHECK(send(file, bytes, size, MSG_NOSIGNAL) == (ssize_t)size);
    return file;
}

/** Whether the other side ends the connection. */
static inline bool is_cut_off(int file) {
    unsigned char bytes[65536];
    ssize_t got;
    while ((got = recv(file, bytes, sizeof bytes, 0)) > 0) continue;
    return got == 0 || errno == ECONNRESET;
}

/** A call of an action with lengths as they are given. */
static inline size_t call_frame(unsigned char *bytes, uint64_t id, const char *target, uint64_t params, unsigned depth) {
    size_t at = put(bytes, 0, PACKET_LAST, 1), size = strlen(target);
    at = put(bytes, at, FRAME_CALL, 1);
    at = put(bytes, at, id, 8);
    at = put(bytes, at, FLAG_LOCAL, 1);
    at = put(bytes, at, depth, 1);
    at = put(bytes, at, UINT64_MAX, 8);
    at = put(bytes, at, size, 2);
    memcpy(bytes + at, target, size);
    at = put(bytes, at + size, 4, 2);
    memcpy(bytes + at, "echo", 4);
    at = put(bytes, at + 4, params, 4);
    return put(bytes, at, 0, 4);
}

/** The status of the answer to a call. */
static inline int32_t answer_status(int file) {
    unsigned char bytes[65536];
    const unsigned char *at = bytes + ANSWER_STATUS_AT;
    ssize_t got;
    while ((got = recv(file, bytes, sizeof bytes, 0)) > ANSWER_CODE_AT && bytes[1] != FRAME_ANSWER) continue;
    if (got <= ANSWER_CODE_AT) return 1;
    return (int32_t)((uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24);
}

#endif
