#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace plimsoll::tokenizers {

struct StringHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
        return std::hash<std::string_view>{}(text);
    }
};
using Vocabulary = std::unordered_map<std::string, std::uint32_t, StringHash, std::equal_to<>>;

// Divides text between special tokens into tokens. Not thread-safe: it keeps buffers between texts.
class Subwords {
  public:
    virtual ~Subwords() = default;
    virtual void append(std::string_view text, std::vector<std::uint32_t>& ids) = 0;
    // The same in two steps, for added tokens that are found in between.
    virtual std::string normalized(std::string_view text) { return std::string(text); }
    virtual void append_normalized(std::string_view text, std::vector<std::uint32_t>& ids) {
        append(text, ids);
    }
};

}  // namespace plimsoll::tokenizers
