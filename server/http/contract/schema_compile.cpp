#include "engine/base/json.hpp"
#include "server/http/contract/schema.hpp"

#include <set>
#include <stdexcept>

namespace plimsoll::http {
namespace {

// libstdc++'s regular expressions recurse per character: 100,000 of them overflow the stack.
constexpr std::size_t kLongestMatched = 4096;

// For readers and client generators; no constraint on values.
const std::set<std::string> kAnnotations = {
    "description", "example", "title",  "default",       "nullable",  "oneOf",   "x-commands",
    "x-known-as",  "x-flag",  "x-help", "discriminator", "x-message", "x-label", "x-labels"};

[[noreturn]] void refuse_contract(const std::string& where, const std::string& why) {
    throw std::runtime_error("openapi.yaml: " + where + ": " + why);
}

}  // namespace

const json& resolve_reference(const json& document, const std::string& reference,
                              const std::string& where) {
    if (!reference.starts_with("#/")) refuse_contract(where, "unknown reference " + reference);
    const json::json_pointer pointer(reference.substr(1));
    if (!document.contains(pointer)) refuse_contract(where, "nothing at " + reference);
    return document[pointer];
}

const Schema& SchemaSet::compile(const json& schema, const std::string& where) {
    if (const auto reference = schema.find("$ref"); reference != schema.end())
        return at(reference->get<std::string>(), where);
    auto& compiled = *owned_.emplace_back(std::make_unique<Schema>());
    fill(compiled, schema, where);
    return compiled;
}

const Schema& SchemaSet::anything() {
    if (anything_ == nullptr) {
        auto& made = *owned_.emplace_back(std::make_unique<Schema>());
        anything_ = made.items_ = made.other_properties_ = &made;
    }
    return *anything_;
}

// Known before it is filled, so that a schema may contain itself.
const Schema& SchemaSet::at(const std::string& reference, const std::string& where) {
    if (const auto known = by_reference_.find(reference); known != by_reference_.end())
        return *known->second;
    auto& compiled = *owned_.emplace_back(std::make_unique<Schema>());
    by_reference_.emplace(reference, &compiled);
    fill(compiled, resolve_reference(document_, reference, where), reference);
    return compiled;
}

void SchemaSet::fill(Schema& schema, const json& source, const std::string& where) {
    if (source.contains("$ref")) refuse_contract(where, "a reference to a reference");
    for (const auto& [key, value] : source.items()) keyword(schema, key, value, where);
    schema.nullable_ = source.value("nullable", false);
    if (source.contains("default")) schema.default_ = source["default"];
    if (schema.regex_) {
        const auto pattern = source["pattern"].get<std::string>();
        schema.pattern_rule_ = source.value("x-message", "must match " + pattern);
    }
    if (source.contains("oneOf")) discriminate(schema, source, where);
    if (schema.type_.empty() && schema.all_of_.empty() && schema.discriminator_.empty())
        schema.items_ = schema.other_properties_ = &anything();
    if (schema.regex_ && schema.max_length_.value_or(kLongestMatched + 1) > kLongestMatched)
        refuse_contract(where, "a pattern needs a maxLength of at most 4096");
}

void SchemaSet::discriminate(Schema& schema, const json& source, const std::string& where) {
    if (!source.contains("/discriminator/mapping"_json_pointer))
        refuse_contract(where, "oneOf needs a discriminator with a mapping");
    schema.discriminator_ = source["discriminator"]["propertyName"];
    for (const auto& [value, reference] : source["discriminator"]["mapping"].items())
        schema.variants_.emplace(value, &at(reference.get<std::string>(), where));
    if (schema.variants_.size() != source["oneOf"].size())
        refuse_contract(where, "oneOf and the discriminator's mapping name different schemas");
}

void SchemaSet::keyword(Schema& schema, const std::string& key, const json& value,
                        const std::string& where) {
    if (key == "type") {
        schema.type_ = value;
    } else if (key == "enum") {
        schema.enum_.assign(value.begin(), value.end());
    } else if (key == "allOf") {
        for (const auto& part : value) schema.all_of_.push_back(&compile(part, where));
    } else if (key == "properties") {
        for (const auto& [name, property] : value.items())
            schema.properties_.emplace(name, &compile(property, where + "/" + name));
    } else if (key == "required") {
        schema.required_ = value.get<std::vector<std::string>>();
    } else if (key == "additionalProperties") {
        if (value.is_object()) schema.other_properties_ = &compile(value, where + "/*");
        if (value == true) schema.other_properties_ = &anything();
        schema.closed_ = value == false;
    } else if (key == "x-property-names") {
        schema.names_ = &compile(value, where + "/x-property-names");
    } else if (key == "minProperties") {
        schema.min_properties_ = value;
    } else if (key == "maxProperties") {
        schema.max_properties_ = value;
    } else if (key == "items") {
        schema.items_ = &compile(value, where + "/items");
    } else if (key == "minItems") {
        schema.min_items_ = value;
    } else if (key == "maxItems") {
        schema.max_items_ = value;
    } else if (key == "x-raw-text") {
        schema.raw_text_ = value;
    } else if (key == "format") {
        schema.is_time_ = value == "date-time";  // others only tell clients how to store a value
    } else if (key == "minLength") {
        schema.min_length_ = value;
    } else if (key == "maxLength") {
        schema.max_length_ = value;
    } else if (key == "pattern") {
        schema.regex_.emplace(value.get<std::string>(), std::regex::ECMAScript);
    } else if (key == "minimum") {
        schema.minimum_ = value;
    } else if (key == "maximum") {
        schema.maximum_ = value;
    } else if (key == "exclusiveMinimum") {
        schema.exclusive_minimum_ = value;
    } else if (key == "exclusiveMaximum") {
        schema.exclusive_maximum_ = value;
    } else if (!kAnnotations.contains(key)) {
        refuse_contract(where, "the keyword " + key + " is not checked by this server");
    }
}

}  // namespace plimsoll::http
