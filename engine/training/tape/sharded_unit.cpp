#include "engine/training/tape/sharded_unit.hpp"

namespace plimsoll::training {

void ShardedUnit::allocate_full(Graph& graph, const Layout& layout) {
    for (const auto index : parameters)
        full.push_back(graph.allocate(bytes_of_full(graph, layout, index), Group::communication));
}

std::int64_t ShardedUnit::gathered_bytes(Graph& graph, const Layout& layout) const {
    std::int64_t sum = 0;
    for (const auto index : parameters) sum += bytes_of_full(graph, layout, index);
    return layout.padded(sum, of_experts);
}

std::int64_t ShardedUnit::bytes_of_full(Graph& graph, const Layout& layout, int index) {
    const auto& p = graph.parameter(index);
    return p.quantized ? (p.elements + 1) / 2 : p.elements * layout.compute_bytes;
}

void ShardedUnit::free_full(Graph& graph) {
    for (const auto id : full) graph.release(id);
    full.clear();
}

}  // namespace plimsoll::training
