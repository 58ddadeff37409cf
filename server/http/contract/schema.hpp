#pragma once

#include <map>
#include <memory>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

// The subset of OpenAPI 3.0 schemas that the contract uses, hardened against hostile input: reports
// at most `limits::kFieldErrors` violations, each with a JSON pointer and a readable rule, and
// applies regular expressions only to short text.
namespace plimsoll::http {

struct Violation {
    std::string pointer;  // into the value that was checked
    std::string message;  // completes "<field> …": "must be a string"
};

class Schema {
  public:
    // Empty: the value is valid.
    std::vector<Violation> check(const nlohmann::json& value) const;

    // "string", "integer", … or empty where any type will do.
    const std::string& type() const { return type_; }
    const std::optional<nlohmann::json>& default_value() const { return default_; }
    // The discriminator's values, sorted; empty without one.
    std::vector<std::string> variants() const;

  private:
    friend class SchemaSet;
    friend class Checker;

    std::string type_;
    bool nullable_ = false;
    std::optional<nlohmann::json> default_;
    std::vector<nlohmann::json> enum_;
    std::vector<const Schema*> all_of_;

    std::string discriminator_;
    std::map<std::string, const Schema*, std::less<>> variants_;

    std::map<std::string, const Schema*, std::less<>> properties_;
    std::vector<std::string> required_;
    bool closed_ = false;                       // additionalProperties: false
    const Schema* other_properties_ = nullptr;  // additionalProperties: a schema, or true
    const Schema* names_ = nullptr;             // x-property-names
    std::size_t min_properties_ = 0;
    std::optional<std::size_t> max_properties_;

    const Schema* items_ = nullptr;
    std::size_t min_items_ = 0;
    std::optional<std::size_t> max_items_;

    bool is_time_ = false;   // format date-time: RFC 3339
    bool raw_text_ = false;  // x-raw-text: also U+0000, which PostgreSQL stores only in bytea
    std::size_t min_length_ = 0;
    std::optional<std::size_t> max_length_;
    std::string pattern_rule_;  // for the message: x-message, or the pattern itself
    std::optional<std::regex> regex_;

    std::optional<double> minimum_;
    std::optional<double> maximum_;
    bool exclusive_minimum_ = false;
    bool exclusive_maximum_ = false;
};

// Compiles and owns the schemas of one document. Throws std::runtime_error that names the place of
// an unknown keyword, a dangling reference, a oneOf without a discriminator, or a pattern without a
// maxLength: such a contract must not be served.
class SchemaSet {
  public:
    explicit SchemaSet(const nlohmann::json& document) : document_(document) {}
    SchemaSet(const SchemaSet&) = delete;
    SchemaSet& operator=(const SchemaSet&) = delete;

    // `where`: the place named in errors.
    const Schema& compile(const nlohmann::json& schema, const std::string& where);

  private:
    // The schema of undocumented values: accepts everything.
    const Schema& anything();
    const Schema& at(const std::string& reference, const std::string& where);
    void fill(Schema& schema, const nlohmann::json& source, const std::string& where);
    void keyword(Schema& schema, const std::string& key, const nlohmann::json& value,
                 const std::string& where);
    void discriminate(Schema& schema, const nlohmann::json& source, const std::string& where);

    const nlohmann::json& document_;
    std::vector<std::unique_ptr<Schema>> owned_;
    std::map<std::string, const Schema*> by_reference_;
    const Schema* anything_ = nullptr;
};

// The node that a JSON reference of the document ("#/components/…") names.
const nlohmann::json& resolve_reference(const nlohmann::json& document,
                                        const std::string& reference, const std::string& where);

}  // namespace plimsoll::http
