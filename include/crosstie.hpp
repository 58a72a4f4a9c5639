/**
 * @file crosstie.hpp
 * Crosstie for C++17: handles that release themselves, callbacks from lambdas, values from and to standard types, and
 * failures as exceptions, or as results in programs without exceptions. Header-only, over crosstie.h. See docs/cpp.md.
 */
#ifndef CROSSTIE_HPP
#define CROSSTIE_HPP

#include "crosstie/cpp/bus.hpp"
#include "crosstie/cpp/foreign.hpp"
#include "crosstie/cpp/instance.hpp"
#include "crosstie/cpp/join.hpp"
#include "crosstie/cpp/waiting.hpp"
#include "crosstie/cpp/wormhole.hpp"

CROSSTIE_BEGIN

/** The loaded library's version: major << 16 | minor << 8 | patch, in the form of CTIE_VERSION. */
inline std::uint32_t version() noexcept { return ctie_version(); }

CROSSTIE_END

#endif
