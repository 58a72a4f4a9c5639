/*
 * An engine over a directory of files: several processes of one machine share it.
 *
 * It keeps every message until its identifier is destroyed, and leaves the disk's cache to the kernel: a power failure
 * may lose messages, the death of a process does not. A message with a delay is refused.
 */
#ifndef ENGINE_H
#define ENGINE_H

#include <crosstie.h>

extern const ctie_engine ENGINE_OF_FILES;

/* The engine_data of one wormhole, whose groups are folders of `directory`; NULL without memory,
   or if the name is too long. The wormhole frees it. */
void *engine_of_files(const char *directory);

#endif
