/**
 * @file crosstie.h
 * Crosstie, an application bus that programs embed: the whole public interface.
 *
 * The conventions that hold for every function (text by pointer and length, checked handles,
 * statuses, ownership, threads) are set out in docs/conventions.md. The first of them: any pointer may be NULL, and a
 * function for which NULL has no meaning returns an error status.
 */
#ifndef CROSSTIE_H
#define CROSSTIE_H

#include "crosstie/base.h"
#include "crosstie/status.h"
#include "crosstie/version.h"

#include "crosstie/value.h"
#include "crosstie/foreign.h"

#include "crosstie/bus.h"
#include "crosstie/dispatcher.h"
#include "crosstie/loop.h"
#include "crosstie/waiting.h"
#include "crosstie/request.h"
#include "crosstie/response.h"
#include "crosstie/call.h"
#include "crosstie/interceptor.h"
#include "crosstie/system_opener.h"
#include "crosstie/route.h"
#include "crosstie/rules.h"
#include "crosstie/stats.h"

#include "crosstie/component.h"
#include "crosstie/declare.h"
#include "crosstie/performer.h"
#include "crosstie/plugin.h"

#include "crosstie/connection.h"
#include "crosstie/dead_letter.h"
#include "crosstie/durable.h"
#include "crosstie/engine.h"
#include "crosstie/listener.h"
#include "crosstie/message.h"
#include "crosstie/sending.h"
#include "crosstie/transport.h"
#include "crosstie/wormhole.h"

#include "crosstie/instance.h"
#include "crosstie/join.h"

#include "crosstie/handoff.h"
#include "crosstie/handoff_names.h"
#include "crosstie/provider.h"
#include "crosstie/provider_system.h"

#endif
