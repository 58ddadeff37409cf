#include "engine/training/tape/communication.hpp"

#include "engine/training/tape/ddp_buckets.hpp"
#include "engine/training/tape/fsdp_buffers.hpp"
#include "engine/training/tape/zero_buffers.hpp"

namespace plimsoll::training {

std::unique_ptr<Communication> make_communication(Graph& graph, const Layout& layout,
                                                  const SharedWeights& weights) {
    switch (layout.sharding) {
        case Sharding::none: return std::make_unique<Communication>();
        case Sharding::ddp: return std::make_unique<DdpBuckets>(graph);
        case Sharding::zero1:
        case Sharding::zero2:
        case Sharding::zero3: return std::make_unique<ZeroBuffers>(graph, layout, weights);
        case Sharding::fsdp:
        case Sharding::fsdp_grad_op: return std::make_unique<FsdpBuffers>(graph, layout, weights);
    }
    return nullptr;
}

}  // namespace plimsoll::training
