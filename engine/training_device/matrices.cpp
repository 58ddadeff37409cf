#include "engine/training_device/matrices.hpp"

#include "engine/training/tape/record.hpp"

#include <algorithm>
#include <tuple>

namespace plimsoll::training {

std::vector<MatrixShape> matrix_shapes(const ModelShape& shape) {
    std::vector<MatrixShape> shapes;
    const auto add = [&](std::int64_t columns, std::int64_t depth) {
        const auto same = std::ranges::find_if(
            shapes, [&](const auto& s) { return s.columns == columns && s.depth == depth; });
        if (same != shapes.end())
            ++same->count;
        else
            shapes.push_back({columns, depth, 1});
    };
    for (const auto& p : list_parameters(shape, Lora{}))
        if (p.matrix && p.part != Part::embeddings) add(p.rows, p.elements / p.rows);
    // A tied head multiplies by the embedding.
    if (shape.head == Head::language_model && shape.tied_head) add(shape.vocab, shape.hidden);
    const auto order = [](const MatrixShape& s) {
        return std::tuple(s.flops_per_row() * static_cast<double>(s.count), s.columns, s.depth);
    };
    std::ranges::sort(shapes, std::ranges::greater{}, order);
    return shapes;
}

double matrix_flops_per_sample(const ModelShape& shape, TrainingSettings settings) {
    settings.batch = settings.accumulation = 1;
    return record_tape(shape, settings, {}).work.matmul_flops;
}

}  // namespace plimsoll::training
