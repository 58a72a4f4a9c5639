/**
 * @file config.hpp
 * The form of the C++ headers, with exceptions or without, and macros that derive a throwing function from one that does
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

/*
 * Files compiled with and without exceptions, or type information, have different definitions of the same names, and may
 * be linked into one program. So each form has an inline namespace of its own, which programs need not write.
 */
#if CROSSTIE_EXCEPTIONS && defined(__cpp_rtti)
#define CROSSTIE_FORM throwing
#elif CROSSTIE_EXCEPTIONS
#define CROSSTIE_FORM throwing_without_rtti
#elif defined(__cpp_rtti)
#define CROSSTIE_FORM not_throwing
#else
#define CROSSTIE_FORM not_throwing_without_rtti
#endif

#define CROSSTIE_BEGIN \
    namespace crosstie { \
    inline namespace CROSSTIE_FORM {
#define CROSSTIE_END \
    } \
    }

/**
 * Declares `name`, which throws crosstie::error, beside `try_name`, which returns a crosstie::result. Without exceptions
 * only the latter exists.
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
