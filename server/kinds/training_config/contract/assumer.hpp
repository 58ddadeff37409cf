#pragma once

#include "server/kinds/training_config/contract/request.hpp"

#include <string>
#include <utility>

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::training_config {

// Reads a member, or assumes a value for it and records the assumption.
class Assumer {
  public:
    Assumer(Request& request, const nlohmann::json& from, std::string place)
        : request_(request), from_(from), place_(std::move(place)) {}

    template <class Value>
    Value operator()(const char* name, Value value, std::string why) {
        if (const auto found = from_.find(name); found != from_.end()) return found->get<Value>();
        request_.assumptions.push_back({place_ + name, value, std::move(why)});
        return value;
    }

  private:
    Request& request_;
    const nlohmann::json& from_;
    std::string place_;
};

}  // namespace plimsoll::jobs::training_config
