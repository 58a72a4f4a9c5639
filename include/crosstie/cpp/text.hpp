/**
 * @file text.hpp
 * The conversion of texts to C and back: by pointer and length on both sides, without a copy.
 */
#ifndef CROSSTIE_CPP_TEXT_HPP
#define CROSSTIE_CPP_TEXT_HPP

#include <cstddef>
#include <string_view>
#include <vector>

#include "config.hpp"

CROSSTIE_BEGIN

/** Borrowed bytes: the content of a value, or the bytes to make one of. */
struct bytes_view {
    const void *data = nullptr;
    std::size_t size = 0;
};

namespace detail {

inline ctie_str to_c(std::string_view text) noexcept {
    ctie_str result;
    result.data = text.data();
    result.size = text.size();
    return result;
}

inline std::string_view from_c(ctie_str text) noexcept {
    return text.data == nullptr ? std::string_view() : std::string_view(text.data, text.size);
}

/** The bytes of a text in their C form. */
inline ctie_bytes bytes_to_c(std::string_view bytes) noexcept { return ctie_bytes{bytes.data(), bytes.size()}; }

inline std::string_view from_c(ctie_bytes bytes) noexcept {
    return bytes.data == nullptr ? std::string_view()
                                 : std::string_view(static_cast<const char *>(bytes.data), bytes.size);
}

/** Several texts in their C form; the list lives as long as this object. */
class text_array {
public:
    explicit text_array(const std::vector<std::string_view> &texts) {
        items_.reserve(texts.size());
        for (std::string_view text : texts) items_.push_back(to_c(text));
    }

    ctie_str_list list() const noexcept {
        ctie_str_list result;
        result.items = items_.data();
        result.count = items_.size();
        return result;
    }

private:
    std::vector<ctie_str> items_;
};

} // namespace detail
CROSSTIE_END

#endif
