/*
 * Loads the library into a host and uses it; then the host must be as it was: signal actions and mask,
 * umask, working directory, locale, environment, limits, descriptors and threads.
 *
 * Usage: host_untouched <libcrosstie.so>
 */
#define _GNU_SOURCE
#include <crosstie.h>
#include <dirent.h>
#include <dlfcn.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SIGNALS = 65, LIMITS = RLIM_NLIMITS, TEXT = 4096 };

struct host {
    struct sigaction actions[SIGNALS];
    sigset_t mask;
    mode_t umask;
    char directory[TEXT];
    char locale[TEXT];
    size_t environment; /* a sum over names and values */
    struct rlimit limits[LIMITS];
    int descriptors;
    int threads;
};

static int entries(const char *path) {
    DIR *directory = opendir(path);
    int count = 0;
    if (directory == NULL) return -1;
    while (readdir(directory) != NULL) count++;
    closedir(directory);
    return count;
}

static size_t environment_sum(void) {
    size_t sum = 0;
    for (char **entry = environ; *entry != NULL; entry++)
        for (char *c = *entry; *c != '\0'; c++) sum = sum * 31 + (unsigned char)*c;
    return sum;
}

static void look(struct host *host) {
    memset(host, 0, sizeof *host);
    for (int i = 1; i < SIGNALS; i++) sigaction(i, NULL, &host->actions[i]);
    sigprocmask(SIG_BLOCK, NULL, &host->mask);
    host->umask = umask(022);
    umask(host->umask);
    if (getcwd(host->directory, sizeof host->directory) == NULL) exit(2);
    snprintf(host->locale, sizeof host->locale, "%s", setlocale(LC_ALL, NULL));
    host->environment = environment_sum();
    for (int i = 0; i < LIMITS; i++) getrlimit(i, &host->limits[i]);
    host->descriptors = entries("/proc/self/fd");
    host->threads = entries("/proc/self/task");
}

static int failures;
#define SAME(what, before, after) same(what, &(before), &(after), sizeof(before))
static void same(const char *what, const void *before, const void *after, size_t size) {
    if (memcmp(before, after, size) == 0) return;
    printf("changed: %s\n", what);
    failures++;
}

static void compare(const struct host *before, const char *when) {
    struct host after;
    look(&after);
    printf("%s\n", when);
    SAME("signal actions", before->actions, after.actions);
    SAME("signal mask", before->mask, after.mask);
    SAME("umask", before->umask, after.umask);
    SAME("working directory", before->directory, after.directory);
    SAME("locale", before->locale, after.locale);
    SAME("environment", before->environment, after.environment);
    SAME("limits", before->limits, after.limits);
    SAME("descriptors", before->descriptors, after.descriptors);
    SAME("threads", before->threads, after.threads);
}

static void *library;
#define CALL(name) ((__typeof__(&name))dlsym(library, #name))

static void ignore(ctie_request *request, void *user_data) {
    (void)request, (void)user_data;
}

static void use(void) {
    ctie_bus *bus = NULL;
    ctie_call *call = NULL;
    ctie_str url = CTIE_STR("app://nothing");
    ctie_status status = CALL(ctie_bus_new)(NULL, &bus, NULL);
    if (status == CTIE_OK) status = CALL(ctie_route_add)(bus, url, ignore, NULL, NULL, NULL, NULL, NULL);
    if (status == CTIE_OK)
        status = CALL(ctie_open_async)(bus, url, CTIE_ORIGIN_LOCAL, NULL, NULL, NULL, NULL, &call, NULL);
    if (status == CTIE_OK) status = CALL(ctie_call_wait)(call, -1, NULL);
    if (status == CTIE_OK) status = CALL(ctie_call_release)(call);
    if (status == CTIE_OK) status = CALL(ctie_bus_close)(bus);
    if (status != CTIE_OK) {
        printf("using it: status %d\n", status);
        failures++;
    }
}

int main(int argc, char **argv) {
    static struct host before;
    look(&before);
    library = argc == 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
    if (library == NULL) {
        printf("cannot load: %s\n", dlerror());
        return 2;
    }
    compare(&before, "loaded");
    use();
    compare(&before, "used and closed");
    return failures != 0;
}
