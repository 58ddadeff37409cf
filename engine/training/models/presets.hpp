#pragma once

#include "engine/base/result.hpp"
#include "engine/training/models/model_shape.hpp"

#include <span>
#include <string>
#include <string_view>

namespace plimsoll::training {

struct Preset {
    ModelShape shape;         // shape.name is the identifier
    std::string description;  // one line, with the public name of the model
};

std::span<const Preset> presets();

// Errc::not_found lists the valid names.
Result<ModelShape> preset(std::string_view name);

}  // namespace plimsoll::training
