// Memory that two processes share through a sealed file, which one of them sends to the other.
#ifndef CPLATFORM_SHARED_H
#define CPLATFORM_SHARED_H

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// Of linux/memfd.h and linux/fcntl.h, which glibc has for _GNU_SOURCE alone.
enum {
    CP_MEMFD_CLOEXEC = 1,
    CP_MEMFD_SEALING = 2,
    CP_MEMFD_NOEXEC = 8,
    CP_ADD_SEALS = 1033,
    CP_GET_SEALS = 1034,
    CP_SEALS = 1 | 2 | 4, // no further seal, no smaller and no larger size
};

/// A file in memory of a size that nobody can change, or -1 and errno.
static inline int cp_shared_make(size_t size) {
    int flags = CP_MEMFD_CLOEXEC | CP_MEMFD_SEALING;
    int file = (int)syscall(SYS_memfd_create, "crosstie-join", flags | CP_MEMFD_NOEXEC);
    // Kernels before 6.3 do not know the flag.
    if (file < 0 && errno == EINVAL) file = (int)syscall(SYS_memfd_create, "crosstie-join", flags);
    if (file < 0) return -1;
    if (ftruncate(file, (off_t)size) == 0 && fcntl(file, CP_ADD_SEALS, CP_SEALS) == 0) return file;
    int code = errno;
    close(file);
    errno = code;
    return -1;
}

/// Maps such a file of another process; NULL if it is not one of this size. The seals show that it is a file in memory, so
/// that no access to the mapping can fail. Forked children do not get the mapping.
static inline void *cp_shared_map(int file, size_t size) {
    struct stat status;
    int seals = fcntl(file, CP_GET_SEALS);
    if (seals < 0 || (seals & CP_SEALS) != CP_SEALS) return NULL;
    if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size != (off_t)size) return NULL;
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED) return NULL;
    if (madvise(memory, size, 10 /* MADV_DONTFORK */) == 0) return memory;
    munmap(memory, size);
    return NULL;
}

/// The most descriptors of a packet.
enum { CP_DESCRIPTORS = 16 };

/// Descriptors that came with a packet.
typedef struct cp_received {
    int files[CP_DESCRIPTORS];
    int count;
    bool isCut; ///< the kernel had no room for some, here or in the process, and closed them
} cp_received;

typedef union cp_control {
    struct cmsghdr header;
    char room[CMSG_SPACE(CP_DESCRIPTORS * sizeof(int))];
} cp_control;

/// Sends a packet of a byte and more with descriptors. 0, or errno.
static inline int cp_socket_send_with(int file, uint8_t lead, const void *bytes, size_t size, const int *files,
                                      size_t count) {
    cp_control control;
    struct iovec parts[2] = {{&lead, 1}, {(void *)bytes, size}};
    struct msghdr message;
    if (count == 0 || count > CP_DESCRIPTORS) return EINVAL;
    memset(&message, 0, sizeof message);
    memset(&control, 0, sizeof control);
    message.msg_iov = parts;
    message.msg_iovlen = 2;
    message.msg_control = &control;
    message.msg_controllen = CMSG_SPACE(count * sizeof(int));
    control.header.cmsg_level = SOL_SOCKET;
    control.header.cmsg_type = SCM_RIGHTS;
    control.header.cmsg_len = CMSG_LEN(count * sizeof(int));
    memcpy(CMSG_DATA(&control.header), files, count * sizeof(int));
    for (;;) {
        if (sendmsg(file, &message, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0) return 0;
        if (errno != EINTR) return errno;
    }
}

/// Receives a packet as ::cp_socket_receive, and the descriptors that came with it.
static inline int64_t cp_socket_receive_with(int file, void *room, size_t size, cp_received *received) {
    cp_control control;
    struct iovec part = {room, size};
    struct msghdr message;
    received->count = 0;
    received->isCut = false;
    for (;;) {
        memset(&message, 0, sizeof message);
        message.msg_iov = &part;
        message.msg_iovlen = 1;
        message.msg_control = &control;
        message.msg_controllen = sizeof control.room;
        ssize_t got = recvmsg(file, &message, MSG_DONTWAIT | MSG_TRUNC | 0x40000000 /* MSG_CMSG_CLOEXEC */);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return -errno;
        received->isCut = (message.msg_flags & MSG_CTRUNC) != 0;
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        if (header != NULL && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS) {
            size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
            received->count = (int)(count < CP_DESCRIPTORS ? count : CP_DESCRIPTORS);
            memcpy(received->files, CMSG_DATA(header), (size_t)received->count * sizeof(int));
        }
        return got;
    }
}

#endif
