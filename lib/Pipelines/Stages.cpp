//===- Stages.cpp - The stages of code generation -------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Pipelines/Stages.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "quant-float/Pipelines/Passes.h"
#include "quant-float/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::quant_float;

namespace {
struct StageInfo {
  StringLiteral name, summary;
  void (*build)(OpPassManager &, const StageOptions &);
  /// Whether the stage belongs to the pipeline of this target.
  bool onCPU = true, onGPU = true;
};

/// In the order of Stage.
constexpr StageInfo kStages[] = {
    {"normalize-import",
     "convert imported models to ONNX nodes and quant_float ops",
     buildNormalizeImport},
    {"rewrite-quantization",
     "eliminate dequantize-quantize pairs and convert QDQ matmuls and "
     "convolutions to integer arithmetic",
     buildRewriteQuantization},
    {"lower-nodes-to-linalg",
     "convert ONNX nodes and quant_float ops to linalg on tensors",
     buildLowerNodesToLinalg},
    {"optimize-tensors", "fuse, tile and pack linalg ops on tensors",
     buildOptimizeTensors},
    {"bufferize", "convert tensors to memrefs and place allocations",
     buildBufferize},
    {"generate-cpu-code",
     "vectorize, expand conversions and convert to the LLVM dialect",
     buildGenerateCPUCode, /*onCPU=*/true, /*onGPU=*/false},
    {"generate-gpu-code", "outline GPU kernels and compile them",
     buildGenerateGPUCode, /*onCPU=*/false, /*onGPU=*/true},
    {"emit-abi", "emit the C functions of entry points", buildEmitABI},
};

/// Calls StageOptions::onStage.
struct StageCallback final
    : PassWrapper<StageCallback, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(StageCallback)

  StageCallback(Stage stage,
                std::function<LogicalResult(Stage, Operation *)> onStage)
      : stage(stage), onStage(std::move(onStage)) {}

  StringRef getName() const override { return "StageCallback"; }
  void runOnOperation() override {
    if (failed(onStage(stage, getOperation())))
      signalPassFailure();
    markAllAnalysesPreserved();
  }

  Stage stage;
  std::function<LogicalResult(Stage, Operation *)> onStage;
};

/// The options of all pipelines. A pipeline of one target has the options that
/// it uses.
struct CommonOptions {
  template <typename Options>
  explicit CommonOptions(Options &owner)
      : partition(owner, "partition",
                  llvm::cl::desc("compile the subgraphs around quantization "
                                 "ops and drop the rest"),
                  llvm::cl::init(false)),
        accumulation(
            owner, "accumulation",
            llvm::cl::desc(
                "accumulation order and rounding of matmuls and convolutions"),
            llvm::cl::values(
                clEnumValN(Accumulation::Ordered, "ordered",
                           "the order of rule R7, on every machine"),
                clEnumValN(Accumulation::Reassociate, "reassociate",
                           "other orders, if the target has faster ones")),
            llvm::cl::init(Accumulation::Ordered)),
        verify(owner, "verify-stages",
               llvm::cl::desc("verify the invariant of each stage"),
               llvm::cl::init(StageOptions().verify)) {}

  void apply(StageOptions &options) const {
    options.partition = partition;
    options.accumulation = accumulation;
    options.verify = verify;
  }

  detail::PassOptions::Option<bool> partition;
  detail::PassOptions::Option<Accumulation> accumulation;
  detail::PassOptions::Option<bool> verify;
};

struct CPUOptions {
  template <typename Options>
  explicit CPUOptions(Options &owner)
      : cpu(owner, "cpu",
            llvm::cl::desc("target CPU; 'host' means that of this machine"),
            llvm::cl::init("host")),
        triple(owner, "triple",
               llvm::cl::desc("target triple; empty means the host's"),
               llvm::cl::init("")),
        threads(owner, "threads",
                llvm::cl::desc("number of threads; 1: no threading, 0: "
                               "OpenMP's default"),
                llvm::cl::init(1)),
        activations(
            owner, "activations",
            llvm::cl::desc("type of the activations in matmuls with low-bit "
                           "weights"),
            llvm::cl::values(clEnumValN(Activations::Float, "float",
                                        "keep the type of the model"),
                             clEnumValN(Activations::Int16, "int16",
                                        "16-bit integers (rule R8)"),
                             clEnumValN(Activations::Int8, "int8",
                                        "8-bit integers (rule R8)")),
            llvm::cl::init(Activations::Float)) {}

  void apply(StageOptions &options) const {
    if (auto found = TargetCpu::get(triple, cpu)) {
      options.cpu = *found;
    } else {
      // The builder of a pipeline cannot fail. The first pass that looks up the
      // target reports invalid names.
      llvm::consumeError(found.takeError());
      options.cpu.triple = triple;
      options.cpu.cpu = cpu;
    }
    options.threads = threads;
    options.activations = activations;
  }

  detail::PassOptions::Option<std::string> cpu, triple;
  detail::PassOptions::Option<unsigned> threads;
  detail::PassOptions::Option<Activations> activations;
};

struct GPUOptions {
  template <typename Options>
  explicit GPUOptions(Options &owner)
      : chip(owner, "chip", llvm::cl::desc("NVIDIA chip, such as sm_90"),
             llvm::cl::init("")),
        features(owner, "features",
                 llvm::cl::desc("PTX version, such as +ptx80; empty means the "
                                "lowest that supports all of the chip's "
                                "instructions"),
                 llvm::cl::init("")),
        format(owner, "format", llvm::cl::desc("output format of the kernels"),
               llvm::cl::init(KernelFormat::ISA),
               llvm::cl::values(
                   clEnumValN(KernelFormat::ISA, "isa", "PTX"),
                   clEnumValN(KernelFormat::Bin, "bin", "a cubin, by ptxas"),
                   clEnumValN(KernelFormat::FatBin, "fatbin",
                              "both, by ptxas and fatbinary"),
                   clEnumValN(KernelFormat::LLVM, "llvm", "bitcode"))),
        toolkit(owner, "toolkit",
                llvm::cl::desc("directory of the CUDA toolkit; if empty, it is "
                               "found through CUDA_ROOT, CUDA_HOME, CUDA_PATH "
                               "and PATH"),
                llvm::cl::init("")) {}

  void apply(StageOptions &options) const {
    options.chip = chip;
    options.ptx = features;
    options.format = format;
    options.toolkit = toolkit;
  }

  detail::PassOptions::Option<std::string> chip, features;
  detail::PassOptions::Option<KernelFormat> format;
  detail::PassOptions::Option<std::string> toolkit;
};

struct LowerToCPUOptions final : PassPipelineOptions<LowerToCPUOptions> {
  CommonOptions common{*this};
  CPUOptions cpu{*this};

  StageOptions get() const {
    StageOptions options;
    common.apply(options);
    cpu.apply(options);
    return options;
  }
};

struct LowerToNVVMOptions final : PassPipelineOptions<LowerToNVVMOptions> {
  CommonOptions common{*this};
  GPUOptions gpu{*this};

  StageOptions get() const {
    StageOptions options;
    options.onGPU = true;
    common.apply(options);
    gpu.apply(options);
    return options;
  }
};

struct LowerToUpstreamOptions final
    : PassPipelineOptions<LowerToUpstreamOptions> {
  Option<std::string> cpu{
      *this, "cpu",
      llvm::cl::desc("target CPU; empty means the baseline of the triple"),
      llvm::cl::init("")};
  Option<std::string> triple{
      *this, "triple", llvm::cl::desc("target triple; empty means the host's"),
      llvm::cl::init("")};

  StageOptions get() const {
    StageOptions options;
    options.cpu.cpu = cpu;
    options.cpu.triple = triple;
    return options;
  }
};

/// The options of the pipeline of a single stage. A chip selects the GPU.
struct SingleStageOptions final : PassPipelineOptions<SingleStageOptions> {
  CommonOptions common{*this};
  CPUOptions cpu{*this};
  GPUOptions gpu{*this};

  StageOptions get() const {
    StageOptions options;
    common.apply(options);
    cpu.apply(options);
    gpu.apply(options);
    options.onGPU = !options.chip.empty();
    return options;
  }
};
} // namespace

StringRef quant_float::getStageName(Stage stage) {
  return kStages[static_cast<unsigned>(stage)].name;
}

std::optional<Stage> quant_float::findStage(StringRef name) {
  for (auto [index, info] : llvm::enumerate(kStages))
    if (info.name == name)
      return static_cast<Stage>(index);
  return std::nullopt;
}

SmallVector<Stage> quant_float::getStages(const StageOptions &options) {
  SmallVector<Stage> stages;
  for (auto [index, info] : llvm::enumerate(kStages))
    if (options.onGPU ? info.onGPU : info.onCPU)
      stages.push_back(static_cast<Stage>(index));
  return stages;
}

void quant_float::buildStage(OpPassManager &manager, Stage stage,
                             const StageOptions &options) {
  kStages[static_cast<unsigned>(stage)].build(manager, options);
  if (options.verify) {
    QuantFloatVerifyStagePassOptions invariant;
    invariant.stage = getStageName(stage).str();
    invariant.partition = options.partition;
    manager.addPass(createQuantFloatVerifyStagePass(invariant));
  }
  if (options.onStage)
    manager.addPass(std::make_unique<StageCallback>(stage, options.onStage));
}

/// Sets the target that the passes of all stages look up.
static void setTarget(OpPassManager &manager, const StageOptions &options) {
  QuantFloatSetTargetPassOptions target;
  if (options.onGPU) {
    // An empty name is an error, too.
    target.chip = options.chip.empty() ? "''" : options.chip;
    target.ptx = options.ptx;
  } else {
    target.cpu = options.cpu.cpu;
    target.triple = options.cpu.triple;
    target.features = options.cpu.features;
  }
  manager.addPass(createQuantFloatSetTargetPass(target));
}

void quant_float::buildStages(OpPassManager &manager,
                              const StageOptions &options) {
  setTarget(manager, options);
  for (Stage stage : getStages(options))
    buildStage(manager, stage, options);
}

void quant_float::registerPipelines() {
  for (auto [index, info] : llvm::enumerate(kStages)) {
    Stage stage = static_cast<Stage>(index);
    PassPipelineRegistration<SingleStageOptions>(
        ("quant-float-" + info.name).str(), info.summary,
        [stage](OpPassManager &manager, const SingleStageOptions &options) {
          setTarget(manager, options.get());
          buildStage(manager, stage, options.get());
        });
  }
  PassPipelineRegistration<LowerToCPUOptions>(
      "quant-float-lower-to-cpu",
      "lower quant_float on tensors to vectorized LLVM dialect with C entry "
      "points",
      [](OpPassManager &manager, const LowerToCPUOptions &options) {
        buildStages(manager, options.get());
      });
  PassPipelineRegistration<LowerToNVVMOptions>(
      "quant-float-lower-to-nvvm",
      "lower quant_float on tensors to kernels for NVIDIA GPUs with C entry "
      "points that launch them",
      [](OpPassManager &manager, const LowerToNVVMOptions &options) {
        buildStages(manager, options.get());
      });
  PassPipelineRegistration<LowerToUpstreamOptions>(
      "quant-float-lower-to-upstream",
      "lower nodes and quant_float on tensors to upstream dialects on tensors",
      [](OpPassManager &manager, const LowerToUpstreamOptions &options) {
        setTarget(manager, options.get());
        buildLowerToUpstream(manager, options.get());
      });
}
