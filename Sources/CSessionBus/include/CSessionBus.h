// The session bus, by libdbus-1, which is loaded when it is first needed: a name, and calls of
// org.freedesktop.Application. Not for several threads at once.
#ifndef CSESSIONBUS_H
#define CSESSIONBUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sb_bus sb_bus;
typedef struct sb_call sb_call;

/// A call of the application that is not answered yet, with its arguments as MessagePack: a list.
typedef struct sb_request {
    sb_call *call;
    const char *member; ///< "Activate", "Open" or "ActivateAction"
    const uint8_t *arguments;
    size_t size;
} sb_request;

/// Connects to the session bus. NULL with a reason where there is none, or no library.
sb_bus *sb_open(char *reason, size_t size);
void sb_close(sb_bus *bus);

/// Owns a name. 1: this process has it; 0: another one has it; -1 with a reason.
int sb_own(sb_bus *bus, const char *name, char *reason, size_t size);
/// Whether the owner of a name answers a ping.
bool sb_answers(sb_bus *bus, const char *name, int milliseconds);

/// What a poll watches for input; -1 after the bus's end.
int sb_descriptor(sb_bus *bus);
/// Reads and writes what can be without waiting, and gives the next call of the application at a path. False if there is
/// none now.
bool sb_next(sb_bus *bus, const char *path, sb_request *out);
bool sb_has_output(sb_bus *bus);
/// Answers and frees a call: with success for a NULL error, else with its text.
void sb_answer(sb_bus *bus, sb_call *call, const char *error);

/// Calls Open of an application at a name, or Activate for no URLs, and waits. 0: success; 1: no answer in time; -1 with
/// the error's text.
int sb_hand(sb_bus *bus, const char *name, const char *path, const char *const *urls, size_t count,
            const char *const *platform, size_t entries, int milliseconds, char *reason, size_t size);

#endif
