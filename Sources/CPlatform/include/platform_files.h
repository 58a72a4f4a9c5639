// File calls that Swift cannot make: with variable arguments, or missing from its module of glibc.
#ifndef CPLATFORM_FILES_H
#define CPLATFORM_FILES_H

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/vfs.h>
#include <unistd.h>

// Linux's open-file-description locks, which glibc declares only under _GNU_SOURCE.
#define CP_OFD_GETLK 36
#define CP_OFD_SETLK 37

/// The name that this program was started by, without its directory.
extern char *program_invocation_short_name;
static inline const char *cp_program_name(void) { return program_invocation_short_name; }

// glibc declares it only under _GNU_SOURCE.
extern char *secure_getenv(const char *name);
/// An environment variable; NULL without one, and in a program whose caller is not trusted.
static inline const char *cp_environment(const char *name) { return secure_getenv(name); }

/// Opens a directory, but not through a symbolic link. Returns the descriptor, or -1 and errno.
static inline int cp_open_directory(int directory, const char *path) {
    return openat(directory, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/// Opens a file for reading, never waiting for a FIFO's other end.
static inline int cp_open_for_reading(const char *path) { return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); }

/// Opens a file for reading and writing, never through a symbolic link and never waiting for a FIFO's other end.
static inline int cp_open_file(int directory, const char *name) {
    return openat(directory, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
}

/// Makes a file that must not exist, readable and writable by its owner alone.
static inline int cp_create_file(int directory, const char *name) {
    return openat(directory, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

/// Makes an unnamed file in memory that lives as long as its descriptors. Returns the descriptor, or -1 and errno.
static inline int cp_memory_file(void) { return (int)syscall(SYS_memfd_create, "crosstie", 1u /* MFD_CLOEXEC */); }

/// Makes another descriptor refer to an open file, replacing its previous one. False, and errno, if it cannot.
static inline bool cp_replace_descriptor(int file, int descriptor) {
    return syscall(SYS_dup3, file, descriptor, O_CLOEXEC) == descriptor;
}

/// Takes or gives up the lock on one byte, which belongs to the open file and ends with it. False if another open file
/// has it.
static inline bool cp_lock_byte(int file, int64_t offset, bool locked) {
    struct flock range = {0};
    range.l_type = locked ? F_WRLCK : F_UNLCK;
    range.l_whence = SEEK_SET;
    range.l_start = offset;
    range.l_len = 1;
    return fcntl(file, CP_OFD_SETLK, &range) == 0;
}

/// Takes a lock on one byte that others may take too, and that ends with the open file. Returns 0 or an errno.
static inline int cp_share_byte(int file, int64_t offset) {
    struct flock range = {0};
    range.l_type = F_RDLCK;
    range.l_whence = SEEK_SET;
    range.l_start = offset;
    range.l_len = 1;
    return fcntl(file, CP_OFD_SETLK, &range) == 0 ? 0 : errno;
}

/// Whether another open file has a lock on any byte of a range.
static inline bool cp_is_locked(int file, int64_t offset, int64_t length) {
    struct flock range = {0};
    range.l_type = F_WRLCK;
    range.l_whence = SEEK_SET;
    range.l_start = offset;
    range.l_len = length;
    return fcntl(file, CP_OFD_GETLK, &range) != 0 || range.l_type != F_UNLCK;
}

/// The number of an open file's file system (statfs(2)), or 0.
static inline uint32_t cp_file_system(int file) {
    struct statfs info;
    return fstatfs(file, &info) == 0 ? (uint32_t)info.f_type : 0;
}

#endif
