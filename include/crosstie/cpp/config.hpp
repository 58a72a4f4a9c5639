/**
 * @file config.hpp
 * How the C++ headers are compiled: with exceptions or without, and how a throwing function is made of one that does
 * not throw.
 */
#ifndef CROSSTIE_CPP_CONFIG_HPP
#define CROSSTIE_CPP_CONFIG_HPP

#if !defined(__cplusplus) || __cplusplus < 201703L
#error "crosstie.hpp needs C++17"
#endif

#include "../../crosstie.h"

#if defined(__cpp_exceptions)
#define CROSSTIE_EXCEPTIONS 1
#else
#define CROSSTIE_EXCEPTIONS 0
#endif

/**
 * Declares `name`, which throws crosstie::error, beside `try_name`, which gives a crosstie::result. Without exceptions
 * there is the latter alone.
 */
#if CROSSTIE_EXCEPTIONS
#define CROSSTIE_THROWING(type, name, parameters, arguments) \
    type name parameters const { return try_##name arguments.take(); }
#define CROSSTIE_THROWING_STATIC(type, name, parameters, arguments) \
    static type name parameters { return try_##name arguments.take(); }
#else
#define CROSSTIE_THROWING(type, name, parameters, arguments)
#define CROSSTIE_THROWING_STATIC(type, name, parameters, arguments)
#endif

#endif
