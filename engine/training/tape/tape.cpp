#include "engine/training/tape/tape.hpp"

namespace plimsoll::training {

std::string_view to_string(Group group) {
    switch (group) {
        case Group::weights: return "weights";
        case Group::half_weights: return "half_weights";
        case Group::gradients: return "gradients";
        case Group::optimizer: return "optimizer";
        case Group::optimizer_temporaries: return "optimizer_temporaries";
        case Group::embedding: return "embedding";
        case Group::attention: return "attention";
        case Group::attention_scores: return "attention_scores";
        case Group::feed_forward: return "feed_forward";
        case Group::norms: return "norms";
        case Group::masks: return "masks";
        case Group::lora: return "lora";
        case Group::experts: return "experts";
        case Group::logits: return "logits";
        case Group::batch: return "batch";
        case Group::workspace: return "workspace";
        case Group::backward_temporaries: return "backward_temporaries";
        case Group::communication: return "communication";
        case Group::placement: return "placement";
    }
    return "";
}

std::string_view to_string(Phase phase) {
    switch (phase) {
        case Phase::setup: return "setup";
        case Phase::data: return "data";
        case Phase::forward: return "forward";
        case Phase::backward: return "backward";
        case Phase::clip: return "clip";
        case Phase::optimizer: return "optimizer";
        case Phase::step_end: return "step_end";
    }
    return "";
}

}  // namespace plimsoll::training
