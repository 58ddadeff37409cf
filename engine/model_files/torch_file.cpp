#include "engine/model_files/torch_file.hpp"

#include "engine/model_files/pickle.hpp"
#include "engine/model_files/zip.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <optional>

namespace plimsoll::model_files {
namespace {

using Bytes = std::span<const std::byte>;
using Kind = Pickle::Kind;

constexpr std::string_view kRebuild = "torch._utils _rebuild_tensor_v2";
constexpr std::string_view kRebuildParameter = "torch._utils _rebuild_parameter";

// "torch FloatStorage" and so on.
struct Storage {
    std::string_view global;
    NumberType type;
    std::size_t wide;
};
constexpr std::array kStorages = {
    Storage{"torch DoubleStorage", NumberType::float64, 8},
    Storage{"torch FloatStorage", NumberType::float32, 4},
    Storage{"torch HalfStorage", NumberType::float16, 2},
    Storage{"torch BFloat16Storage", NumberType::bfloat16, 2},
    Storage{"torch LongStorage", NumberType::other, 8},
    Storage{"torch IntStorage", NumberType::other, 4},
    Storage{"torch ShortStorage", NumberType::other, 2},
    Storage{"torch CharStorage", NumberType::other, 1},
    Storage{"torch ByteStorage", NumberType::other, 1},
    Storage{"torch BoolStorage", NumberType::other, 1},
};

constexpr std::array<std::string_view, 13> kAllowed = {
    kRebuild,
    kRebuildParameter,
    "collections OrderedDict",
    kStorages[0].global,
    kStorages[1].global,
    kStorages[2].global,
    kStorages[3].global,
    kStorages[4].global,
    kStorages[5].global,
    kStorages[6].global,
    kStorages[7].global,
    kStorages[8].global,
    kStorages[9].global,
};

// A tensor as the pickle describes it; its bytes are found by the storage's key.
struct Described {
    std::string name;
    std::string key;
    const Storage* storage = nullptr;
    std::uint64_t offset = 0;  // numbers
    std::vector<std::uint64_t> shape;
    std::vector<std::uint64_t> strides;
};

std::optional<std::vector<std::uint64_t>> sizes_of(const Pickle& pickle,
                                                   const Pickle::Value& list) {
    if (list.kind != Kind::sequence) return std::nullopt;
    std::vector<std::uint64_t> sizes;
    for (const auto place : list.items) {
        const auto& one = pickle.at(place);
        if (one.kind != Kind::integer || one.integer < 0) return std::nullopt;
        sizes.push_back(static_cast<std::uint64_t>(one.integer));
    }
    return sizes;
}

// ("storage", type, key, location, numbers, ...)
bool read_storage(const Pickle& pickle, const Pickle::Value& persistent, Described& into) {
    if (persistent.kind != Kind::persistent || persistent.items.empty()) return false;
    const auto& tuple = pickle.at(persistent.items[0]);
    if (tuple.kind != Kind::sequence || tuple.items.size() < 5) return false;
    const auto& type = pickle.at(tuple.items[1]);
    const auto& key = pickle.at(tuple.items[2]);
    const auto* const storage = std::ranges::find(kStorages, type.text, &Storage::global);
    if (type.kind != Kind::global || storage == kStorages.end() || key.kind != Kind::text)
        return false;
    into.storage = storage;
    into.key = key.text;
    // A view of another storage, in the format before the archive.
    return tuple.items.size() < 6 || pickle.at(tuple.items[5]).kind == Kind::none;
}

bool is_call_of(const Pickle& pickle, const Pickle::Value& value, std::string_view global) {
    return value.kind == Kind::call && value.items.size() == 2 &&
           pickle.at(value.items[0]).kind == Kind::global &&
           pickle.at(value.items[0]).text == global &&
           pickle.at(value.items[1]).kind == Kind::sequence;
}

std::optional<Described> describe(const Pickle& pickle, const Pickle::Value* value) {
    if (is_call_of(pickle, *value, kRebuildParameter)) {
        const auto& arguments = pickle.at(value->items[1]).items;
        if (arguments.empty()) return std::nullopt;
        value = &pickle.at(arguments[0]);
    }
    if (!is_call_of(pickle, *value, kRebuild)) return std::nullopt;
    const auto& arguments = pickle.at(value->items[1]).items;
    if (arguments.size() < 4) return std::nullopt;
    Described tensor;
    const auto& offset = pickle.at(arguments[1]);
    auto shape = sizes_of(pickle, pickle.at(arguments[2]));
    auto strides = sizes_of(pickle, pickle.at(arguments[3]));
    if (!read_storage(pickle, pickle.at(arguments[0]), tensor) || offset.kind != Kind::integer ||
        offset.integer < 0 || !shape || !strides || shape->size() != strides->size()) {
        return std::nullopt;
    }
    tensor.offset = static_cast<std::uint64_t>(offset.integer);
    tensor.shape = std::move(*shape);
    tensor.strides = std::move(*strides);
    return tensor;
}

Result<std::vector<Described>> describe_all(const Pickle& pickle) {
    const auto& root = pickle.at(pickle.root);
    if (root.kind != Kind::mapping)
        return fail(Errc::corrupt, "It does not contain a dictionary of tensors.");
    std::vector<Described> tensors;
    for (std::size_t i = 0; i + 1 < root.items.size(); i += 2) {
        const auto& key = pickle.at(root.items[i]);
        auto tensor = describe(pickle, &pickle.at(root.items[i + 1]));
        if (key.kind != Kind::text || !tensor) {
            return fail(Errc::corrupt,
                        "Its entry \"" + key.text.substr(0, 200) +
                            "\" is not a tensor: save only the model's state_dict().");
        }
        tensor->name = key.text;
        tensors.push_back(std::move(*tensor));
    }
    return tensors;
}

bool is_row_major(const Described& tensor) {
    std::uint64_t expected = 1;
    for (std::size_t i = tensor.shape.size(); i-- > 0;) {
        if (tensor.shape[i] != 1 && tensor.strides[i] != expected) return false;
        expected *= tensor.shape[i];
    }
    return true;
}

using FindStorage = std::function<std::optional<Bytes>(const std::string& key)>;

Result<void> add(const Described& tensor, const FindStorage& find, TensorFile& into) {
    const auto refuse = [&](const std::string& what) {
        return fail(Errc::corrupt, "The tensor \"" + tensor.name.substr(0, 200) + "\" " + what);
    };
    TRY(const auto numbers, numbers_of(tensor.shape));
    if (!is_row_major(tensor)) return refuse("is a view: save it with .contiguous().");
    const auto storage = find(tensor.key);
    const std::uint64_t wide = tensor.storage->wide;
    if (!storage || tensor.offset > storage->size() / wide ||
        numbers > storage->size() / wide - tensor.offset) {
        return refuse("lies outside the file.");
    }
    Tensor read{.type = tensor.storage->type,
                .shape = tensor.shape,
                .bytes = storage->subspan(tensor.offset * wide, numbers * wide)};
    if (!into.tensors.emplace(tensor.name, std::move(read)).second) return refuse("occurs twice.");
    return {};
}

Result<void> add_all(const Pickle& pickle, const FindStorage& find, TensorFile& into) {
    TRY(const auto tensors, describe_all(pickle));
    for (const auto& tensor : tensors) TRY_DO(add(tensor, find, into));
    return {};
}

Result<void> read_archive(TensorFile& into) {
    TRY(const auto entries, read_zip(into.parts.front().bytes()));
    const auto found = std::ranges::find_if(
        entries, [](const auto& entry) { return entry.first.ends_with("/data.pkl"); });
    if (found == entries.end()) return fail(Errc::corrupt, "The archive has no data.pkl.");
    const std::string folder = found->first.substr(0, found->first.size() - 8);
    if (const auto order = entries.find(folder + "byteorder"); order != entries.end()) {
        const std::string_view name(reinterpret_cast<const char*>(order->second.data()),
                                    order->second.size());
        if (name != "little") return fail(Errc::corrupt, "Its numbers are big-endian.");
    }
    TRY(const auto pickle, read_pickle(found->second, kAllowed));
    return add_all(
        pickle,
        [&](const std::string& key) -> std::optional<Bytes> {
            const auto entry = entries.find(folder + "data/" + key);
            return entry == entries.end() ? std::nullopt : std::optional(entry->second);
        },
        into);
}

// A magic number, a protocol, a description of the machine, the dictionary, the keys of storages in
// the order of their numbers: five pickles. Then each storage with its length before it.
Result<void> read_before_archives(TensorFile& into) {
    Bytes rest = into.parts.front().bytes();
    std::vector<Pickle> pickles;
    for (int i = 0; i < 5; ++i) {
        TRY(auto pickle, read_pickle(rest, kAllowed));
        rest = rest.subspan(pickle.bytes);
        pickles.push_back(std::move(pickle));
        const auto& magic = pickles[0].at(pickles[0].root);
        // 0x1950a86a20f9469cfc6c, little-endian.
        if (magic.text != std::string_view("\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19", 10))
            return fail(Errc::corrupt, "It was not written by torch.save.");
    }
    TRY(const auto tensors, describe_all(pickles[3]));
    const auto wide_of = [&](const std::string& key) -> std::size_t {
        const auto found = std::ranges::find(tensors, key, &Described::key);
        return found == tensors.end() ? 0 : found->storage->wide;
    };
    std::map<std::string, Bytes, std::less<>> storages;
    for (const auto place : pickles[4].at(pickles[4].root).items) {
        const auto& key = pickles[4].at(place).text;
        const auto wide = wide_of(key);
        std::uint64_t numbers = 0;
        if (wide == 0 || rest.size() < sizeof numbers)
            return fail(Errc::corrupt, "Its storage \"" + key.substr(0, 200) + "\" is damaged.");
        std::memcpy(&numbers, rest.data(), sizeof numbers);
        rest = rest.subspan(sizeof numbers);
        if (numbers > rest.size() / wide)
            return fail(Errc::corrupt, "Its storage \"" + key.substr(0, 200) + "\" is cut off.");
        storages.emplace(key, rest.first(numbers * wide));
        rest = rest.subspan(numbers * wide);
    }
    return add_all(
        pickles[3],
        [&](const std::string& key) -> std::optional<Bytes> {
            const auto found = storages.find(key);
            return found == storages.end() ? std::nullopt : std::optional(found->second);
        },
        into);
}

}  // namespace

Result<TensorFile> read_torch(const std::filesystem::path& path) {
    TRY(auto file, MappedFile::open(path));
    TensorFile read;
    read.parts.push_back(std::move(file));
    auto done =
        is_zip(read.parts.front().bytes()) ? read_archive(read) : read_before_archives(read);
    if (!done) {
        auto error = done.error();
        error.message = path.filename().string() + " cannot be loaded. " + error.message;
        error.where = path.string();
        return fail(std::move(error));
    }
    return read;
}

}  // namespace plimsoll::model_files
