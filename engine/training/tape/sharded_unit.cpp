#include "engine/training/tape/sharded_unit.hpp"

namespace plimsoll::training {

void ShardedUnit::allocate_full(Graph& graph, const Layout& layout) {
    for (const auto index : parameters) {
        const auto whole =
            graph.allocate(bytes_of_full(graph, layout, index), Group::communication);
        full.push_back(graph.parameter(index).gathered = whole);
    }
}

std::int64_t ShardedUnit::bytes(Graph& graph, const Layout& layout) const {
    std::int64_t sum = 0;
    for (const auto index : parameters) sum += bytes_of_full(graph, layout, index);
    return sum;
}

std::int64_t ShardedUnit::bytes_of_full(Graph& graph, const Layout& layout, int index) {
    const auto& p = graph.parameter(index);
    if (p.quantized) return (p.elements + 1) / 2;
    return layout.whole(p.elements, p.blocks) * layout.compute_bytes;
}

void keep_gathered(Graph& graph, Node* node, int weight) {
    const auto& p = graph.parameter(weight);
    if (p.gathered != kNoBuffer) return graph.save(node, p.gathered);
    const BufferId own = graph.allocate((p.elements + 1) / 2, Group::communication);
    graph.save(node, own);
    graph.release(own);
}

void ShardedUnit::free_full(Graph& graph) {
    for (const auto id : full) graph.release(id);
    for (const auto index : parameters) graph.parameter(index).gathered = kNoBuffer;
    full.clear();
}

}  // namespace plimsoll::training
