#pragma once

#include "engine/training/tape/settings.hpp"

#include <string>

namespace plimsoll::training {

// As the rows of tests/pytorch name it: "dpo" or "dpo, by_layer", after the form of its reference.
inline void set_method(TrainingSettings& t, const std::string& name) {
    if (name.starts_with("dpo")) t.method = Method::dpo;
    if (name.starts_with("kto")) t.method = Method::kto;
    if (name.ends_with("by_layer")) t.reference = Reference::by_layer;
}

}  // namespace plimsoll::training
