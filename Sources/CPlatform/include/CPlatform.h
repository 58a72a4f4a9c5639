// Functions that Swift cannot express, inline: one topic per header. Those with code of their own are in the folder above:
// reserve.c (memory when the system has none), object.c (shared objects), library.c (libraries of engines), dbus.c
// (libdbus-1), and functions that replace large ones of the runtimes in the shipped library.
#ifndef CPLATFORM_H
#define CPLATFORM_H

#include "platform_clock.h"
#include "platform_dbus.h"
#include "platform_event.h"
#include "platform_files.h"
#include "platform_futex.h"
#include "platform_globals.h"
#include "platform_library.h"
#include "platform_memory.h"
#include "platform_object.h"
#include "platform_populate.h"
#include "platform_random.h"
#include "platform_robust.h"
#include "platform_scan.h"
#include "platform_segment.h"
#include "platform_shared.h"
#include "platform_socket.h"
#include "platform_spawn.h"
#include "platform_thread.h"
#include "platform_waitv.h"
#include "platform_word.h"

#endif
