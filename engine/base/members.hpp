#pragma once

#include "engine/base/result.hpp"
#include "engine/base/words.hpp"

#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

// Structs as JSON objects, both ways by one description of their members:
//     static void members(auto& visit, auto& self) { visit("batch_size", self.batch_size); }
// Empty texts, containers and optionals are omitted, and keep their defaults where they are;
// visit.always("why", self.why) writes null or [] for them instead.
namespace plimsoll {

template <class T>
concept Omittable =
    requires(const T& value) { value.empty(); } || requires(const T& value) { value.has_value(); };

// null for an empty text, as in reports.
inline nlohmann::json text_or_null(const std::string& text) {
    return text.empty() ? nlohmann::json(nullptr) : nlohmann::json(text);
}

class MemberWriter {
  public:
    explicit MemberWriter(nlohmann::json& object) : object_(object) {}

    template <class T>
    void operator()(std::string_view name, const T& value) {
        if constexpr (requires { value.empty(); }) {
            if (value.empty()) return;
        }
        if constexpr (requires { value.has_value(); }) {
            if (!value.has_value()) return;
        }
        object_[std::string(name)] = value;
    }
    void always(std::string_view name, const std::string& value) {
        object_[std::string(name)] = text_or_null(value);
    }
    template <Omittable T>
    void always(std::string_view name, const T& value) {
        object_[std::string(name)] = value;
    }
    // Follows from other members: never read.
    void derived(std::string_view name, const nlohmann::json& value) {
        object_[std::string(name)] = value;
    }

  private:
    nlohmann::json& object_;
};

class MemberReader {
  public:
    explicit MemberReader(const nlohmann::json& object) : object_(object) {}

    template <class T>
    void operator()(std::string_view name, T& value) {
        if (const auto found = object_.find(name); found != object_.end())
            found->get_to(value);
        else if constexpr (!Omittable<T>)
            static_cast<void>(object_.at(std::string(name)));  // throws
    }
    template <Omittable T>
    void always(std::string_view name, T& value) {
        if (!object_.at(std::string(name)).is_null()) (*this)(name, value);
    }
    void derived(std::string_view, const nlohmann::json&) {}

  private:
    const nlohmann::json& object_;
};

template <class T>
concept HasMembers = requires(MemberReader& visit, T& self) { T::members(visit, self); };

template <HasMembers T>
std::string to_text(const T& value) {
    return nlohmann::json(value).dump();
}

// Errc::corrupt: damaged, or of another version.
template <HasMembers T>
Result<T> from_text(std::string_view text) try {
    return nlohmann::json::parse(text).get<T>();
} catch (const nlohmann::json::exception&) {
    return fail(Errc::corrupt, "A stored text is corrupt.");
}

}  // namespace plimsoll

template <plimsoll::HasMembers T>
struct nlohmann::adl_serializer<T> {
    static void to_json(json& object, const T& value) {
        object = json::object();
        plimsoll::MemberWriter writer(object);
        T::members(writer, value);
    }
    static void from_json(const json& object, T& value) {
        plimsoll::MemberReader reader(object);
        T::members(reader, value);
    }
};

template <plimsoll::Worded T>
struct nlohmann::adl_serializer<T> {
    static void to_json(json& to, T value) { to = plimsoll::text_of(words_of(value), value); }
    static void from_json(const json& from, T& value) {
        const auto known = plimsoll::value_of(words_of(value), from.get<std::string_view>());
        if (!known) throw json::type_error::create(302, "no such name: " + from.dump(), &from);
        value = *known;
    }
};

template <class T>
struct nlohmann::adl_serializer<std::optional<T>> {
    static void to_json(json& to, const std::optional<T>& value) {
        to = value ? json(*value) : json(nullptr);
    }
    static void from_json(const json& from, std::optional<T>& value) {
        value = from.is_null() ? std::nullopt : std::optional(from.get<T>());
    }
};
