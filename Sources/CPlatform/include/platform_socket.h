// Local sockets between processes, which keep the bounds of packets, and waiting for many of them.
#ifndef CPLATFORM_SOCKET_H
#define CPLATFORM_SOCKET_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

/// The address of a name in an open directory, whose own path may be too long for one. False if the name is.
static inline bool cp_socket_address(int directory, const char *name, struct sockaddr_un *address) {
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    int size = snprintf(address->sun_path, sizeof address->sun_path, "/proc/self/fd/%d/%s", directory, name);
    return size > 0 && (size_t)size < sizeof address->sun_path;
}

static inline int cp_socket_make(void) { return socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); }

/// A socket with the result of bind or connect: closed after a failure, with errno kept.
static inline int cp_socket_checked(int file, int result) {
    if (result == 0) return file;
    int code = errno;
    close(file);
    errno = code;
    return -1;
}

/// A listening socket under a name that is free, or -1 and errno.
static inline int cp_socket_listen(int directory, const char *name) {
    struct sockaddr_un address;
    if (!cp_socket_address(directory, name, &address)) return errno = ENAMETOOLONG, -1;
    int file = cp_socket_make();
    if (file < 0) return -1;
    int result = bind(file, (struct sockaddr *)&address, sizeof address);
    return cp_socket_checked(file, result == 0 ? listen(file, 64) : result);
}

/// A socket connected to the one of a name, or -1 and errno: EAGAIN when its queue is full.
static inline int cp_socket_connect(int directory, const char *name) {
    struct sockaddr_un address;
    if (!cp_socket_address(directory, name, &address)) return errno = ENAMETOOLONG, -1;
    int file = cp_socket_make();
    if (file < 0) return -1;
    return cp_socket_checked(file, connect(file, (struct sockaddr *)&address, sizeof address));
}

/// The next connection, or -1 and errno. accept4(3) is declared for _GNU_SOURCE alone.
static inline int cp_socket_accept(int file) {
    return (int)syscall(SYS_accept4, file, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

/// The process at the other end when it connected or began to listen, as the kernel knows it.
static inline bool cp_socket_peer(int file, int32_t *pid, uint32_t *uid) {
    struct {
        int32_t pid;
        uint32_t uid, gid;
    } peer;
    socklen_t size = sizeof peer;
    if (getsockopt(file, SOL_SOCKET, 17 /* SO_PEERCRED */, &peer, &size) != 0 || size != sizeof peer) return false;
    *pid = peer.pid;
    *uid = peer.uid;
    return true;
}

/// Sends a packet of a byte and more. 0, or errno.
static inline int cp_socket_send(int file, uint8_t lead, const void *bytes, size_t size) {
    struct iovec parts[2] = {{&lead, 1}, {(void *)bytes, size}};
    struct msghdr message;
    memset(&message, 0, sizeof message);
    message.msg_iov = parts;
    message.msg_iovlen = 2;
    for (;;) {
        if (sendmsg(file, &message, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0) return 0;
        if (errno != EINTR) return errno;
    }
}

/// Receives a packet: its size, which may be over that of the room; 0 at the end; or -errno.
static inline int64_t cp_socket_receive(int file, void *room, size_t size) {
    for (;;) {
        ssize_t got = recv(file, room, size, MSG_DONTWAIT | MSG_TRUNC);
        if (got >= 0) return got;
        if (errno != EINTR) return -errno;
    }
}

static inline int cp_poll_make(void) { return epoll_create1(EPOLL_CLOEXEC); }

/// Watches a descriptor for input, and for room to write if that is wanted. False with errno.
static inline bool cp_poll_set(int poll, int file, uint64_t token, bool writes, bool isNew) {
    struct epoll_event event;
    memset(&event, 0, sizeof event);
    event.events = EPOLLIN | (writes ? EPOLLOUT : 0u);
    event.data.u64 = token;
    return epoll_ctl(poll, isNew ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, file, &event) == 0;
}

/// Watches a descriptor no longer.
static inline void cp_poll_remove(int poll, int file) { epoll_ctl(poll, EPOLL_CTL_DEL, file, NULL); }

/// Waits for one of the descriptors, for ever or not at all. Its token, and whether it has room to write. Returns 1; 0 if
/// there is none; or -1 after a failure.
static inline int cp_poll_wait(int poll, bool sleeps, uint64_t *token, bool *reads, bool *writes) {
    struct epoll_event event;
    for (;;) {
        int count = epoll_wait(poll, &event, 1, sleeps ? -1 : 0);
        if (count < 0 && errno != EINTR) return -1;
        if (count < 0 || (count == 0 && sleeps)) continue;
        if (count == 0) return 0;
        *token = event.data.u64;
        *reads = (event.events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0;
        *writes = (event.events & EPOLLOUT) != 0;
        return 1;
    }
}

#endif
