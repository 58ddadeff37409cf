#pragma once

#include "server/kinds/training_config/contract/configs/configured_run.hpp"
#include "server/kinds/training_config/contract/configs/structures/known_keys.hpp"

#include <set>
#include <span>
#include <vector>

namespace plimsoll::jobs::training_config {

// A file of one structure, read into a run. Notes which keys were read, so that the others can be
// named.
class Reader {
  public:
    Reader(const YAML::Node& root, ConfiguredRun& run) : root(root), run(run) {}

    const YAML::Node& root;
    ConfiguredRun& run;

    YAML::Node node(const Path& path);
    std::string word(const Path& path, std::string otherwise = {});
    template <class Value>
    Value value(const Path& path, Value otherwise) {
        read_.insert(path);
        require_value(path);
        return scalar_at(root, path, otherwise);
    }
    // The first of these places that the file has, else the last.
    Path first_of(std::span<const Path> mappings, std::initializer_list<const char*> names);

    void batch(const Path& path, std::int64_t otherwise = 0);
    // Its value, if it is a number.
    void accumulation(const Path& path);
    // "bf16", "fp16" or "no", of a launcher: a trainer's arguments decide. Others say nothing.
    void precision(const std::string& mixed);
    // By the name that from_pretrained takes.
    void attention(const std::string& kind);
    void clip(bool clips) { run.training["clip"] = clips; }
    // `cards`: 0 if the file does not say.
    void shard(const std::string& sharding, std::int64_t cards, const Path& place);
    void offload(const std::string& optimizer, const std::string& parameters);
    // Groups of cards that each hold all shards.
    void replicas(std::int64_t count);
    // DeepSpeed's, of this many elements; stages 1 and 2 have a second one to overlap with.
    void buckets(double elements, bool overlaps);

    // "PLACE is VALUE: WHY". `flag`: what is not modelled does not count where it is given.
    void unmodelled(const Path& place, const std::string& why, const std::string& flag = {});
    // Names what a mapping holds besides what was read.
    void name_rest(const Path& around, std::initializer_list<const char*> libraries);
    // Of a file whose structure is not known, what by its name may change the memory.
    void name_heavy(const Path& around = {});

  private:
    using Libraries = std::vector<const KnownKeys*>;

    void name_rest(const Path& around, const Path& path, const Libraries& libraries);
    void name_contradictions(const Path& around, const Libraries& libraries);
    // Names an interpolation that nothing in the file resolves.
    void require_value(const Path& path);
    bool has_reason(std::string_view why) const;
    bool name_weighing(const Path& path, const std::string& key, const Libraries& libraries);

    std::set<Path> read_;
};

// Length, adapters and quantization of a run whose settings are in `around`. `library_rank`: of
// adapters whose rank is not given; 0: then there are none; -1: there are none in any case.
void read_adapted_run(Reader& reader, const Path& around, std::int64_t library_rank);

// By the name of a library or a class; after the adapters.
void read_optimizer(Reader& reader, const Path& place, const std::string& name);
// The answers of GRPO, which TRL and axolotl describe by the same keys.
void read_answers(Reader& reader, const Path& around);
// GPUs that Ray's workers have.
void read_ray(Reader& reader);

// Each returns whether the file has the structure, and then has read it.
bool read_deepspeed(Reader& reader);
bool read_accelerate(Reader& reader);
bool read_transformers(Reader& reader);
bool read_lightning(Reader& reader);
bool read_llama_factory_1(Reader& reader);
bool read_llama_factory_other(Reader& reader);
bool read_axolotl(Reader& reader);
bool read_torchtune(Reader& reader);
bool read_torchtitan(Reader& reader);
// DeepSpeed's configuration within another file.
void read_deepspeed_at(Reader& reader, const Path& around);

}  // namespace plimsoll::jobs::training_config
