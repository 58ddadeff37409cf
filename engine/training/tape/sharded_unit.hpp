#pragma once

#include "engine/training/tape/graph.hpp"
#include "engine/training/tape/layout.hpp"

#include <concepts>
#include <vector>

namespace plimsoll::training {

// Weights of which every card keeps a shard, and which are gathered together: those of a layer, or
// of everything outside the layers.
struct ShardedUnit {
    bool of_experts = false;      // that other cards do not have
    std::vector<int> parameters;  // indices
    std::vector<BufferId> full;   // the whole weights, while they are gathered

    void allocate_full(Graph& graph, const Layout& layout);
    void free_full(Graph& graph);
    // Of all whole weights: a packed one as it is.
    std::int64_t bytes(Graph& graph, const Layout& layout) const;
    // What is received when they are gathered.
    std::int64_t gathered_bytes(Graph& graph, const Layout& layout) const {
        return layout.padded(bytes(graph, layout), of_experts);
    }

  private:
    static std::int64_t bytes_of_full(Graph& graph, const Layout& layout, int index);
};

// Holds a packed weight that DeepSpeed has gathered until the node's backward pass: bitsandbytes
// has a view of it. FSDP empties such memory all the same; DeepSpeed takes new memory for what it
// gathers next.
void keep_gathered(Graph& graph, Node* node, int weight);

// The first is outside the layers, layer n follows at n + 1. `begin`: where the graph has the first
// parameter. Divided experts are units of their own.
template <std::derived_from<ShardedUnit> Unit>
std::vector<Unit> units_of(const std::vector<Parameter>& parameters, int begin,
                           bool of_experts = false) {
    std::vector<Unit> units(1);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const auto at = static_cast<std::size_t>(parameters[i].layer + 1);
        if (at >= units.size()) units.resize(at + 1);
        if (parameters[i].divided != of_experts) continue;
        units[at].of_experts = of_experts;
        units[at].parameters.push_back(begin + static_cast<int>(i));
    }
    return units;
}

}  // namespace plimsoll::training
