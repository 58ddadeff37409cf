#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::sentiment {

// The policy's choice for a text.
struct Choice {
    std::string model;
    std::string model_hash;  // empty: vader
    std::string form;        // empty: vader
    std::string asked;       // the rule's model
    std::int64_t rule = 0;   // from 1; 0: no rule matched
    std::string fallback;    // why another model was used; empty: it is the requested one

    auto key() const { return std::tie(rule, asked, model, model_hash, form, fallback); }
    bool operator<(const Choice& other) const { return key() < other.key(); }
};

// The number of texts per choice. Adding one task's numbers to another's gives those of both.
class Choices {
  public:
    void add(const Choice& choice, std::int64_t items = 1) { items_[choice] += items; }
    void add(const Choices& other) {
        for (const auto& [choice, items] : other.items_) add(choice, items);
    }

    nlohmann::json to_json() const;
    static Choices from_json(const nlohmann::json& stored);

    // "choices" of the report, by rule.
    nlohmann::json summary() const;
    // The only model of all texts; null: there are several, or none.
    const Choice* only_model() const;
    bool reads_tokens() const;

  private:
    std::map<Choice, std::int64_t> items_;
};

}  // namespace plimsoll::jobs::sentiment
