#pragma once

#include "engine/training/tape/settings.hpp"

#include <sstream>
#include <string>

#include <nlohmann/json.hpp>

namespace plimsoll::training {

// As the rows of tests/pytorch name it: "dpo" or "dpo, by_layer", after the form of its reference;
// "whole, embed_tokens, wide", after what is trained whole beside adapters, in fp32.
inline void set_method(TrainingSettings& t, const std::string& name) {
    if (name.starts_with("dpo")) t.method = Method::dpo;
    if (name.starts_with("kto")) t.method = Method::kto;
    if (name.ends_with("by_layer")) t.reference = Reference::by_layer;
    if (!name.starts_with("whole")) return;
    std::istringstream names(name);
    std::string one;
    for (names >> one; names >> one;) {
        if (one.ends_with(',')) one.pop_back();
        if (one == "wide")
            t.lora.wide = Lora::Wide::all;
        else
            t.lora.whole.push_back(one);
    }
}

inline Quantization quantization_of(const nlohmann::json& row) {
    const std::string name = row.value("quantization", "none");
    return name == "nf4"          ? Quantization::nf4
           : name == "nf4_double" ? Quantization::nf4_double
           : name == "int8"       ? Quantization::int8
                                  : Quantization::none;
}

}  // namespace plimsoll::training
