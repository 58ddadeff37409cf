// Uses engine/training as a library, without any server: which batch of a preset fits a GPU.
// estimate PRESET GPU

#include "engine/training/advice/report.hpp"
#include "engine/training/gpus/catalogue.hpp"
#include "engine/training/models/presets.hpp"

#include <cstdio>

int main(int argc, char** argv) {
    namespace training = plimsoll::training;
    if (argc != 3) {
        std::fputs("usage: estimate PRESET GPU\n", stderr);
        return 2;
    }
    const auto shape = training::preset(argv[1]);
    const auto gpu = training::GpuCatalogue().find(argv[2]);
    if (!shape || !gpu) {
        std::fprintf(stderr, "%s\n", (shape ? gpu.error() : shape.error()).message.c_str());
        return 2;
    }
    training::ReportRequest request;
    request.shape = *shape;
    request.adapts_precision = true;  // to the GPU and the checkpoint
    request.settings.kernel = training::OptimizerKernel::fused;
    request.settings.clip = true;
    request.gpus = {*gpu};
    request.what_ifs = request.curves = false;
    const auto report = training::make_report(request);
    if (!report) {
        std::fprintf(stderr, "%s\n", report.error().message.c_str());
        return 2;
    }
    const auto& card = report->gpus.front();
    std::printf("%s: fits %s, batch %lld of at most %lld, %.1f GiB\n", card.gpu.id.c_str(),
                std::string(training::to_string(card.fit)).c_str(),
                static_cast<long long>(card.batch), static_cast<long long>(card.limits.max_batch),
                static_cast<double>(card.device_used) / (1 << 30));
    return card.fit == training::Fit::no ? 1 : 0;
}
