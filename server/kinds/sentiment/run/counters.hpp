#pragma once

#include "server/jobs/kind.hpp"
#include "server/kinds/sentiment/contract/model_choice.hpp"

#include <compare>
#include <cstdint>
#include <map>
#include <string>

namespace plimsoll::jobs::sentiment {

// Numbers of texts by key. Adding one task's numbers to another's gives those of both.
template <class Key>
class Counter {
  public:
    void add(const Key& key, std::int64_t texts) { texts_[key] += texts; }
    void add(const Counter& other) {
        for (const auto& [key, texts] : other.texts_) add(key, texts);
    }

    const std::map<Key, std::int64_t>& texts() const { return texts_; }

    static void members(auto& visit, auto& self) { visit("texts", self.texts_); }

  private:
    std::map<Key, std::int64_t> texts_;
};

// The policy's choice for a text.
struct Choice {
    std::int64_t rule = 0;  // from 1; 0: no rule matched
    std::string asked;      // the rule's model
    UsableModel model;
    std::string fallback;  // why another model was used; empty: it is the requested one

    auto operator<=>(const Choice&) const = default;

    static void members(auto& visit, auto& self) {
        visit("rule", self.rule);
        visit("asked", self.asked);
        UsableModel::members(visit, self.model);
        visit("fallback", self.fallback);
    }
};

// "choices" of the report, by rule.
nlohmann::json choices_json(const Counter<Choice>& choices);
// The only model of all texts; null: there are several, or none.
const UsableModel* only_model(const Counter<Choice>& choices);
bool read_tokens(const Counter<Choice>& choices);

// A device that scored texts.
struct DeviceUsed {
    std::string node;
    std::string device;           // "opencl:pocl:0", "host"
    std::string name;             // empty: of the host
    std::string processor_class;  // see opencl::DeviceInfo; empty: unknown

    auto operator<=>(const DeviceUsed&) const = default;

    static void members(auto& visit, auto& self) {
        visit("node", self.node);
        visit("device", self.device);
        visit("name", self.name);
        visit("processor_class", self.processor_class);
    }
};
DeviceUsed device_of(const RunContext& context);

// "devices" of the report, by node.
nlohmann::json devices_json(const Counter<DeviceUsed>& devices);

}  // namespace plimsoll::jobs::sentiment
