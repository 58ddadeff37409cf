#include "engine/training/tape/optimizer.hpp"

namespace plimsoll::training {
namespace {

constexpr auto kState = Group::optimizer;
constexpr auto kTemporary = Group::optimizer_temporaries;

}  // namespace

std::size_t OptimizerTape::trained() const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
        const auto& p = graph_.parameter(static_cast<int>(i));
        if (parameters_[i].trainable && (p.gradient != kNoBuffer || p.reduced)) ++count;
    }
    return count;
}

OptimizerTape::Piece OptimizerTape::piece_of(std::size_t parameter) const {
    const auto& p = parameters_[parameter];
    const bool shards = layout_.shards_optimizer;
    return {shards ? layout_.shard(p.elements, p.divided, p.blocks) : p.elements,
            shards ? layout_.shard(p.rows, p.divided, p.blocks) : p.rows, p.matrix,
            layout_.width_of(p, layout_.master_bytes)};
}

std::vector<OptimizerTape::Piece> OptimizerTape::pieces() const {
    std::vector<Piece> out;
    std::int64_t all = 0;
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
        const auto& p = parameters_[i];
        const auto& held = graph_.parameter(static_cast<int>(i));
        if (!p.trainable || (held.gradient == kNoBuffer && !held.reduced)) continue;
        all += p.elements;
        out.push_back(piece_of(i));
    }
    if (layout_.is_zero() && all > 0) return {{layout_.shard(all), 0, false, layout_.master_bytes}};
    return out;
}

void OptimizerTape::clip() {
    std::vector<BufferId> norms;
    for (std::size_t i = 0; i < trained(); ++i) norms.push_back(graph_.allocate(4, kTemporary));
    const BufferId stacked =
        graph_.allocate(4 * static_cast<std::int64_t>(norms.size()), kTemporary);
    for (const auto id : norms) graph_.release(id);
    graph_.release(stacked);
}

void OptimizerTape::unscale() { graph_.scratch(4, kTemporary); }

// Adam: two tensors like each parameter, born in order. SGD's momentum starts as a copy of the
// gradient. Adafactor keeps a row and a column of each matrix. 8-bit Adam (bitsandbytes) keeps a
// byte an element, with fp32 scales a block of 256; small tensors stay in fp32.
void OptimizerTape::make_state(const Piece& p) {
    const auto& settings = graph_.settings();
    const std::int64_t bytes = p.elements * p.width;
    switch (settings.optimizer) {
        case Optimizer::adamw:
            if (settings.kernel == OptimizerKernel::fused) graph_.allocate(4, kState);
            graph_.allocate(bytes, kState);
            graph_.allocate(bytes, kState);
            break;
        case Optimizer::sgd_momentum: graph_.allocate(bytes, kState); break;
        case Optimizer::adafactor:
            if (p.matrix) {
                graph_.allocate(p.rows * p.width, kState);
                graph_.allocate(p.elements / p.rows * p.width, kState);
            } else {
                graph_.allocate(bytes, kState);
            }
            break;
        case Optimizer::adam_8bit:
        case Optimizer::paged_adamw:
        case Optimizer::paged_adamw_8bit: make_bitsandbytes_state(p.elements); break;
        case Optimizer::sgd: break;
    }
}

void OptimizerTape::make_bitsandbytes_state(std::int64_t elements) {
    constexpr std::int64_t min_8bit = 4096, min_paged = 100'000;
    const auto optimizer = graph_.settings().optimizer;
    const bool wide = optimizer == Optimizer::paged_adamw || elements < min_8bit;
    const bool paged = optimizer != Optimizer::adam_8bit && elements >= min_paged;
    for (int moment = 0; moment < 2; ++moment) {
        if (!paged) graph_.allocate(wide ? 4 * elements : elements, kState);
        if (!wide) graph_.allocate(elements / 256 * 4, kState);
    }
}

// foreach: square roots of every second moment at once. single: root and quotient of one parameter
// at a time; the previous quotient lives until the next one is bound. fused: none.
void OptimizerTape::adam_temporaries(const std::vector<Piece>& pieces) {
    std::vector<BufferId> held;
    if (graph_.settings().kernel == OptimizerKernel::foreach)
        for (const auto& p : pieces)
            held.push_back(graph_.allocate(p.elements * p.width, kTemporary));
    if (graph_.settings().kernel == OptimizerKernel::single)
        for (const auto& p : pieces) {
            const std::int64_t bytes = p.elements * p.width;
            const BufferId root = graph_.allocate(bytes, kTemporary);
            const BufferId quotient = graph_.allocate(bytes, kTemporary);
            graph_.release(root);
            for (const auto id : held) graph_.release(id);
            held.assign(1, quotient);
        }
    for (const auto id : held) graph_.release(id);
}

void OptimizerTape::adafactor_temporaries(const std::vector<Piece>& pieces) {
    BufferId last = kNoBuffer;
    for (const auto& p : pieces) {
        if (p.matrix)
            graph_.scratch_of(
                {.kind = Reduction::Kind::factor, .rows = p.rows, .columns = p.elements / p.rows},
                kTemporary);
        const BufferId update = graph_.allocate(p.elements * p.width, kTemporary);
        graph_.release(last);
        last = update;
    }
    graph_.release(last);
}

void OptimizerTape::run(const std::vector<Piece>& pieces) {
    if (!has_state_)
        for (const auto& piece : pieces) make_state(piece);
    if (graph_.settings().optimizer == Optimizer::adamw) adam_temporaries(pieces);
    if (graph_.settings().optimizer == Optimizer::adafactor) adafactor_temporaries(pieces);
}

void OptimizerTape::update(GraphParameter& parameter) {
    run({piece_of(static_cast<std::size_t>(&parameter - graph_.parameters().data()))});
    graph_.release(parameter.gradient);
    parameter.gradient = kNoBuffer;
}

void OptimizerTape::step() {
    if (layout_.offloads_optimizer) return;  // the host's processor updates
    if (!graph_.settings().optimizer_in_backward) run(pieces());
    has_state_ = true;
}

void OptimizerTape::zero_gradients() {
    if (!graph_.settings().set_to_none) return;
    for (auto& p : graph_.parameters()) {
        if (p.leaf) continue;
        graph_.release(p.gradient);
        p.gradient = kNoBuffer;
    }
}

}  // namespace plimsoll::training
