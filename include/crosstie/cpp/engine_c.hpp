/**
 * @file engine_c.hpp
 * An engine in its C form: included by engine.hpp.
 */
#ifndef CROSSTIE_CPP_ENGINE_C_HPP
#define CROSSTIE_CPP_ENGINE_C_HPP

#include "engine.hpp"

CROSSTIE_BEGIN
namespace detail {

/** The functions of an engine for C. The object is their user_data; `close` destroys it. */
class engine_c {
public:
    explicit engine_c(const engine &of) noexcept {
        raw_.size = sizeof raw_;
        add_required();
        add_durables(of.functions());
        add_scheduled(of.functions());
        if ((of.functions() & CTIE_ENGINE_JOINS_BUSES) != 0) add_joins();
        add_batches(of.functions());
        add_dead_letters(of.functions());
    }

    const ctie_engine *get() const noexcept { return &raw_; }

private:
    using milliseconds = std::chrono::milliseconds;

    void add_required() noexcept {
        raw_.open = [](void *data, ctie_str group, const ctie_engine_host *host, std::uint32_t *abilities,
                       std::int64_t left) noexcept {
            return status_of([&] { return self(data).open(from_c(group), engine_host(host), milliseconds(left)); },
                             [&](std::uint32_t got) { *abilities = got; });
        };
        raw_.send = [](void *data, const ctie_engine_message *messages, std::size_t count, const std::uint8_t *token,
                       std::uint64_t *first, std::uint32_t *listeners, std::int64_t left) noexcept {
            return status_of([&] { return self(data).send(all(messages, count), text_of(token), milliseconds(left)); },
                             [&](const engine_sent &got) { *first = got.first, *listeners = got.listeners; });
        };
        raw_.current = [](void *data, ctie_str identifier, ctie_engine_message_fn visit, void *context,
                          std::int64_t left) noexcept {
            return status_of([&] {
                return self(data).current(from_c(identifier), showing(visit, context), milliseconds(left));
            });
        };
        raw_.identifiers = [](void *data, ctie_str topic, ctie_engine_identifier_fn visit, void *context,
                              std::int64_t left) noexcept {
            return status_of([&] {
                return self(data).identifiers(from_c(topic), [=](std::string_view id) { return visit(to_c(id), context); },
                                              milliseconds(left));
            });
        };
        raw_.bind = [](void *data, std::uint64_t binding, const ctie_engine_binding *how, std::int64_t left) noexcept {
            return status_of([&] { return self(data).bind(binding, engine_from_c(how), milliseconds(left)); });
        };
        raw_.credit = [](void *data, std::uint64_t binding, std::uint32_t count) noexcept {
            guarded_alone([&] { self(data).credit(binding, count); });
        };
        raw_.resolve = [](void *data, std::uint64_t binding, const ctie_engine_answer *answers,
                          std::size_t count) noexcept {
            guarded_alone([&] {
                std::vector<engine_answer> made;
                made.reserve(count);
                for (std::size_t i = 0; i < count; i++) made.push_back(engine_from_c(ctie_engine_answer_at(answers, i)));
                self(data).resolve(binding, made);
            });
        };
        raw_.unbind = [](void *data, std::uint64_t binding, std::int64_t left) noexcept {
            return status_of([&] { return self(data).unbind(binding, milliseconds(left)); });
        };
        raw_.members = [](void *data, ctie_engine_member_fn visit, void *context, std::int64_t left) noexcept {
            return status_of([&] {
                return self(data).members([=](const engine_member &of) {
                    ctie_engine_member member{};
                    member.size = sizeof member;
                    member.name = to_c(of.name);
                    member.since = of.since;
                    member.pid = of.pid;
                    member.own = of.own ? 1 : 0;
                    return visit(&member, context);
                }, milliseconds(left));
            });
        };
        raw_.close = [](void *data) noexcept { delete &self(data); };
    }

    void add_durables(std::uint32_t functions) noexcept {
        if ((functions & CTIE_ENGINE_FORGETS) != 0) {
            raw_.forget = [](void *data, ctie_str topic, ctie_str name, std::int64_t left) noexcept {
                return status_of([&] {
                    return self(data).forget(from_c(topic), from_c(name), milliseconds(left));
                });
            };
        }
        if ((functions & CTIE_ENGINE_LISTS_DURABLES) != 0) {
            raw_.durables = [](void *data, ctie_engine_durable_fn visit, void *context, std::int64_t left) noexcept {
                return status_of([&] {
                    return self(data).durables([=](const engine_durable &of) { return engine_show(of, visit, context); },
                                               milliseconds(left));
                });
            };
        }
        if ((functions & CTIE_ENGINE_SEEKS) != 0) {
            raw_.seek = [](void *data, ctie_str topic, ctie_str name, std::uint32_t start, std::uint64_t sequence,
                           std::int64_t time, std::int64_t left) noexcept {
                return status_of([&] {
                    return self(data).seek(from_c(topic), from_c(name), start, sequence, time,
                                           milliseconds(left));
                });
            };
        }
        if ((functions & CTIE_ENGINE_DECLARES) != 0) {
            raw_.declare = [](void *data, ctie_str topic, ctie_str name, const ctie_durable_options *options,
                              std::int64_t left) noexcept {
                return status_of([&] {
                    return self(data).declare(from_c(topic), from_c(name), *options, milliseconds(left));
                });
            };
        }
    }

    void add_scheduled(std::uint32_t functions) noexcept {
        if ((functions & CTIE_ENGINE_LISTS_SCHEDULED) != 0) {
            raw_.scheduled = [](void *data, ctie_str topic, ctie_engine_message_fn visit, void *context,
                                std::int64_t left) noexcept {
                return status_of([&] {
                    return self(data).scheduled(from_c(topic), showing(visit, context), milliseconds(left));
                });
            };
        }
        if ((functions & CTIE_ENGINE_CANCELS) != 0) {
            raw_.cancel = [](void *data, std::uint64_t number, std::int64_t left) noexcept {
                return status_of([&] { return self(data).cancel(number, milliseconds(left)); });
            };
        }
    }

    void add_joins() noexcept {
        raw_.join = [](void *data, std::uint64_t number, std::uint64_t max_frame_size, std::int64_t left) noexcept {
            return status_of([&] { return self(data).join(number, max_frame_size, milliseconds(left)); });
        };
        raw_.send_frame = [](void *data, std::uint64_t join, std::uint64_t peer, ctie_bytes frame,
                             std::uint64_t max_waiting) noexcept {
            return status_of([&] {
                const std::string_view bytes(static_cast<const char *>(frame.data), frame.size);
                return self(data).send_frame(join, peer, bytes, max_waiting);
            });
        };
        raw_.disconnect = [](void *data, std::uint64_t join, std::uint64_t peer) noexcept {
            guarded_alone([&] { self(data).disconnect(join, peer); });
        };
        raw_.leave = [](void *data, std::uint64_t number, std::int64_t left) noexcept {
            return status_of([&] { return self(data).leave(number, milliseconds(left)); });
        };
    }

    void add_batches(std::uint32_t functions) noexcept {
        if ((functions & CTIE_ENGINE_BATCHES) == 0) return;
        raw_.send_each = [](void *data, const ctie_engine_message *messages, std::size_t count,
                            const std::uint8_t *token, std::uint64_t *first, std::size_t *sent,
                            std::int64_t left) noexcept {
            ctie_status next = CTIE_OK;
            const ctie_status got = status_of(
                [&] { return self(data).send_each(all(messages, count), text_of(token), milliseconds(left)); },
                [&](const engine_sent_each &made) { *first = made.first, *sent = made.sent, next = made.status; });
            return got != CTIE_OK || next == CTIE_OK ? got : status_of_error(next);
        };
    }

    void add_dead_letters(std::uint32_t functions) noexcept {
        if ((functions & CTIE_ENGINE_DEAD_LETTERS) == 0) return;
        raw_.dead_letters = [](void *data, ctie_str topic, ctie_str name, std::uint64_t after, std::size_t limit,
                               std::uint32_t has_values, ctie_engine_dead_letter_fn visit, void *context,
                               std::int64_t left) noexcept {
            return status_of([&] {
                return self(data).dead_letters(
                    from_c(topic), from_c(name), after, limit, has_values != 0,
                    [=](const engine_dead_letter &of) { return engine_show(of, visit, context); }, milliseconds(left));
            });
        };
        raw_.end_dead_letters = [](void *data, ctie_str topic, ctie_str name, std::uint64_t sequence,
                                   std::uint32_t action, std::uint64_t *count, std::int64_t left) noexcept {
            return status_of([&] {
                return self(data).end_dead_letters(from_c(topic), from_c(name), sequence, action, *count,
                                                   milliseconds(left));
            });
        };
    }

    static engine &self(void *data) noexcept { return *static_cast<engine *>(data); }

    static std::string_view text_of(const std::uint8_t *token) noexcept {
        return token == nullptr ? std::string_view()
                                : std::string_view(reinterpret_cast<const char *>(token), CTIE_TRANSPORT_TOKEN_SIZE);
    }

    static std::vector<engine_message> all(const ctie_engine_message *messages, std::size_t count) {
        std::vector<engine_message> made;
        made.reserve(count);
        for (std::size_t i = 0; i < count; i++) made.push_back(engine_from_c(ctie_engine_message_at(messages, i)));
        return made;
    }

    static engine_visitor<engine_message> showing(ctie_engine_message_fn visit, void *context) {
        return [=](const engine_message &of) {
            const engine_message_c one(of);
            return visit(&one.get(), context);
        };
    }

    ctie_engine raw_{};
};

} // namespace detail
CROSSTIE_END

#endif
