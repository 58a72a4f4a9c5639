/**
 * @file handoff.hpp
 * Handing off from a bus to outside applications and services: sharing, signing in, launching, and the URLs that come back.
 */
#ifndef CROSSTIE_CPP_HANDOFF_HPP
#define CROSSTIE_CPP_HANDOFF_HPP

#include "call.hpp"

CROSSTIE_BEGIN

template <class Bus>
class handoff_of {
public:
    /** Shares a message: a map with the message's kind under "identifier". */
    result<response> try_share(std::string_view endpoint, const value &message, request_options options = {}) const {
        return detail::ask_and_wait(options, [&](auto *raw, auto **answer, auto **said) {
            return ctie_share(bus(), detail::to_c(endpoint), message.get(), raw, answer, said);
        });
    }
    CROSSTIE_THROWING(response, share, (std::string_view endpoint, const value &message, request_options options = {}),
                      (endpoint, message, std::move(options)))

    result<call> try_share_async(std::string_view endpoint, const value &message, completion done = nullptr,
                                 request_options options = {}) const {
        return detail::ask_later(done, options, [&](completion &fn, auto *raw, auto **out, auto **said) {
            return ctie_share_async(bus(), detail::to_c(endpoint), message.get(),
                                    CTIE_COMPLETION_OWNED(fn.fn(), fn.data(), fn.take()), raw, out, said);
        });
    }
    CROSSTIE_THROWING(call, share_async,
                      (std::string_view endpoint, const value &message, completion done = nullptr,
                       request_options options = {}),
                      (endpoint, message, std::move(done), std::move(options)))

    /** Signs a person in. */
    result<response> try_oauth(std::string_view platform, const value &params = nullptr,
                               request_options options = {}) const {
        return detail::ask_and_wait(options, [&](auto *raw, auto **answer, auto **said) {
            return ctie_oauth(bus(), detail::to_c(platform), params.get(), raw, answer, said);
        });
    }
    CROSSTIE_THROWING(response, oauth,
                      (std::string_view platform, const value &params = nullptr, request_options options = {}),
                      (platform, params, std::move(options)))

    result<call> try_oauth_async(std::string_view platform, const value &params = nullptr, completion done = nullptr,
                                 request_options options = {}) const {
        return detail::ask_later(done, options, [&](completion &fn, auto *raw, auto **out, auto **said) {
            return ctie_oauth_async(bus(), detail::to_c(platform), params.get(),
                                    CTIE_COMPLETION_OWNED(fn.fn(), fn.data(), fn.take()), raw, out, said);
        });
    }
    CROSSTIE_THROWING(call, oauth_async,
                      (std::string_view platform, const value &params = nullptr, completion done = nullptr,
                       request_options options = {}),
                      (platform, params, std::move(done), std::move(options)))

    /** Launches a program. */
    result<response> try_launch(std::string_view platform, const value &program = nullptr,
                                request_options options = {}) const {
        return detail::ask_and_wait(options, [&](auto *raw, auto **answer, auto **said) {
            return ctie_launch(bus(), detail::to_c(platform), program.get(), raw, answer, said);
        });
    }
    CROSSTIE_THROWING(response, launch,
                      (std::string_view platform, const value &program = nullptr, request_options options = {}),
                      (platform, program, std::move(options)))

    result<call> try_launch_async(std::string_view platform, const value &program = nullptr, completion done = nullptr,
                                  request_options options = {}) const {
        return detail::ask_later(done, options, [&](completion &fn, auto *raw, auto **out, auto **said) {
            return ctie_launch_async(bus(), detail::to_c(platform), program.get(),
                                     CTIE_COMPLETION_OWNED(fn.fn(), fn.data(), fn.take()), raw, out, said);
        });
    }
    CROSSTIE_THROWING(call, launch_async,
                      (std::string_view platform, const value &program = nullptr, completion done = nullptr,
                       request_options options = {}),
                      (platform, program, std::move(done), std::move(options)))

    /** Delivers a URL to the first provider that claims it. Returns false if none does. */
    result<bool> try_provider_open_url(std::string_view url, origin from, request_options options = {}) const {
        return offer(options, [&](auto *raw, bool *taken, auto **said) {
            return ctie_provider_open_url(bus(), detail::to_c(url), static_cast<ctie_origin>(from), raw, taken, said);
        });
    }
    CROSSTIE_THROWING(bool, provider_open_url, (std::string_view url, origin from, request_options options = {}),
                      (url, from, std::move(options)))

    /** Delivers a user activity to the first provider that claims it. Returns false if none does. */
    result<bool> try_provider_open_activity(const value &activity, origin from, request_options options = {}) const {
        return offer(options, [&](auto *raw, bool *taken, auto **said) {
            return ctie_provider_open_activity(bus(), activity.get(), static_cast<ctie_origin>(from), raw, taken, said);
        });
    }
    CROSSTIE_THROWING(bool, provider_open_activity, (const value &activity, origin from, request_options options = {}),
                      (activity, from, std::move(options)))

private:
    template <class Ask>
    static result<bool> offer(request_options &options, Ask &&ask) {
        detail::request_options_c raw_options(options);
        if (raw_options.status() != CTIE_OK) return error(raw_options.status());
        detail::error_slot said;
        bool taken = false;
        const ctie_status got = ask(raw_options.take(), &taken, said.out());
        return detail::filled(got, taken, said);
    }

    ctie_bus *bus() const noexcept { return static_cast<const Bus *>(this)->get(); }
};

CROSSTIE_END

#endif
