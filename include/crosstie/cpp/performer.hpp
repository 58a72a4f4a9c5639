/**
 * @file performer.hpp
 * Performing on a bus: calling unregistered code by name.
 */
#ifndef CROSSTIE_CPP_PERFORMER_HPP
#define CROSSTIE_CPP_PERFORMER_HPP

#include "routes.hpp"

CROSSTIE_BEGIN

template <class Bus>
class performer_of {
public:
    /** Calls a selector of a target and waits for the answer. */
    result<response> try_perform(std::string_view target, std::string_view selector, const value &params = nullptr,
                                 request_options options = {}) const {
        return detail::ask_and_wait(options, [&](auto *raw, auto **answer, auto **said) {
            return ctie_perform(bus(), ctie_target{detail::to_c(target), detail::to_c(selector)}, params.get(), raw,
                                answer, said);
        });
    }
    CROSSTIE_THROWING(response, perform,
                      (std::string_view target, std::string_view selector, const value &params = nullptr,
                       request_options options = {}),
                      (target, selector, params, std::move(options)))

    /** The same on a worker. */
    result<call> try_perform_async(std::string_view target, std::string_view selector, const value &params = nullptr,
                                   completion done = nullptr, request_options options = {}) const {
        return detail::ask_later(done, options, [&](completion &fn, auto *raw, auto **out, auto **said) {
            return ctie_perform_async(bus(), ctie_target{detail::to_c(target), detail::to_c(selector)}, params.get(),
                                      CTIE_COMPLETION_OWNED(fn.fn(), fn.data(), fn.take()), raw, out, said);
        });
    }
    CROSSTIE_THROWING(call, perform_async,
                      (std::string_view target, std::string_view selector, const value &params = nullptr,
                       completion done = nullptr, request_options options = {}),
                      (target, selector, params, std::move(done), std::move(options)))

    /** Puts a target on the allow-list. */
    result<void> try_allow(std::string_view target) const {
        detail::error_slot said;
        return detail::done(ctie_performer_allow(bus(), detail::to_c(target), said.out()), said);
    }
    CROSSTIE_THROWING(void, allow, (std::string_view target), (target))

    /** Sets the resolver of a prefix; nullptr removes it. */
    result<bool> try_set_resolver(std::string_view prefix, handler fn, handler_options options = {}) const {
        return detail::with_handler_options<result<bool>>(fn, options, [&](const ctie_handler_options *raw) {
            detail::error_slot said;
            return detail::ended(ctie_performer_set_resolver(bus(), detail::to_c(prefix),
                                                             CTIE_HANDLER_OWNED(fn.fn(), fn.data(), fn.take()), raw,
                                                             said.out()), said);
        });
    }
    CROSSTIE_THROWING(bool, set_resolver, (std::string_view prefix, handler fn, handler_options options = {}),
                      (prefix, std::move(fn), std::move(options)))

    /** Sets the handler of targets and selectors that were not found; nullptr removes it. */
    result<bool> try_set_fallback(handler fn, handler_options options = {}) const {
        return detail::with_handler_options<result<bool>>(fn, options, [&](const ctie_handler_options *raw) {
            detail::error_slot said;
            return detail::ended(ctie_performer_set_fallback(bus(), CTIE_HANDLER_OWNED(fn.fn(), fn.data(), fn.take()),
                                                             raw, said.out()), said);
        });
    }
    CROSSTIE_THROWING(bool, set_fallback, (handler fn, handler_options options = {}),
                      (std::move(fn), std::move(options)))

    /** Releases a target's instance that a resolver keeps. */
    result<void> try_release_target(std::string_view target) const {
        detail::error_slot said;
        return detail::done(ctie_performer_release(bus(), detail::to_c(target), said.out()), said);
    }
    CROSSTIE_THROWING(void, release_target, (std::string_view target), (target))

private:
    ctie_bus *bus() const noexcept { return static_cast<const Bus *>(this)->get(); }
};

CROSSTIE_END

#endif
