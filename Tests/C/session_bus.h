/* A session bus of a test's own, and the desktop's tools that call over it. */
#ifndef SESSION_BUS_H
#define SESSION_BUS_H

#include "instances.h"

#include <stdarg.h>
#include <sys/stat.h>

static char session_address[96];

static inline void write_session_configuration(const char *path) {
    FILE *file = fopen(path, "w");
    if (file == NULL) abort();
    fprintf(file,
            "<!DOCTYPE busconfig PUBLIC \"-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN\""
            " \"http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd\">"
            "<busconfig><type>session</type><listen>%s</listen><policy context=\"default\">"
            "<allow send_destination=\"*\" eavesdrop=\"true\"/><allow eavesdrop=\"true\"/><allow own=\"*\"/>"
            "</policy></busconfig>",
            session_address);
    fclose(file);
}

/** Starts a bus in this test's directory, where it listens at `bus`, and waits until it does. */
static inline pid_t start_session_bus(void) {
    char option[128], line[128] = "";
    int ends[2];
    mkdir(directory, 0700);
    snprintf(session_address, sizeof session_address, "unix:path=%s/bus", directory);
    snprintf(option, sizeof option, "%s/bus.conf", directory);
    write_session_configuration(option);
    snprintf(option, sizeof option, "--config-file=%s/bus.conf", directory);
    if (pipe(ends) != 0) abort();
    pid_t child = fork_child();
    if (child == 0) {
        dup2(ends[1], 1);
        close(ends[0]);
        close(ends[1]);
        execlp("dbus-daemon", "dbus-daemon", option, "--nofork", "--print-address=1", (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    CHECK(read(ends[0], line, sizeof line - 1) > 0);
    close(ends[0]);
    setenv("DBUS_SESSION_BUS_ADDRESS", session_address, 1);
    return child;
}

static char tool_output[4096];

/** Runs a command of the shell. Its exit status; its output is in `tool_output`. */
static inline int run_tool(const char *format, ...) __attribute__((format(printf, 1, 2)));
static inline int run_tool(const char *format, ...) {
    static char command[1 << 20];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(command, sizeof command, format, arguments);
    va_end(arguments);
    FILE *pipe = popen(command, "r");
    if (pipe == NULL) abort();
    size_t size = fread(tool_output, 1, sizeof tool_output - 1, pipe);
    tool_output[size] = 0;
    int status = pclose(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static inline bool tool_said(const char *part) { return strstr(tool_output, part) != NULL; }

#define OBJECT "--dest " APPLICATION " --object-path /com/example/app --method org.freedesktop.Application."
#define CALL_OF(method) "timeout 60 gdbus call --session " OBJECT method " 2>&1"

/** Calls org.freedesktop.Application by busctl, which sends any types. */
#define RAW_CALL_OF(method) \
    "timeout 60 busctl --address=\"$DBUS_SESSION_BUS_ADDRESS\" call " APPLICATION \
    " /com/example/app org.freedesktop.Application " method " 2>&1"

static inline bool name_has_owner(void) {
    CHECK(run_tool("timeout 60 gdbus call --session --dest org.freedesktop.DBus --object-path / --method "
                   "org.freedesktop.DBus.NameHasOwner " APPLICATION " 2>&1") == 0);
    return tool_said("true");
}

#endif
