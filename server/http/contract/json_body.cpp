#include "server/http/contract/json_body.hpp"

#include "engine/base/json.hpp"
#include "server/http/messages/limits.hpp"

#include <algorithm>
#include <vector>

namespace plimsoll::http {

namespace {

// Bytes of the UTF-8 sequence that begins here; 0 if invalid (overlong forms, surrogates and what
// lies above U+10FFFF included).
std::size_t sequence_length(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char lead = byte(0);
    if (lead < 0x80) return 1;
    const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
    unsigned char low = 0x80;
    unsigned char high = 0xBF;
    if (lead == 0xE0) low = 0xA0;
    if (lead == 0xED) high = 0x9F;
    if (lead == 0xF0) low = 0x90;
    if (lead == 0xF4) high = 0x8F;
    if (byte(1) < low || byte(1) > high) return 0;
    for (std::size_t i = 2; i < length; ++i)
        if ((byte(i) & 0xC0) != 0x80) return 0;
    return length;
}

std::string at_byte(std::size_t offset) { return " at byte " + std::to_string(offset) + "."; }

// nlohmann's sentence without its number and without the quotation of what was read, which may be
// as long as the body.
std::string shorten(std::string_view what) {
    what.remove_prefix(std::min(what.find("] ") + 2, what.size()));
    const auto quotation = what.find("; last read");
    return std::string(what.substr(0, std::min<std::size_t>(quotation, 200)));
}

// Builds the value of a text as it is parsed, and stops at content that no body may have.
class Builder {
  public:
    bool null() { return add(nullptr); }
    bool boolean(bool value) { return add(value); }
    bool number_integer(json::number_integer_t value) { return add(value); }
    bool number_unsigned(json::number_unsigned_t value) { return add(value); }
    bool number_float(json::number_float_t value, const std::string&) { return add(value); }
    bool string(const std::string& value) { return add(value); }
    bool binary(json::binary_t&) { return false; }
    bool start_object(std::size_t) { return open(json::value_t::object); }
    bool end_object() { return close(); }
    bool start_array(std::size_t) { return open(json::value_t::array); }
    bool end_array() { return close(); }
    bool key(const std::string& name) {
        members_.back() = nullptr;
        if (name.find('\0') != name.npos) {
            const auto owner = pointer();
            return stop(Problem(400, "The name of a member of " +
                                         (owner.empty() ? "the body" : owner) +
                                         " contains U+0000."));
        }
        const auto [member, is_new] =
            open_.back()->get_ref<json::object_t&>().try_emplace(name, nullptr);
        members_.back() = &*member;
        return is_new || stop(Problem(400, "The body has the member " + pointer() + " twice."));
    }
    bool parse_error(std::size_t, const std::string&, const json::exception& error) {
        return stop(Problem(400, "The body is not JSON: " + shorten(error.what()) + "."));
    }

    json root;
    std::optional<Problem> refusal;  // why it stopped

  private:
    static constexpr std::size_t kPointerBytes = 200;  // longer ones are cut off

    bool stop(Problem why) {
        refusal = std::move(why);
        return false;
    }
    // Of the value that is read, or of the object whose member is.
    std::string pointer() const {
        json::json_pointer path;
        for (std::size_t i = 0; i < open_.size(); ++i)
            if (open_[i]->is_array())
                path.push_back(std::to_string(open_[i]->size() - (i + 1 < open_.size() ? 1 : 0)));
            else if (members_[i] != nullptr)
                path.push_back(members_[i]->first);
        return path.to_string().substr(0, kPointerBytes);
    }
    template <class Value>
    json* place(Value&& value) {
        if (open_.empty()) return &(root = std::forward<Value>(value));
        if (open_.back()->is_object())
            return &(members_.back()->second = std::forward<Value>(value));
        return &open_.back()->get_ref<json::array_t&>().emplace_back(std::forward<Value>(value));
    }
    template <class Value>
    bool add(Value&& value) {
        place(std::forward<Value>(value));
        return true;
    }
    bool open(json::value_t type) {
        if (open_.size() == limits::kJsonDepth) {
            return stop(Problem(400, "The body is nested deeper than " +
                                         std::to_string(limits::kJsonDepth) + " levels."));
        }
        open_.push_back(place(json(type)));
        members_.push_back(nullptr);
        return true;
    }
    bool close() {
        open_.pop_back();
        members_.pop_back();
        return true;
    }

    std::vector<json*> open_;                           // objects and arrays around the next value
    std::vector<json::object_t::value_type*> members_;  // of each, the one that is being read
};

}  // namespace

std::optional<std::size_t> invalid_utf8(std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
        const auto length = sequence_length(text.substr(i, 4));
        if (length == 0) return i;
        i += length;
    }
    return std::nullopt;
}

std::size_t parsed_size(std::string_view text) {
    // As libstdc++ and nlohmann-json lay them out, with what malloc adds and what a growing array
    // holds at its worst.
    constexpr std::size_t kValue = 48;
    constexpr std::size_t kText = 48;
    constexpr std::size_t kMember = 64;
    std::size_t values = 1;
    std::size_t quotes = 0;
    std::size_t members = 0;
    for (const char c : text) {
        values += c == ',' || c == '[' || c == '{';
        quotes += c == '"';
        members += c == ':';
    }
    return text.size() + values * kValue + quotes / 2 * kText + members * kMember;
}

Outcome<json> parse_json(std::string_view text) {
    if (const auto offset = invalid_utf8(text))
        return refuse(400, "The body is not valid UTF-8" + at_byte(*offset));
    Builder builder;
    if (!json::sax_parse(text, &builder)) return tl::unexpected(std::move(*builder.refusal));
    return std::move(builder.root);
}

}  // namespace plimsoll::http
