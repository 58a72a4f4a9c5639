/**
 * @file component.hpp
 * Components: named sets of actions, of callables or of the methods of an object.
 */
#ifndef CROSSTIE_CPP_COMPONENT_HPP
#define CROSSTIE_CPP_COMPONENT_HPP

#include <deque>

#include "call.hpp"
#include "registration.hpp"

namespace crosstie {

namespace detail {

/** A method as a handler of C: the object is the component's instance. */
template <class Member>
struct method_traits;
template <class T, class R>
struct method_traits<R (T::*)(request &)> {
    using object = T;
};
template <class T, class R>
struct method_traits<R (T::*)(const request &)> {
    using object = T;
};
template <class T, class R>
struct method_traits<R (T::*)(request &) const> {
    using object = const T;
};
template <class T, class R>
struct method_traits<R (T::*)(const request &) const> {
    using object = const T;
};

template <auto Method>
void run_method(ctie_request *raw, void *instance) noexcept {
    auto *object = static_cast<typename method_traits<decltype(Method)>::object *>(instance);
    handler::call(raw, [object](request &asked) { return (object->*Method)(asked); });
}

} // namespace detail

/**
 * A component, built up and then given to bus::add(), or to a declared_component:
 *
 *     bus.add(crosstie::component("clock").action("now", [](crosstie::request &) { return 12; })).keep();
 *
 * With a factory it has an object of its own, made when it is registered or, if it is lazy, at the first call.
 */
class component {
public:
    explicit component(std::string_view name) : name_(name) {}

    /** An action that a callable handles. */
    component &&action(std::string_view name, handler fn, std::uint32_t flags = 0, std::string_view doc = {}) && {
        lost_ = lost_ || fn.is_lost();
        const ctie_handler_fn raw = fn.fn();
        void *data = fn.data();
        kept_->handlers.push_back(std::move(fn));
        add(name, raw, data, flags, doc);
        return std::move(*this);
    }

    /** An event that a callable hears. */
    component &&event(std::string_view name, handler fn) && {
        return std::move(*this).action(name, std::move(fn), CTIE_ACTION_EVENT);
    }

    /** An action that a method of the instance handles: method<&Clock::now>("now"). It needs a factory. */
    template <auto Method>
    component &&method(std::string_view name, std::uint32_t flags = 0, std::string_view doc = {}) && {
        add(name, &detail::run_method<Method>, nullptr, flags, doc);
        return std::move(*this);
    }

    /** Makes the instance: a callable that gives a std::unique_ptr, nullptr for a failure. */
    template <class F>
    component &&factory(F make) && {
        using object = typename std::invoke_result_t<F &>::element_type;
        kept_->make = std::make_unique<maker_of<F>>(std::move(make));
        factory_.fn = [](void *data) noexcept -> void * { return static_cast<kept *>(data)->make->make(); };
        factory_.end = [](void *instance) noexcept { delete static_cast<object *>(instance); };
        return std::move(*this);
    }

    /** CTIE_COMPONENT_…, or'ed together. */
    component &&flags(std::uint32_t flags) && {
        options_.flags = flags;
        return std::move(*this);
    }
    component &&priority(std::int32_t priority) && {
        options_.priority = priority;
        return std::move(*this);
    }
    component &&doc(std::string_view text) && {
        options_.doc = keep(text);
        return std::move(*this);
    }
    component &&type(std::string_view text) && {
        options_.type = keep(text);
        return std::move(*this);
    }
    /** Of what listings say; "c++" by default. */
    component &&language(std::string_view text) && {
        options_.language = keep(text);
        return std::move(*this);
    }
    /** Where its asynchronous calls run. */
    component &&dispatcher(std::string_view name) && {
        options_.dispatcher = keep(name);
        return std::move(*this);
    }
    component &&runtime(const ctie_runtime *runtime) && {
        options_.runtime = runtime;
        return std::move(*this);
    }
    /** Before its actions, in their order. */
    component &&interceptor(handler fn) && {
        interceptors_.push_back(std::move(fn));
        return std::move(*this);
    }

    /** Registers it; bus::try_add() calls this. */
    result<registration> try_add_to(ctie_bus *bus) && {
        detail::interceptor_array interceptors(interceptors_);
        if (lost_ || interceptors.is_lost()) return error(CTIE_E_NO_MEMORY);
        options_.interceptor_count = interceptors.size();
        options_.interceptors = interceptors.size() == 0 ? nullptr : interceptors.take();
        detail::error_slot said;
        ctie_registration *out = nullptr;
        factory_.user_data = kept_.release();
        factory_.destroy = [](void *mine) noexcept { delete static_cast<kept *>(mine); };
        const ctie_status status =
            ctie_component_add(bus, detail::to_c(name_), ctie_action_list{actions_.data(), actions_.size()}, factory_,
                               &options_, &out, said.out());
        return detail::registered(status, out, said);
    }

private:
    friend class declared_component;

    struct maker {
        virtual ~maker() = default;
        virtual void *make() noexcept = 0;
    };

    template <class F>
    struct maker_of final : maker {
        explicit maker_of(F callable) : make_(std::move(callable)) {}
        void *make() noexcept override {
            void *object = nullptr;
            detail::guarded_alone([&] { object = make_().release(); });
            return object;
        }
        F make_;
    };

    /** What lives as long as the component is registered. */
    struct kept {
        std::vector<handler> handlers;
        std::unique_ptr<maker> make;
    };

    ctie_str keep(std::string_view text) {
        texts_.emplace_back(text);
        return detail::to_c(texts_.back());
    }

    void add(std::string_view name, ctie_handler_fn fn, void *data, std::uint32_t flags, std::string_view doc) {
        ctie_action action;
        action.name = keep(name);
        action.fn = fn;
        action.user_data = data;
        action.flags = flags;
        action.doc = keep(doc);
        actions_.push_back(action);
    }

    static ctie_component_options cpp_options() noexcept {
        ctie_component_options options = CTIE_COMPONENT_OPTIONS_INIT;
        options.language = CTIE_STR("c++");
        return options;
    }

    std::string name_;
    std::deque<std::string> texts_; // a deque leaves each where it is
    std::vector<ctie_action> actions_;
    std::vector<handler> interceptors_;
    std::unique_ptr<kept> kept_ = std::make_unique<kept>();
    ctie_component_options options_ = cpp_options();
    ctie_factory factory_ = CTIE_INSTANCE(nullptr);
    bool lost_ = false;
};

/**
 * A component that is declared for the life of the process: buses with CTIE_BUS_STATIC have it, and a shared object
 * that
 * has one is a plug-in. It is a variable of static storage, and by it the library knows whose component it is:
 *
 *     static crosstie::declared_component clock(crosstie::component("clock").action("now", now));
 *
 * What it holds is never destroyed. It has no interceptors.
 */
class declared_component {
public:
    explicit declared_component(component &&what) noexcept {
        detail::guarded([&] { status_ = declare(std::move(what)); },
                        [this](ctie_status status, std::int32_t, const char *, const error *) { status_ = status; });
    }
    declared_component(const declared_component &) = delete;
    declared_component &operator=(const declared_component &) = delete;

    /** CTIE_OK, or why it was refused: as for ctie_component_declare(). */
    crosstie::status status() const noexcept { return status_; }

private:
    /** What the declaration points to. */
    struct parts {
        explicit parts(component &&what) : from(std::move(what)) {
            actions.resize(from.actions_.size());
            for (std::size_t i = 0; i < actions.size(); i++) {
                actions[i].action = from.actions_[i];
                actions[i].next = i + 1 < actions.size() ? &actions[i + 1] : nullptr;
            }
        }
        component from;
        std::vector<ctie_declared_action> actions;
    };

    ctie_status declare(component &&what) {
        if (what.lost_) return CTIE_E_NO_MEMORY;
        if (!what.interceptors_.empty()) return CTIE_E_INVALID;
        auto held = std::make_unique<parts>(std::move(what));
        raw_.size = sizeof raw_;
        raw_.form = CTIE_DECLARATION_FORM;
        raw_.name = detail::to_c(held->from.name_);
        raw_.actions = held->actions.data();
        raw_.factory = held->from.factory_;
        raw_.factory.user_data = held->from.kept_.get();
        raw_.options = &held->from.options_;
        const ctie_status status = ctie_component_declare(&raw_, nullptr);
        if (status == CTIE_OK) parts_ = held.release();
        return status;
    }

    ctie_declaration raw_{};
    parts *parts_ = nullptr;
    ctie_status status_ = CTIE_E_INVALID;
};

template <class Bus>
class components_of {
public:
    /** Registers a component. */
    result<registration> try_add(component &&what) const { return std::move(what).try_add_to(bus()); }
    CROSSTIE_THROWING(registration, add, (component &&what), (std::move(what)))

    result<bool> try_remove_component(std::string_view name) const {
        return detail::ended(ctie_component_remove(bus(), detail::to_c(name)));
    }
    CROSSTIE_THROWING(bool, remove_component, (std::string_view name), (name))

    /** Removes every component that has this instance. */
    result<bool> try_remove_instance(const void *instance) const {
        return detail::ended(ctie_component_remove_instance(bus(), instance));
    }
    CROSSTIE_THROWING(bool, remove_instance, (const void *instance), (instance))

    /** Removes every component of a type. */
    result<bool> try_remove_type(std::string_view type) const {
        return detail::ended(ctie_component_remove_type(bus(), detail::to_c(type)));
    }
    CROSSTIE_THROWING(bool, remove_type, (std::string_view type), (type))

    /** A list of maps, by name. */
    result<value> try_components() const {
        ctie_value *raw = nullptr;
        const ctie_status status = ctie_component_list(bus(), &raw);
        return detail::made_value(status, raw);
    }
    CROSSTIE_THROWING(value, components, (), ())

    /** Calls an action and waits: call("clock", "now", {{"zone", "UTC"}}). */
    result<response> try_call(std::string_view component, std::string_view action, const value &params = nullptr,
                              request_options options = {}) const {
        return detail::ask_and_wait(options, [&](auto *raw, auto **answer, auto **said) {
            return ctie_component_call(bus(), ctie_target{detail::to_c(component), detail::to_c(action)}, params.get(),
                                       raw, answer, said);
        });
    }
    CROSSTIE_THROWING(response, call,
                      (std::string_view component, std::string_view action, const value &params = nullptr,
                       request_options options = {}),
                      (component, action, params, std::move(options)))

    /** Calls an action on a worker. */
    result<crosstie::call> try_call_async(std::string_view component, std::string_view action,
                                          const value &params = nullptr, completion done = nullptr,
                                          request_options options = {}) const {
        return detail::ask_later(done, options, [&](completion &fn, auto *raw, auto **out, auto **said) {
            return ctie_component_call_async(bus(), ctie_target{detail::to_c(component), detail::to_c(action)},
                                             params.get(), CTIE_COMPLETION_OWNED(fn.fn(), fn.data(), fn.take()), raw,
                                             out, said);
        });
    }
    CROSSTIE_THROWING(crosstie::call, call_async,
                      (std::string_view component, std::string_view action, const value &params = nullptr,
                       completion done = nullptr, request_options options = {}),
                      (component, action, params, std::move(done), std::move(options)))

    /** Runs an event over every component that hears it: a map with "count", "any" and "failures". */
    result<value> try_broadcast(std::string_view event, const value &params = nullptr,
                                request_options options = {}) const {
        detail::request_options_c raw_options(options);
        if (raw_options.is_lost()) return error(CTIE_E_NO_MEMORY);
        detail::error_slot said;
        ctie_value *raw = nullptr;
        const ctie_status status = ctie_component_broadcast(bus(), detail::to_c(event), params.get(),
                                                            raw_options.take(),
                                                            &raw, said.out());
        return detail::made_value(status, raw, said);
    }
    CROSSTIE_THROWING(value, broadcast,
                      (std::string_view event, const value &params = nullptr, request_options options = {}),
                      (event, params, std::move(options)))

    /** The same on a worker. */
    result<crosstie::call> try_broadcast_async(std::string_view event, const value &params = nullptr,
                                               completion done = nullptr, request_options options = {}) const {
        return detail::ask_later(done, options, [&](completion &fn, auto *raw, auto **out, auto **said) {
            return ctie_component_broadcast_async(bus(), detail::to_c(event), params.get(),
                                                  CTIE_COMPLETION_OWNED(fn.fn(), fn.data(), fn.take()), raw, out, said);
        });
    }
    CROSSTIE_THROWING(crosstie::call, broadcast_async,
                      (std::string_view event, const value &params = nullptr, completion done = nullptr,
                       request_options options = {}),
                      (event, params, std::move(done), std::move(options)))

    /** Opens a shared object and registers the components that it declares. How many it brought. */
    result<std::size_t> try_load_plugin(std::string_view path) const {
        detail::error_slot said;
        std::size_t count = 0;
        const ctie_status status = ctie_plugin_load(bus(), detail::to_c(path), &count, said.out());
        return detail::filled(status, count, said);
    }
    CROSSTIE_THROWING(std::size_t, load_plugin, (std::string_view path), (path))

    result<bool> try_unload_plugin(std::string_view path) const {
        return detail::ended(ctie_plugin_unload(bus(), detail::to_c(path)));
    }
    CROSSTIE_THROWING(bool, unload_plugin, (std::string_view path), (path))

private:
    ctie_bus *bus() const noexcept { return static_cast<const Bus *>(this)->get(); }
};

} // namespace crosstie

#endif
