#pragma once

#include "server/kinds/training_config/contract/options.hpp"

#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::training_config {

// Gives an omitted option a value, and records the assumption.
class AssumptionRecorder {
  public:
    AssumptionRecorder(const nlohmann::json& args, Request& request)
        : args_(args), request_(request) {}

    void operator()(std::string_view pointer, nlohmann::json value, std::string why) {
        if (find(args_, pointer) != nullptr) return;
        option_at(pointer)->field.set(request_, value);
        record(pointer, std::move(value), std::move(why));
    }

    // What is assumed is so without being set.
    void record(std::string_view pointer, nlohmann::json value, std::string why) {
        if (find(args_, pointer) != nullptr) return;
        request_.assumptions.push_back({std::string(pointer), std::move(value), std::move(why)});
    }

  private:
    const nlohmann::json& args_;
    Request& request_;
};

}  // namespace plimsoll::jobs::training_config
