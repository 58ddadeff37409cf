// The files of published models: safetensors, archives and pickles of PyTorch.
#include "engine/model_files/pickle.hpp"
#include "engine/model_files/safetensors.hpp"
#include "engine/model_files/torch_file.hpp"
#include "engine/model_files/zip.hpp"
#include "tests/fuzz/parsers/targets.hpp"

#include <array>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

namespace plimsoll::fuzz {

namespace {

// A file without a place, for as long as it is open.
class Unnamed {
  public:
    explicit Unnamed(std::string_view content) : file_(memfd_create("model", MFD_CLOEXEC)) {
        ensure(file_ >= 0);
        ensure(write(file_, content.data(), content.size()) ==
               static_cast<ssize_t>(content.size()));
    }
    Unnamed(const Unnamed&) = delete;
    Unnamed& operator=(const Unnamed&) = delete;
    ~Unnamed() { close(file_); }
    std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }

  private:
    int file_;
};

void check(const Result<model_files::TensorFile>& read) {
    if (!read) return;
    for (const auto& [name, tensor] : read->tensors) {
        if (tensor.count() > 1 << 20) continue;
        std::vector<float> numbers(tensor.count());
        static_cast<void>(model_files::to_floats(name, tensor, numbers));
    }
}

}  // namespace

void give_tensors(std::string_view text) {
    const std::span bytes(reinterpret_cast<const std::byte*>(text.data()), text.size());
    constexpr std::array<std::string_view, 1> kAllowed = {"collections OrderedDict"};
    if (const auto pickle = model_files::read_pickle(bytes, kAllowed))
        ensure(pickle->bytes <= bytes.size() && pickle->root < pickle->values.size());
    if (const auto entries = model_files::read_zip(bytes)) {
        for (const auto& [name, content] : *entries) {
            ensure(content.empty() ||
                   (content.data() >= bytes.data() &&
                    content.data() + content.size() <= bytes.data() + bytes.size()));
        }
    }
    const Unnamed file(text);
    check(model_files::read_safetensors(file.path()));
    check(model_files::read_torch(file.path()));
}

}  // namespace plimsoll::fuzz
