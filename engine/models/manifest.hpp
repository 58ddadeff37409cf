#pragma once

#include "engine/models/findings.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::models {

struct ModelFile {
    std::string name;
    std::uint64_t bytes = 0;
    std::string sha256;  // hexadecimal

    static void members(auto& visit, auto& self) {
        visit("name", self.name);
        visit("bytes", self.bytes);
        visit("sha256", self.sha256);
    }
};

// What is stored with an installed model besides its files, in `plimsoll.json`.
struct Manifest {
    std::string name;  // name used by jobs
    // SHA-256 of the names and hashes of its files: same hash, same model.
    std::string hash = {};
    std::string source = {};    // origin of its files, as given when it was added
    std::string licence = {};   // empty: not given
    std::string added_at = {};  // RFC 3339, UTC
    std::string added_by = {};  // empty: not given
    std::string audience = {};  // who alone may use it, in the words of its server; empty: all
    std::string family = {};    // bert, distilbert, roberta
    std::vector<std::string> labels = {};
    std::uint64_t parameters = 0;
    std::uint32_t longest_text = 0;  // tokens
    std::uint32_t layers = 0;
    std::uint32_t hidden = 0;
    std::uint32_t intermediate = 0;
    // Findings about the model, kept in separate files: about its other forms and its labels.
    std::vector<Proof> proofs = {};
    std::vector<Accuracy> accuracies = {};
    std::string warning = {};           // when it was added; not stored
    std::uint64_t bytes = 0;            // of its files
    std::vector<ModelFile> files = {};  // empty if the manifest was transferred without them

    static void members(auto& visit, auto& self) {
        visit("name", self.name);
        visit("hash", self.hash);
        visit.always("source", self.source);
        visit.always("licence", self.licence);
        visit.always("added_at", self.added_at);
        visit.always("added_by", self.added_by);
        visit.always("audience", self.audience);
        visit("family", self.family);
        visit.always("labels", self.labels);
        visit("parameters", self.parameters);
        visit("longest_text", self.longest_text);
        visit("layers", self.layers);
        visit("hidden", self.hidden);
        visit("intermediate", self.intermediate);
        visit.always("proofs", self.proofs);
        visit.always("accuracies", self.accuracies);
        visit("bytes", self.bytes);
        visit.always("files", self.files);
    }
};

// 1 to 64 characters of a-z, 0-9, '.', '_' and '-', the first a letter or digit.
bool is_model_name(std::string_view name);

// Errc::corrupt.
Result<Manifest> manifest_from_json(const nlohmann::json& stored);

}  // namespace plimsoll::models
