#include "engine/tokenizers/byte_pairs.hpp"

#include "engine/text/utf8.hpp"
#include "engine/tokenizers/characters.hpp"

#include <array>
#include <queue>

namespace plimsoll::tokenizers {

namespace {

enum class Sort { letter, number, space, other };

Sort sort_of(char32_t c) {
    if (is(CharacterClass::letter, c)) return Sort::letter;
    if (is(CharacterClass::number, c)) return Sort::number;
    return is(CharacterClass::space, c) ? Sort::space : Sort::other;
}

struct Character {
    Sort sort;
    std::size_t end;
};

Character character_at(std::string_view text, std::size_t at) {
    const auto decoded = text::decode_utf8(text, at);
    return {sort_of(decoded.code_point), at + decoded.length};
}

std::size_t end_of_contraction(std::string_view text, std::size_t at) {
    using namespace std::literals;
    for (const auto one : {"'s"sv, "'t"sv, "'re"sv, "'ve"sv, "'m"sv, "'ll"sv, "'d"sv})
        if (text.substr(at).starts_with(one)) return at + one.size();
    return at;
}

std::size_t end_of_run(std::string_view text, std::size_t at, Sort sort) {
    while (at < text.size()) {
        const auto next = character_at(text, at);
        if (next.sort != sort) break;
        at = next.end;
    }
    return at;
}

// Spaces, but not the last one where something follows: that one belongs to the next word.
std::size_t end_of_spaces(std::string_view text, std::size_t at) {
    std::size_t before_last = at;
    std::size_t end = at;
    while (end < text.size()) {
        const auto next = character_at(text, end);
        if (next.sort != Sort::space) break;
        before_last = end;
        end = next.end;
    }
    return end == text.size() || before_last == at ? end : before_last;
}

// The character that stands for a byte: itself where it is printable, else the next unused one
// from 256 on.
std::array<char32_t, 256> characters_of_bytes() {
    std::array<char32_t, 256> characters{};
    char32_t next = 256;
    for (char32_t byte = 0; byte < 256; ++byte) {
        const bool printable =
            (byte >= U'!' && byte <= U'~') || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
        characters[byte] = printable ? byte : next++;
    }
    return characters;
}

}  // namespace

std::size_t end_of_word(std::string_view text, std::size_t at) {
    if (const auto end = end_of_contraction(text, at); end != at) return end;
    const auto first = character_at(text, at);
    if (first.sort != Sort::space) return end_of_run(text, first.end, first.sort);
    if (text[at] == ' ' && first.end < text.size()) {
        const auto second = character_at(text, first.end);
        if (second.sort != Sort::space) return end_of_run(text, second.end, second.sort);
    }
    return end_of_spaces(text, at);
}

std::optional<std::string> bytes_of_token(std::string_view token) {
    static const auto bytes = [] {
        std::array<int, 324> table{};
        table.fill(-1);
        const auto characters = characters_of_bytes();
        for (std::size_t byte = 0; byte < 256; ++byte)
            table[characters[byte]] = static_cast<int>(byte);
        return table;
    }();
    std::string found;
    for (std::size_t at = 0; at < token.size();) {
        const auto decoded = text::decode_utf8(token, at);
        if (decoded.code_point >= bytes.size() || bytes[decoded.code_point] < 0)
            return std::nullopt;
        found.push_back(static_cast<char>(bytes[decoded.code_point]));
        at += decoded.length;
    }
    return found;
}

namespace {

constexpr std::size_t kRememberedWords = 65536;
constexpr std::size_t kLongestRemembered = 64;  // bytes

struct Merge {
    std::uint32_t rank;
    std::uint32_t token;
};

std::uint64_t pair_of(std::uint32_t left, std::uint32_t right) {
    return (std::uint64_t{left} << 32U) | right;
}

class BytePairs final : public Subwords {
  public:
    std::array<std::uint32_t, 256> bytes{};
    std::unordered_map<std::uint64_t, Merge> merges;
    bool space_before = false;

    void append(std::string_view text, std::vector<std::uint32_t>& ids) override {
        if (space_before && !text.starts_with(' ')) {
            spaced_.assign(1, ' ').append(text);
            text = spaced_;
        }
        for (std::size_t at = 0; at < text.size();) {
            const auto end = end_of_word(text, at);
            append_word(text.substr(at, end - at), ids);
            at = end;
        }
    }

  private:
    struct Symbol {
        std::uint32_t token;
        std::uint32_t previous;
        std::uint32_t next;
        bool joined = false;  // to the one before it
    };
    // The pair of a symbol and the one after it.
    struct Candidate {
        std::uint32_t rank;
        std::uint32_t at;
        std::uint64_t pair;
        std::uint32_t token;
        bool operator>(const Candidate& other) const {
            return rank != other.rank ? rank > other.rank : at > other.at;
        }
    };
    static constexpr std::uint32_t kNone = UINT32_MAX;

    void append_word(std::string_view word, std::vector<std::uint32_t>& ids) {
        if (const auto known = remembered_.find(word); known != remembered_.end()) {
            ids.insert(ids.end(), known->second.begin(), known->second.end());
            return;
        }
        const auto before = ids.size();
        join(word);
        for (const auto& symbol : symbols_)
            if (!symbol.joined) ids.push_back(symbol.token);
        if (word.size() > kLongestRemembered) return;
        if (remembered_.size() == kRememberedWords) remembered_.clear();
        remembered_.emplace(
            std::string(word),
            std::vector(ids.begin() + static_cast<std::ptrdiff_t>(before), ids.end()));
    }

    // Always the pair of highest precedence, the leftmost of equals, as long as there is one.
    void join(std::string_view word) {
        symbols_.clear();
        for (std::uint32_t i = 0; i < word.size(); ++i) {
            symbols_.push_back({bytes[static_cast<unsigned char>(word[i])], i == 0 ? kNone : i - 1,
                                i + 1 == word.size() ? kNone : i + 1});
        }
        for (std::uint32_t i = 0; i + 1 < symbols_.size(); ++i) consider(i);
        while (!queue_.empty()) {
            const auto best = queue_.top();
            queue_.pop();
            auto& left = symbols_[best.at];
            if (left.joined || left.next == kNone ||
                pair_of(left.token, symbols_[left.next].token) != best.pair) {
                continue;  // one of the two has been joined to another meanwhile
            }
            auto& right = symbols_[left.next];
            left.token = best.token;
            left.next = right.next;
            right.joined = true;
            if (left.next != kNone) symbols_[left.next].previous = best.at;
            consider(best.at);
            if (left.previous != kNone) consider(left.previous);
        }
    }

    void consider(std::uint32_t at) {
        const auto next = symbols_[at].next;
        if (next == kNone) return;
        const auto pair = pair_of(symbols_[at].token, symbols_[next].token);
        if (const auto found = merges.find(pair); found != merges.end())
            queue_.push({found->second.rank, at, pair, found->second.token});
    }

    std::string spaced_;
    std::vector<Symbol> symbols_;
    std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue_;
    std::unordered_map<std::string, std::vector<std::uint32_t>, StringHash, std::equal_to<>>
        remembered_;
};

Result<void> find_bytes(const Vocabulary& vocabulary, BytePairs& into) {
    std::array<bool, 256> found{};
    for (const auto& [token, id] : vocabulary) {
        const auto bytes = bytes_of_token(token);
        if (!bytes || bytes->size() != 1) continue;
        const auto byte = static_cast<unsigned char>(bytes->front());
        found[byte] = true;
        into.bytes[byte] = id;
    }
    for (std::size_t byte = 0; byte < found.size(); ++byte) {
        if (!found[byte]) {
            return fail(Errc::invalid_input,
                        "The vocabulary has no token for the byte " + std::to_string(byte) + ".");
        }
    }
    return {};
}

}  // namespace

Result<std::unique_ptr<Subwords>> make_byte_pairs(const Vocabulary& vocabulary,
                                                  const Merges& merges, bool space_before) {
    auto made = std::make_unique<BytePairs>();
    made->space_before = space_before;
    TRY_DO(find_bytes(vocabulary, *made));
    for (std::uint32_t rank = 0; rank < merges.size(); ++rank) {
        const auto& [left, right] = merges[rank];
        const auto first = vocabulary.find(left);
        const auto second = vocabulary.find(right);
        const auto both = vocabulary.find(left + right);
        if (first == vocabulary.end() || second == vocabulary.end() || both == vocabulary.end()) {
            return fail(Errc::invalid_input, "The merge \"" + left + " " + right + "\" (number " +
                                                 std::to_string(rank + 1) +
                                                 ") needs tokens missing from the vocabulary.");
        }
        made->merges.emplace(pair_of(first->second, second->second), Merge{rank, both->second});
    }
    return made;
}

}  // namespace plimsoll::tokenizers
