/**
 * @file provider.hpp
 * Providers: connections to an outside service that share, sign in, launch programs, and take URLs and activities.
 */
#ifndef CROSSTIE_CPP_PROVIDER_HPP
#define CROSSTIE_CPP_PROVIDER_HPP

#include <memory>

#include "component.hpp"

CROSSTIE_BEGIN

/** A callable with a `request &` that returns whether a provider can handle the request. */
class can_function : public detail::callback<ctie_provider_can_fn> {
public:
    can_function(std::nullptr_t = nullptr) noexcept {}
    template <class F, detail::for_callable<can_function, F, request &> = 0>
    can_function(F &&callable) { store(std::forward<F>(callable), &run<std::decay_t<F>>); }

private:
    template <class F>
    static bool run(ctie_request *raw, void *data) noexcept {
        bool can = false;
        detail::guarded_alone([&] {
            request asked(raw);
            can = (*static_cast<F *>(data))(asked);
        });
        return can;
    }
};

/** A callable that returns a bool about a provider's application: whether it is installed, or supported. */
class state_function : public detail::callback<ctie_provider_state_fn> {
public:
    state_function(std::nullptr_t = nullptr) noexcept {}
    template <class F, detail::for_callable<state_function, F> = 0>
    state_function(F &&callable) { store(std::forward<F>(callable), &run<std::decay_t<F>>); }

private:
    template <class F>
    static bool run(void *data) noexcept {
        bool holds = false;
        detail::guarded_alone([&] { holds = (*static_cast<F *>(data))(); });
        return holds;
    }
};

/** Receives the lines that a provider logs: a message, and its location in the source. */
class provider_log_function : public detail::callback<ctie_provider_logger_fn> {
public:
    provider_log_function(std::nullptr_t = nullptr) noexcept {}
    template <class F, detail::for_callable<provider_log_function, F, std::string_view, std::string_view,
                                            std::string_view, std::int32_t> = 0>
    provider_log_function(F &&callable) { store(std::forward<F>(callable), &run<std::decay_t<F>>); }

private:
    template <class F>
    static void run(ctie_str message, ctie_str file, ctie_str function, std::int32_t line, void *data) noexcept {
        detail::guarded_alone([&] {
            (*static_cast<F *>(data))(detail::from_c(message), detail::from_c(file), detail::from_c(function), line);
        });
    }
};

namespace detail {

/** The parts of a provider. */
struct provider_parts {
    /** The callables that live as long as the provider is registered. */
    struct kept {
        handler share, oauth, launch, open_url, open_activity;
        can_function can_share, can_oauth, can_launch, can_open_url, can_open_activity;
        state_function installed, supported;
    };

    std::string name_;
    kept_texts texts_;
    std::vector<std::pair<ctie_str, std::vector<ctie_str>>> endpoints_;
    std::vector<ctie_provider_endpoint> endpoint_list_;
    std::unique_ptr<kept> kept_ = std::make_unique<kept>();
    ctie_provider raw_ = CTIE_PROVIDER_INIT;
    bool lost_ = false;
};

} // namespace detail

/** A provider, built step by step and then passed to bus::add_provider(). It has the capabilities whose function is set. */
class provider : private detail::movable<detail::provider_parts> {
public:
    explicit provider(std::string_view name) { name_ = name; }

    /** Sets the function that shares messages, to the endpoints of endpoint(). */
    provider share(handler fn) && { return set(&kept::share, std::move(fn)); }
    /** Sets the function that signs in to platform(). */
    provider oauth(handler fn) && { return set(&kept::oauth, std::move(fn)); }
    /** Sets the function that launches programs of platform(). */
    provider launch(handler fn) && { return set(&kept::launch, std::move(fn)); }
    /** Sets the function that opens URLs with the scheme app_id(). */
    provider open_url(handler fn) && { return set(&kept::open_url, std::move(fn)); }
    /** Sets the function that continues user activities of universal_link(). */
    provider open_activity(handler fn) && { return set(&kept::open_activity, std::move(fn)); }

    /** Adds an endpoint that it shares to, and the kinds of messages that the endpoint accepts; none: the library's. */
    provider endpoint(std::string_view name, const std::vector<std::string_view> &kinds = {}) && {
        endpoints_.emplace_back(keep(name), std::vector<ctie_str>());
        for (std::string_view kind : kinds) endpoints_.back().second.push_back(keep(kind));
        return std::move(*this);
    }
    provider platform(std::string_view name) && {
        raw_.platform = keep(name);
        return std::move(*this);
    }
    provider app_id(std::string_view scheme) && {
        raw_.app_id = keep(scheme);
        return std::move(*this);
    }
    provider universal_link(std::string_view url) && {
        raw_.universal_link = keep(url);
        return std::move(*this);
    }
    /** Sets the flags: CTIE_PROVIDER_PUBLIC. */
    provider flags(std::uint32_t flags) && {
        raw_.flags = flags;
        return std::move(*this);
    }
    provider runtime(const ctie_runtime *runtime) && {
        raw_.runtime = runtime;
        return std::move(*this);
    }

    /* Each replaces the comparison of its capability. */
    provider can_share(can_function fn) && { return set(&kept::can_share, std::move(fn)); }
    provider can_oauth(can_function fn) && { return set(&kept::can_oauth, std::move(fn)); }
    provider can_launch(can_function fn) && { return set(&kept::can_launch, std::move(fn)); }
    provider can_open_url(can_function fn) && { return set(&kept::can_open_url, std::move(fn)); }
    provider can_open_activity(can_function fn) && { return set(&kept::can_open_activity, std::move(fn)); }
    /** Sets the check whether the application is installed, which runs before it shares, signs in or launches. */
    provider installed(state_function fn) && { return set(&kept::installed, std::move(fn)); }
    provider supported(state_function fn) && { return set(&kept::supported, std::move(fn)); }

    /** CTIE_OK, or the reason why take() must not be called: CTIE_E_INVALID if it was called before. */
    crosstie::status status() const noexcept {
        if (kept_ == nullptr) return CTIE_E_INVALID;
        return lost_ ? CTIE_E_NO_MEMORY : CTIE_OK;
    }

    /**
     * The C struct. Call this in the C call itself, because it gives the functions to C. Texts and endpoints live as long as
     * this object. A second call returns a struct without functions.
     */
    ctie_provider take() noexcept {
        ctie_provider raw = raw_;
        if (kept_ == nullptr) return raw;
        const kept &mine = *kept_;
        raw.name = detail::to_c(name_);
        raw.endpoints = endpoint_list_.data();
        raw.endpoint_count = endpoint_list_.size();
        raw.share = handled<&kept::share>(mine);
        raw.oauth = handled<&kept::oauth>(mine);
        raw.launch = handled<&kept::launch>(mine);
        raw.open_url = handled<&kept::open_url>(mine);
        raw.open_activity = handled<&kept::open_activity>(mine);
        raw.can_share = decided<&kept::can_share>(mine);
        raw.can_oauth = decided<&kept::can_oauth>(mine);
        raw.can_launch = decided<&kept::can_launch>(mine);
        raw.can_open_url = decided<&kept::can_open_url>(mine);
        raw.can_open_activity = decided<&kept::can_open_activity>(mine);
        raw.is_installed = state_of<&kept::installed>(mine);
        raw.is_supported = state_of<&kept::supported>(mine);
        raw.user_data = kept_.release();
        raw.destroy = [](void *data) noexcept { delete static_cast<kept *>(data); };
        return raw;
    }

    /** Lays the endpoints out as C reads them. Call it before take(), because it may throw. */
    void lay_out() {
        endpoint_list_.clear();
        for (const auto &[name, kinds] : endpoints_) {
            ctie_provider_endpoint raw;
            raw.endpoint = name;
            raw.kinds.items = kinds.data();
            raw.kinds.count = kinds.size();
            endpoint_list_.push_back(raw);
        }
    }

private:
    template <class Fn>
    provider set(Fn kept::*member, Fn fn) {
        if (kept_ == nullptr) return std::move(*this);
        lost_ = lost_ || fn.is_lost();
        (*kept_).*member = std::move(fn);
        return std::move(*this);
    }

    template <auto Member>
    static ctie_handler_fn handled(const kept &mine) noexcept {
        if (!(mine.*Member)) return nullptr;
        return [](ctie_request *raw, void *data) noexcept {
            const auto &fn = static_cast<kept *>(data)->*Member;
            fn.fn()(raw, fn.data());
        };
    }

    template <auto Member>
    static ctie_provider_can_fn decided(const kept &mine) noexcept {
        if (!(mine.*Member)) return nullptr;
        return [](ctie_request *raw, void *data) noexcept {
            const auto &fn = static_cast<kept *>(data)->*Member;
            return fn.fn()(raw, fn.data());
        };
    }

    template <auto Member>
    static ctie_provider_state_fn state_of(const kept &mine) noexcept {
        if (!(mine.*Member)) return nullptr;
        return [](void *data) noexcept {
            const auto &fn = static_cast<kept *>(data)->*Member;
            return fn.fn()(fn.data());
        };
    }

    ctie_str keep(std::string_view text) { return texts_.add(text); }
};

/** Options of the system's provider; empty texts are the library's defaults. */
struct system_provider_options {
    std::uint32_t flags = 0; /**< CTIE_SYSTEM_KEEP_FILES */
    std::string_view mail, opener, clipboard, launcher, directory, name;
};

template <class Bus>
class providers_of {
public:
    /** Inserts a provider into the list at a position. */
    result<registration> try_add_provider(provider &&what, std::size_t position = CTIE_PROVIDER_LAST) const {
        if (what.status() != CTIE_OK) return error(what.status());
        what.lay_out();
        detail::error_slot said;
        ctie_registration *out = nullptr;
        const ctie_provider raw = what.take();
        const ctie_status got = ctie_provider_add(bus(), &raw, position, &out, said.out());
        return detail::registered(got, out, said);
    }
    CROSSTIE_THROWING(registration, add_provider, (provider &&what, std::size_t position = CTIE_PROVIDER_LAST),
                      (std::move(what), position))

    /** Replaces all providers in one step. */
    result<bool> try_set_providers(std::vector<provider> providers) const {
        if (providers.size() > CTIE_PROVIDERS_MAX) return error(CTIE_E_LIMIT, "too many providers");
        std::vector<ctie_provider> raw;
        raw.reserve(providers.size());
        for (provider &each : providers) {
            if (each.status() != CTIE_OK) return error(each.status());
            each.lay_out();
        }
        for (provider &each : providers) raw.push_back(each.take());
        detail::error_slot said;
        const ctie_status got = ctie_provider_set_all(bus(), raw.data(), raw.size(), said.out());
        return detail::ended(got, said);
    }
    CROSSTIE_THROWING(bool, set_providers, (std::vector<provider> providers), (std::move(providers)))

    result<void> try_move_provider(std::string_view name, std::size_t position) const {
        detail::error_slot said;
        return detail::done(ctie_provider_move(bus(), detail::to_c(name), position, said.out()), said);
    }
    CROSSTIE_THROWING(void, move_provider, (std::string_view name, std::size_t position), (name, position))

    result<bool> try_remove_provider(std::string_view name) const {
        detail::error_slot said;
        return detail::ended(ctie_provider_remove(bus(), detail::to_c(name), said.out()), said);
    }
    CROSSTIE_THROWING(bool, remove_provider, (std::string_view name), (name))

    /** Lists the providers as maps, in their order. */
    result<value> try_providers() const {
        ctie_value *raw = nullptr;
        const ctie_status got = ctie_provider_list(bus(), &raw);
        return detail::made_value(got, raw);
    }
    CROSSTIE_THROWING(value, providers, (), ())

    /** Inserts the system's provider into the list at a position. */
    result<registration> try_add_system_provider(const system_provider_options &options = {},
                                                 std::size_t position = CTIE_PROVIDER_LAST) const {
        ctie_system_provider_options raw = CTIE_SYSTEM_PROVIDER_OPTIONS_INIT;
        raw.flags = options.flags;
        raw.mail = detail::to_c(options.mail);
        raw.opener = detail::to_c(options.opener);
        raw.clipboard = detail::to_c(options.clipboard);
        raw.launcher = detail::to_c(options.launcher);
        raw.directory = detail::to_c(options.directory);
        raw.name = detail::to_c(options.name);
        detail::error_slot said;
        ctie_registration *out = nullptr;
        const ctie_status got = ctie_provider_add_system(bus(), &raw, position, &out, said.out());
        return detail::registered(got, out, said);
    }
    CROSSTIE_THROWING(registration, add_system_provider,
                      (const system_provider_options &options = {}, std::size_t position = CTIE_PROVIDER_LAST),
                      (options, position))

    /** Logs a line for a provider. File and function are NUL-terminated, or nullptr. */
    result<void> try_provider_log(std::string_view name, std::string_view message, const char *file = nullptr,
                                  const char *function = nullptr, std::int32_t line = 0) const {
        detail::error_slot said;
        return detail::done(ctie_provider_log(bus(), detail::to_c(name), detail::to_c(message), file, function, line,
                                              said.out()),
                            said);
    }
    CROSSTIE_THROWING(void, provider_log,
                      (std::string_view name, std::string_view message, const char *file = nullptr,
                       const char *function = nullptr, std::int32_t line = 0),
                      (name, message, file, function, line))

    /** Sets the function that receives a provider's log; nullptr: the lines go to the bus's log. */
    result<bool> try_set_provider_log(std::string_view name, provider_log_function fn) const {
        if (fn.is_lost()) return error(CTIE_E_NO_MEMORY);
        detail::error_slot said;
        return detail::ended(ctie_provider_set_log(bus(), detail::to_c(name),
                                                   CTIE_PROVIDER_LOGGER_OWNED(fn.fn(), fn.data(), fn.take()),
                                                   said.out()),
                             said);
    }
    CROSSTIE_THROWING(bool, set_provider_log, (std::string_view name, provider_log_function fn), (name, std::move(fn)))

private:
    ctie_bus *bus() const noexcept { return static_cast<const Bus *>(this)->get(); }
};

CROSSTIE_END

#endif
