#include "engine/base/json.hpp"
#include "server/base/time.hpp"
#include "server/http/contract/schema.hpp"
#include "server/http/messages/limits.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

namespace plimsoll::http {

namespace {

// The current position, kept on the stack and converted to text only for a violation.
struct Place {
    const Place* parent = nullptr;
    std::string_view name = {};
    std::size_t index = 0;
    bool element = false;

    std::string pointer() const {
        if (parent == nullptr) return {};
        auto text = parent->pointer() + '/';
        if (element) return text + std::to_string(index);
        for (const char c : name)
            if (c == '~')
                text += "~0";
            else if (c == '/')
                text += "~1";
            else
                text += c;
        return text;
    }
};

std::size_t code_points(std::string_view text) {
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

template <class Names>
std::string listed(const Names& names) {
    std::string text;
    for (const auto& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
}

std::string number(double value) {
    return json(std::trunc(value) == value ? json(static_cast<std::int64_t>(value)) : json(value))
        .dump();
}

bool is_whole(const json& value) {
    if (value.is_number_unsigned()) {
        return value.get<std::uint64_t>() <=
               static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    }
    if (value.is_number_integer()) return true;
    constexpr double kExact = 9007199254740992.0;  // 2^53
    return value.is_number_float() && std::abs(value.get<double>()) <= kExact &&
           std::trunc(value.get<double>()) == value.get<double>();
}

bool has_type(const json& value, std::string_view type) {
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    if (type == "string") return value.is_string();
    if (type == "boolean") return value.is_boolean();
    if (type == "number") return value.is_number();
    if (type == "integer") return is_whole(value);
    return true;
}

std::string with_article(const std::string& type) {
    return (type == "object" || type == "array" || type == "integer" ? "an " : "a ") + type;
}

// `what` in the singular.
std::string counted(std::size_t count, const std::string& what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}
std::string at_least(std::size_t count, const std::string& what) {
    return "must have at least " + counted(count, what);
}
std::string at_most(std::size_t count, const std::string& what) {
    return "must have at most " + counted(count, what);
}

}  // namespace

class Checker {
  public:
    void check(const Schema& schema, const json& value, const Place& place) {
        if (full() || (value.is_null() && schema.nullable_)) return;
        if (!has_type(value, schema.type_))
            return say(place, "must be " + with_article(schema.type_));
        if (!schema.enum_.empty() && std::ranges::find(schema.enum_, value) == schema.enum_.end()) {
            std::vector<std::string> known;
            for (const auto& one : schema.enum_)
                known.push_back(one.is_string() ? one.get<std::string>() : one.dump());
            return say(place, "must be one of: " + listed(known));
        }
        for (const auto* part : schema.all_of_) check(*part, value, place);
        if (!schema.discriminator_.empty()) check_variant(schema, value, place);
        if (value.is_object()) check_object(schema, value, place);
        if (value.is_array()) check_array(schema, value, place);
        if (value.is_string()) check_text(schema, value.get_ref<const std::string&>(), place);
        if (value.is_number()) check_number(schema, value.get<double>(), place);
    }

    std::vector<Violation> take() { return std::move(violations_); }

  private:
    bool full() const { return violations_.size() >= limits::kFieldErrors; }
    void say(const Place& place, std::string message) {
        if (!full()) violations_.push_back({place.pointer(), std::move(message)});
    }

    // Only the variant that the discriminator names is checked: the errors of the others would help
    // no one.
    void check_variant(const Schema& schema, const json& value, const Place& place) {
        if (!value.is_object()) return say(place, "must be an object");
        const Place at{&place, schema.discriminator_};
        const auto chosen = value.find(schema.discriminator_);
        if (chosen == value.end())
            return say(at, "is required; it must be one of: " + listed(schema.variants()));
        const auto variant = chosen->is_string()
                                 ? schema.variants_.find(chosen->get_ref<const std::string&>())
                                 : schema.variants_.end();
        if (variant == schema.variants_.end())
            return say(at, "must be one of: " + listed(schema.variants()));
        check(*variant->second, value, place);
    }

    void check_object(const Schema& schema, const json& value, const Place& place) {
        for (const auto& name : schema.required_)
            if (!value.contains(name)) say({&place, name}, "is required");
        if (value.size() < schema.min_properties_)
            say(place, at_least(schema.min_properties_, "member"));
        if (schema.max_properties_ && value.size() > *schema.max_properties_)
            return say(place, at_most(*schema.max_properties_, "member"));
        for (const auto& [name, member] : value.items()) {
            if (full()) return;
            const Place at{&place, name};
            if (schema.names_ != nullptr) check(*schema.names_, json(name), at);
            const auto known = schema.properties_.find(name);
            if (known != schema.properties_.end()) {
                check(*known->second, member, at);
            } else if (schema.closed_) {
                std::vector<std::string> names;
                for (const auto& property : schema.properties_) names.push_back(property.first);
                say(at, "is unknown; known members: " + listed(names));
            } else if (schema.other_properties_ != nullptr) {
                check(*schema.other_properties_, member, at);
            }
        }
    }

    void check_array(const Schema& schema, const json& value, const Place& place) {
        if (value.size() < schema.min_items_) say(place, at_least(schema.min_items_, "item"));
        if (schema.max_items_ && value.size() > *schema.max_items_)
            return say(place, at_most(*schema.max_items_, "item"));
        if (schema.items_ == nullptr) return;
        for (std::size_t i = 0; i < value.size() && !full(); ++i)
            check(*schema.items_, value[i], Place{&place, {}, i, true});
    }

    void check_text(const Schema& schema, const std::string& text, const Place& place) {
        if (!schema.raw_text_ && text.find('\0') != text.npos)
            return say(place, "must not contain U+0000");
        if (schema.max_length_ && text.size() > *schema.max_length_ &&
            code_points(text) > *schema.max_length_) {
            return say(place, at_most(*schema.max_length_, "character"));
        }
        if (schema.min_length_ > 0 && code_points(text) < schema.min_length_)
            return say(place, at_least(schema.min_length_, "character"));
        if (schema.regex_ && !std::regex_search(text, *schema.regex_))
            return say(place, schema.pattern_rule_);
        if (schema.is_time_ && !parse_rfc3339(text))
            say(place, "must be an RFC 3339 time such as 2026-03-01T12:00:00Z");
    }

    void check_number(const Schema& schema, double value, const Place& place) {
        if (schema.minimum_ &&
            (schema.exclusive_minimum_ ? value <= *schema.minimum_ : value < *schema.minimum_)) {
            const auto* const rule =
                schema.exclusive_minimum_ ? "must be more than " : "must be at least ";
            say(place, rule + number(*schema.minimum_));
        }
        if (schema.maximum_ &&
            (schema.exclusive_maximum_ ? value >= *schema.maximum_ : value > *schema.maximum_)) {
            const auto* const rule =
                schema.exclusive_maximum_ ? "must be less than " : "must be at most ";
            say(place, rule + number(*schema.maximum_));
        }
    }

    std::vector<Violation> violations_;
};

std::vector<Violation> Schema::check(const json& value) const {
    Checker checker;
    checker.check(*this, value, Place{});
    return checker.take();
}

std::vector<std::string> Schema::variants() const {
    std::vector<std::string> names;
    for (const auto& variant : variants_) names.push_back(variant.first);
    return names;
}

}  // namespace plimsoll::http
