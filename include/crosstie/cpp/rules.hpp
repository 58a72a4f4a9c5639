/**
 * @file rules.hpp
 * Rule tables of a bus: the URLs that remote origins may open, and their targets.
 */
#ifndef CROSSTIE_CPP_RULES_HPP
#define CROSSTIE_CPP_RULES_HPP

#include "routes.hpp"

CROSSTIE_BEGIN

/** Options for reading a document. */
struct rules_options {
    std::uint32_t flags = 0;   /**< CTIE_RULES_ROLLBACK */
    std::string_view platform; /**< selects one of a rule's targets */
    /** The lists that a document of the older form does not have. */
    std::vector<std::string_view> public_schemes, private_schemes, route_hosts, web_hosts;

    rules_options(std::uint32_t bits = 0) : flags(bits) {}
};

namespace detail {

/** The options in their C form. */
class rules_options_c {
public:
    explicit rules_options_c(const rules_options &options)
        : public_(options.public_schemes), private_(options.private_schemes), routes_(options.route_hosts),
          web_(options.web_hosts) {
        raw_.flags = options.flags;
        raw_.platform = to_c(options.platform);
        raw_.public_schemes = public_.list();
        raw_.private_schemes = private_.list();
        raw_.route_hosts = routes_.list();
        raw_.web_hosts = web_.list();
    }
    const ctie_rules_options *get() const noexcept { return &raw_; }

private:
    text_array public_, private_, routes_, web_;
    ctie_rules_options raw_ = CTIE_RULES_OPTIONS_INIT;
};

} // namespace detail

/** Converts a document of either form to the current one. Returns its JSON text. */
inline result<value> try_convert_rules(std::string_view json, const rules_options &options = {}) {
    detail::error_slot said;
    ctie_value *raw = nullptr;
    const ctie_status got =
        ctie_rules_convert(detail::to_c(json), detail::rules_options_c(options).get(), &raw, said.out());
    return detail::made_value(got, raw, said);
}

/** The same from a file. */
inline result<value> try_convert_rules_file(std::string_view path, const rules_options &options = {}) {
    detail::error_slot said;
    ctie_value *raw = nullptr;
    const ctie_status got =
        ctie_rules_convert_file(detail::to_c(path), detail::rules_options_c(options).get(), &raw, said.out());
    return detail::made_value(got, raw, said);
}

#if CROSSTIE_EXCEPTIONS
inline std::string convert_rules(std::string_view json, const rules_options &options = {}) {
    return try_convert_rules(json, options).take().to<std::string>();
}
inline std::string convert_rules_file(std::string_view path, const rules_options &options = {}) {
    return try_convert_rules_file(path, options).take().to<std::string>();
}
#endif

template <class Bus>
class rules_of {
public:
    /** Loads a rule table, which replaces the previous one. */
    result<void> try_load_rules(std::string_view json, const rules_options &options = {}) const {
        detail::error_slot said;
        return detail::done(
            ctie_rules_load(bus(), detail::to_c(json), detail::rules_options_c(options).get(), said.out()), said);
    }
    CROSSTIE_THROWING(void, load_rules, (std::string_view json, const rules_options &options = {}), (json, options))

    result<void> try_load_rules_file(std::string_view path, const rules_options &options = {}) const {
        detail::error_slot said;
        return detail::done(
            ctie_rules_load_file(bus(), detail::to_c(path), detail::rules_options_c(options).get(), said.out()), said);
    }
    CROSSTIE_THROWING(void, load_rules_file, (std::string_view path, const rules_options &options = {}),
                      (path, options))

    result<void> try_unload_rules() const {
        detail::error_slot said;
        return detail::done(ctie_rules_unload(bus(), said.out()), said);
    }
    CROSSTIE_THROWING(void, unload_rules, (), ())

    /** The loaded table, as a map. */
    result<value> try_rules() const {
        ctie_value *raw = nullptr;
        const ctie_status got = ctie_rules_document(bus(), &raw);
        return detail::made_value(got, raw);
    }
    CROSSTIE_THROWING(value, rules, (), ())

    /** Registers the handler of the rule with an id, in the current table and any later one. */
    result<registration> try_handle_rule(std::string_view id, handler fn, handler_options options = {}) const {
        return detail::with_handler_options<result<registration>>(fn, options, [&](const ctie_handler_options *raw) {
            detail::error_slot said;
            ctie_registration *out = nullptr;
            const ctie_status got = ctie_rules_handle(bus(), detail::to_c(id),
                                                         CTIE_HANDLER_OWNED(fn.fn(), fn.data(), fn.take()), raw, &out,
                                                         said.out());
            return detail::registered(got, out, said);
        });
    }
    CROSSTIE_THROWING(registration, handle_rule, (std::string_view id, handler fn, handler_options options = {}),
                      (id, std::move(fn), std::move(options)))

    /** Sets the handler of every rule that has none of its own; nullptr removes it. */
    result<bool> try_set_navigator(handler fn, handler_options options = {}) const {
        return detail::with_handler_options<result<bool>>(fn, options, [&](const ctie_handler_options *raw) {
            detail::error_slot said;
            return detail::ended(ctie_rules_set_navigator(bus(), CTIE_HANDLER_OWNED(fn.fn(), fn.data(), fn.take()), raw,
                                                          said.out()), said);
        });
    }
    CROSSTIE_THROWING(bool, set_navigator, (handler fn, handler_options options = {}),
                      (std::move(fn), std::move(options)))

    /** Makes a URL that reaches a rule, as a string value. Flags are CTIE_RULES_…. */
    result<value> try_generate_rule(std::string_view name, const value &params = nullptr,
                                    std::uint32_t flags = 0) const {
        detail::error_slot said;
        ctie_value *raw = nullptr;
        const ctie_status got = ctie_rules_generate(bus(), detail::to_c(name), params.get(), flags, &raw,
                                                       said.out());
        return detail::made_value(got, raw, said);
    }
#if CROSSTIE_EXCEPTIONS
    std::string generate_rule(std::string_view name, const value &params = nullptr, std::uint32_t flags = 0) const {
        return try_generate_rule(name, params, flags).take().template to<std::string>();
    }
#endif

private:
    ctie_bus *bus() const noexcept { return static_cast<const Bus *>(this)->get(); }
};

CROSSTIE_END

#endif
