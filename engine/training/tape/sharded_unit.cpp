#include "engine/training/tape/sharded_unit.hpp"

namespace plimsoll::training {

void ShardedUnit::allocate_full(Graph& graph, const Layout& layout) {
    for (const auto index : parameters) {
        full.push_back(graph.allocate(graph.parameter(index).elements * layout.compute_bytes,
                                      Group::communication));
    }
}

void ShardedUnit::free_full(Graph& graph) {
    for (const auto id : full) graph.release(id);
    full.clear();
}

}  // namespace plimsoll::training
