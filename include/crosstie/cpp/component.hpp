/**
 * @file component.hpp
 * Components: named sets of actions, which are callables or methods of an object.
 */
#ifndef CROSSTIE_CPP_COMPONENT_HPP
#define CROSSTIE_CPP_COMPONENT_HPP

#include <forward_list>
#include <memory>

#include "call.hpp"
#include "registration.hpp"

CROSSTIE_BEGIN

namespace detail {

/** The class of a method. */
template <class Method>
struct method_traits;
template <class F, class T>
struct method_traits<F T::*> {
    using object = T;
};

/** A variable whose address identifies a type, also without type information. */
template <class T>
inline char tag_of = 0;

/** Runs a method as a C handler: the object is the component's instance, which is a T. */
template <auto Method, class T>
void run_method(ctie_request *raw, void *instance) noexcept {
    handler::call(raw, [instance](request &asked) { return (static_cast<T *>(instance)->*Method)(asked); });
}

/** The factory of a component's instance. */
struct maker {
    virtual ~maker() = default;
    virtual void *make() noexcept = 0;
};

template <class F>
struct maker_of final : maker {
    explicit maker_of(F callable) : make_(std::move(callable)) {}
    void *make() noexcept override {
        void *object = nullptr;
        guarded_alone([&] { object = make_().release(); });
        return object;
    }
    F make_;
};

/** Parts that are moved as a whole. A move onto itself changes nothing. */
template <class Parts>
struct movable : Parts {
    movable() = default;
    movable(movable &&) noexcept = default;
    movable &operator=(movable &&other) noexcept {
        if (this != &other) static_cast<Parts &>(*this) = static_cast<Parts &&>(other);
        return *this;
    }
};

/** Copies of texts, at stable addresses. */
class kept_texts {
public:
    ctie_str add(std::string_view text) {
        texts_.emplace_front(text);
        return to_c(texts_.front());
    }

private:
    std::forward_list<std::string> texts_;
};

/** The parts of a component. */
struct component_parts {
    /** The callables that live as long as the component is registered. */
    struct kept {
        std::vector<handler> handlers;
        std::unique_ptr<maker> make;
    };

    static ctie_component_options cpp_options() noexcept {
        ctie_component_options options = CTIE_COMPONENT_OPTIONS_INIT;
        options.language = CTIE_STR("c++");
        return options;
    }

    std::string name_;
    kept_texts texts_;
    std::vector<ctie_action> actions_;
    std::vector<handler> interceptors_;
    std::unique_ptr<kept> kept_ = std::make_unique<kept>();
    ctie_component_options options_ = cpp_options();
    ctie_factory factory_ = CTIE_INSTANCE(nullptr);
    std::vector<const char *> methods_; // the tags of their objects' types
    const char *made_ = nullptr;        // the tag of the factory's class
    bool lost_ = false;
};

} // namespace detail

/**
 * A component, built step by step and then passed to bus::add() or to a declared_component:
 *
 *     bus.add(crosstie::component("clock").action("now", [](crosstie::request &) { return 12; })).keep();
 *
 * With a factory it has an instance of its own, made when it is registered or, if it is lazy, at the first call.
 */
class component : private detail::movable<detail::component_parts> {
public:
    explicit component(std::string_view name) { name_ = name; }

    /** Adds an action that a callable handles. */
    component action(std::string_view name, handler fn, std::uint32_t flags = 0, std::string_view doc = {}) && {
        if (kept_ == nullptr) return std::move(*this);
        lost_ = lost_ || fn.is_lost();
        const ctie_handler_fn raw = fn.fn();
        void *data = fn.data();
        kept_->handlers.push_back(std::move(fn));
        add(name, raw, data, flags, doc);
        return std::move(*this);
    }

    /** Adds an event action that a callable handles. */
    component event(std::string_view name, handler fn) && {
        return std::move(*this).action(name, std::move(fn), CTIE_ACTION_EVENT);
    }

    /**
     * Adds an action that a method of the instance handles: method<&Clock::now>("now"). It needs a factory of the class that
     * declares the method. For an inherited method, name the class: method<&Clock::name, Clock>("name").
     */
    template <auto Method, class T = typename detail::method_traits<decltype(Method)>::object>
    component method(std::string_view name, std::uint32_t flags = 0, std::string_view doc = {}) && {
        static_assert(std::is_invocable_v<decltype(Method), T &, request &>, "a method takes a request &");
        methods_.push_back(&detail::tag_of<T>);
        add(name, &detail::run_method<Method, T>, nullptr, flags, doc);
        return std::move(*this);
    }

    /** Sets the factory of the instance: a callable that returns a std::unique_ptr, nullptr for a failure. */
    template <class F>
    component factory(F make) && {
        using object = typename std::invoke_result_t<F &>::element_type;
        static_assert(std::is_same_v<std::invoke_result_t<F &>, std::unique_ptr<object>> && !std::is_const_v<object>,
                      "a factory gives a std::unique_ptr");
        if (kept_ == nullptr) return std::move(*this);
        kept_->make = std::make_unique<detail::maker_of<F>>(std::move(make));
        made_ = &detail::tag_of<object>;
        factory_.fn = [](void *data) noexcept -> void * { return static_cast<kept *>(data)->make->make(); };
        factory_.end = [](void *instance) noexcept { delete static_cast<object *>(instance); };
        return std::move(*this);
    }

    /** Sets the flags: CTIE_COMPONENT_…, or'ed together. */
    component flags(std::uint32_t flags) && {
        options_.flags = flags;
        return std::move(*this);
    }
    component priority(std::int32_t priority) && {
        options_.priority = priority;
        return std::move(*this);
    }
    component doc(std::string_view text) && {
        options_.doc = keep(text);
        return std::move(*this);
    }
    component type(std::string_view text) && {
        options_.type = keep(text);
        return std::move(*this);
    }
    /** Sets the language for listings; "c++" by default. */
    component language(std::string_view text) && {
        options_.language = keep(text);
        return std::move(*this);
    }
    /** Sets the dispatcher that runs its asynchronous calls. */
    component dispatcher(std::string_view name) && {
        options_.dispatcher = keep(name);
        return std::move(*this);
    }
    component runtime(const ctie_runtime *runtime) && {
        options_.runtime = runtime;
        return std::move(*this);
    }
    /** Adds an interceptor before its actions; they run in the order of adding. */
    component interceptor(handler fn) && {
        interceptors_.push_back(std::move(fn));
        return std::move(*this);
    }

    /** Registers it; bus::try_add() calls this. */
    result<registration> try_add_to(ctie_bus *bus) && {
        if (const result<void> able = check(); !able) return able.error();
        detail::interceptor_array interceptors(interceptors_);
        if (interceptors.status() != CTIE_OK) return error(interceptors.status());
        options_.interceptor_count = interceptors.size();
        options_.interceptors = interceptors.take();
        detail::error_slot said;
        ctie_registration *out = nullptr;
        factory_.user_data = kept_.release();
        factory_.destroy = [](void *mine) noexcept { delete static_cast<kept *>(mine); };
        const ctie_status got =
            ctie_component_add(bus, detail::to_c(name_), ctie_action_list{actions_.data(), actions_.size()}, factory_,
                               &options_, &out, said.out());
        return detail::registered(got, out, said);
    }

private:
    friend class declared_component;

    /** Checks that the component can be registered. */
    result<void> check() const {
        if (kept_ == nullptr) return error(CTIE_E_INVALID, "the component was given away before");
        if (lost_) return error(CTIE_E_NO_MEMORY);
        for (const char *tag : methods_) {
            if (tag != made_) return error(CTIE_E_INVALID, "a method is of another class than the factory makes");
        }
        return {};
    }

    ctie_str keep(std::string_view text) { return texts_.add(text); }

    void add(std::string_view name, ctie_handler_fn fn, void *data, std::uint32_t flags, std::string_view doc) {
        ctie_action action;
        action.name = keep(name);
        action.fn = fn;
        action.user_data = data;
        action.flags = flags;
        action.doc = keep(doc);
        actions_.push_back(action);
    }
};

/**
 * A component that is declared for the life of the process: buses with CTIE_BUS_STATIC have it, and a shared object
 * that has one is a plug-in. It must be a variable of static storage, by which the library finds the component's owner:
 *
 *     static crosstie::declared_component clock(crosstie::component("clock").action("now", now));
 *
 * Its callables are never destroyed. It has no interceptors.
 */
class declared_component {
public:
    explicit declared_component(component &&what) noexcept {
        detail::guarded([&] { status_ = declare(std::move(what)); },
                        [this](ctie_status got, std::int32_t, const char *, const error *) { status_ = got; });
    }
    declared_component(const declared_component &) = delete;
    declared_component &operator=(const declared_component &) = delete;

    /** The result of the declaration, as of ctie_component_declare(). */
    crosstie::status status() const noexcept { return status_; }

private:
    /** The data that the declaration points to. */
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
        if (const result<void> able = what.check(); !able) return able.status();
        if (!what.interceptors_.empty()) return CTIE_E_INVALID;
        auto held = std::make_unique<parts>(std::move(what));
        raw_.size = sizeof raw_;
        raw_.form = CTIE_DECLARATION_FORM;
        raw_.name = detail::to_c(held->from.name_);
        raw_.actions = held->actions.data();
        raw_.factory = held->from.factory_;
        raw_.factory.user_data = held->from.kept_.get();
        raw_.options = &held->from.options_;
        const ctie_status got = ctie_component_declare(&raw_, nullptr);
        if (got == CTIE_OK) parts_ = held.release();
        return got;
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
        detail::error_slot said;
        return detail::ended(ctie_component_remove(bus(), detail::to_c(name), said.out()), said);
    }
    CROSSTIE_THROWING(bool, remove_component, (std::string_view name), (name))

    /** Removes every component that has this instance. */
    result<bool> try_remove_instance(const void *instance) const {
        detail::error_slot said;
        return detail::ended(ctie_component_remove_instance(bus(), instance, said.out()), said);
    }
    CROSSTIE_THROWING(bool, remove_instance, (const void *instance), (instance))

    /** Removes every component of a type. */
    result<bool> try_remove_type(std::string_view type) const {
        detail::error_slot said;
        return detail::ended(ctie_component_remove_type(bus(), detail::to_c(type), said.out()), said);
    }
    CROSSTIE_THROWING(bool, remove_type, (std::string_view type), (type))

    /** Lists the components as maps, by name. */
    result<value> try_components() const {
        ctie_value *raw = nullptr;
        const ctie_status got = ctie_component_list(bus(), &raw);
        return detail::made_value(got, raw);
    }
    CROSSTIE_THROWING(value, components, (), ())

    /** Lists the components, followed by those of peers that the bus imports, each with its "peer". */
    result<value> try_components_anywhere() const {
        detail::error_slot said;
        ctie_value *raw = nullptr;
        const ctie_status got = ctie_component_list_anywhere(bus(), &raw, said.out());
        return detail::made_value(got, raw, said);
    }
    CROSSTIE_THROWING(value, components_anywhere, (), ())

    /** Calls an action and waits for the answer: call("clock", "now", {{"zone", "UTC"}}). */
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

    /** Broadcasts an event to every component that has it. Returns a map with "count", "any" and "failures". */
    result<value> try_broadcast(std::string_view event, const value &params = nullptr,
                                request_options options = {}) const {
        detail::request_options_c raw_options(options);
        if (raw_options.status() != CTIE_OK) return error(raw_options.status());
        detail::error_slot said;
        ctie_value *raw = nullptr;
        const ctie_status got = ctie_component_broadcast(bus(), detail::to_c(event), params.get(),
                                                            raw_options.take(),
                                                            &raw, said.out());
        return detail::made_value(got, raw, said);
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

    /** Opens a shared object and registers the components that it declares. Returns their number. */
    result<std::size_t> try_load_plugin(std::string_view path) const {
        detail::error_slot said;
        std::size_t count = 0;
        const ctie_status got = ctie_plugin_load(bus(), detail::to_c(path), &count, said.out());
        return detail::filled(got, count, said);
    }
    CROSSTIE_THROWING(std::size_t, load_plugin, (std::string_view path), (path))

    result<bool> try_unload_plugin(std::string_view path) const {
        detail::error_slot said;
        return detail::ended(ctie_plugin_unload(bus(), detail::to_c(path), said.out()), said);
    }
    CROSSTIE_THROWING(bool, unload_plugin, (std::string_view path), (path))

private:
    ctie_bus *bus() const noexcept { return static_cast<const Bus *>(this)->get(); }
};

CROSSTIE_END

#endif
