//===- EmitCWrappers.cpp - Emit C functions that call kernels -------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For a kernel @f.kernel and @f.sizes, the pass emits:
//
//   @f                 calls __qf_run_entry_point with the following
//   @f_output_sizes    calls __qf_compute_output_sizes
//   @f.table, @f.names the data of Runtime/Entry/EntryPointTable.h
//   @f.invoke          unpacks qf_tensors and calls @f.kernel
//   @f.infer           unpacks sizes, calls @f.sizes, and lists all output
//                      sizes; omitted if all of them are constants or sizes of
//                      inputs, because the table then describes them
//   @f.data_sizes      unpacks qf_tensors and calls @f.kernel for the sizes
//   only
//
// and separate @f, @f_output_sizes, @f.table and @f.names for each entry point
// that shares the kernel.
//
//===----------------------------------------------------------------------===//

#include "../Runtime/Entry/EntryPointTable.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/FunctionCallUtils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "quant-float/EntryPoint/Passes.h"
#include "quant-float/IR/CodegenAttributes.h"
#include "quant-float/IR/EntryPointInfo.h"
#include "quant-float/Support/LlvmCompat.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATEMITCWRAPPERSPASS
#include "quant-float/EntryPoint/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;

namespace {

/// Emits the functions and tables of one entry point.
class WrapperBuilder {
public:
  /// `takeDeviceError` is null if the kernel runs on the host, and `runStrings`
  /// if it has no strings.
  WrapperBuilder(LLVM::LLVMFuncOp kernel, LLVM::LLVMFuncOp sizes,
                 LLVM::LLVMFuncOp takeDeviceError, LLVM::LLVMFuncOp runStrings,
                 const EntryPointInfo &info)
      : kernel(kernel), sizes(sizes), takeDeviceError(takeDeviceError),
        runStrings(runStrings), info(info), b(kernel.getLoc(), kernel),
        ptr(LLVM::LLVMPointerType::get(kernel.getContext())),
        i32(b.getI32Type()), i64(b.getI64Type()) {}

  /// Checks that the functions have the types with which the wrappers call
  /// them.
  LogicalResult verify();
  void build(LLVM::LLVMFuncOp runFunction, LLVM::LLVMFuncOp sizesFunction);

private:
  LLVM::LLVMFuncOp makeFunction(const Twine &name, Type result,
                                ArrayRef<Type> arguments,
                                LLVM::Linkage linkage);
  void makeTable(const EntryPointInfo &named);
  LLVM::LLVMFuncOp makeInvoke();
  std::optional<SmallVector<int64_t>> findImplied();
  LLVM::LLVMFuncOp makeInfer();
  LLVM::LLVMFuncOp makeDataSizes();
  void makeEntry(LLVM::LLVMFuncOp runtime, LLVM::LLVMFuncOp infer,
                 LLVM::LLVMFuncOp dataSizes, LLVM::LLVMFuncOp invoke,
                 const Twine &name);
  /// Appends the kernel arguments for the buffer of dynamic sizes, and for
  /// whether to compute only these.
  void appendSizeArguments(Value buffer, bool sizesOnly,
                           SmallVectorImpl<Value> &arguments) {
    arguments.append({buffer, buffer, constant(0),
                      constant(info.getNumDynamicSizes()), constant(1),
                      constant(sizesOnly)});
  }
  Value allocateSizes() {
    return LLVM::AllocaOp::create(b, ptr, i64,
                                  constant(info.getNumDynamicSizes()));
  }
  /// Appends the kernel arguments for the tensors of the array at `tensors`.
  void unpack(Value tensors, ArrayRef<EntryPointArgument> descriptions,
              SmallVectorImpl<Value> &arguments);
  Value addressOrNull(LLVM::LLVMFuncOp function) {
    return function ? LLVM::AddressOfOp::create(b, function).getResult()
                    : LLVM::ZeroOp::create(b, ptr).getResult();
  }

  Value constant(int64_t value) {
    return LLVM::ConstantOp::create(b, i64, b.getI64IntegerAttr(value));
  }
  /// Returns the address of element `index` of an array of i64.
  Value getElement(Value array, size_t index) {
    return LLVM::GEPOp::create(
        b, ptr, i64, array,
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(index)});
  }
  /// Returns the sizes of tensor `index` of `tensors`, static ones as
  /// constants.
  SmallVector<Value> loadSizes(Value tensors, int64_t index,
                               const EntryPointArgument &argument);
  /// Loads field `field` of the qf_tensor at `index`.
  Value loadField(Value tensors, int64_t index, int32_t field, Type type);
  /// Whether the function returns a status.
  bool canFail(LLVM::LLVMFuncOp function) {
    return function.getFunctionType().getReturnType() == i64;
  }

  LLVM::LLVMFuncOp kernel, sizes, takeDeviceError, runStrings;
  const EntryPointInfo &info;
  ImplicitLocOpBuilder b;
  Type ptr, i32, i64;
  LLVM::GlobalOp table, names;
  /// The table's description of output sizes and of the numbers of checks, or
  /// nullopt if @f.infer computes them.
  std::optional<SmallVector<int64_t>> implied;
};

} // namespace

LogicalResult WrapperBuilder::verify() {
  auto check = [&](LLVM::LLVMFuncOp function, ArrayRef<Type> expected,
                   ArrayRef<Type> results) -> LogicalResult {
    LLVM::LLVMFunctionType type = function.getFunctionType();
    Type result = LLVM::LLVMVoidType::get(type.getContext());
    if (results.size() == 1)
      result = results.front();
    else if (!results.empty())
      result = LLVM::LLVMStructType::getLiteral(type.getContext(), results);
    auto expectedType = LLVM::LLVMFunctionType::get(result, expected);
    if (type == expectedType)
      return success();
    return function.emitError("function '")
           << function.getSymName() << "': expected type " << expectedType
           << " as the entry point's description implies, but got " << type;
  };
  // A ranked memref with identity layout, expanded to scalars.
  SmallVector<Type> kernelTypes, sizeTypes, dynamicSizeTypes;
  for (ArrayRef<EntryPointArgument> arguments :
       {ArrayRef(info.inputs), ArrayRef(info.outputs)})
    for (const EntryPointArgument &argument : arguments) {
      kernelTypes.append({ptr, ptr, i64});
      kernelTypes.append(2 * argument.sizes.size(), i64);
    }
  if (info.hasStrings)
    kernelTypes.push_back(i64);
  if (info.hasDataDependentSizes) {
    kernelTypes.append({ptr, ptr});
    kernelTypes.append(4, i64);
  }
  for (const EntryPointArgument &argument : info.inputs)
    sizeTypes.append(argument.sizes.size(), i64);
  dynamicSizeTypes.append(info.getNumDynamicSizes() + 2 * info.checks.size(),
                          i64);
  // A kernel that computes only the sizes returns a status.
  bool hasStatus = info.hasDataDependentSizes || canFail(kernel);
  if (failed(check(kernel, kernelTypes, SmallVector<Type>(hasStatus, i64))))
    return failure();
  return check(sizes, sizeTypes, dynamicSizeTypes);
}

LLVM::LLVMFuncOp WrapperBuilder::makeFunction(const Twine &name, Type result,
                                              ArrayRef<Type> arguments,
                                              LLVM::Linkage linkage) {
  b.setInsertionPointAfter(kernel);
  auto function = LLVM::LLVMFuncOp::create(
      b, name.str(), LLVM::LLVMFunctionType::get(result, arguments), linkage);
  b.setInsertionPointToStart(function.addEntryBlock(b));
  return function;
}

/// Emits the constant table of the entry point, and the string with its names.
void WrapperBuilder::makeTable(const EntryPointInfo &named) {
  std::string strings = named.symbol + '\0';
  // Appends a string and returns its offset.
  auto add = [&](StringRef name) {
    int64_t offset = strings.size();
    // A null character in a name would end the string early.
    for (char c : name)
      strings.push_back(c ? c : '?');
    strings.push_back('\0');
    return offset;
  };
  auto arguments = llvm::to_vector(
      llvm::concat<const EntryPointArgument>(named.inputs, named.outputs));
  SmallVector<int64_t> fields = {static_cast<int64_t>(info.inputs.size()),
                                 static_cast<int64_t>(info.outputs.size()),
                                 static_cast<int64_t>(info.checks.size())};
  int64_t size = (sizeof(Table) + arguments.size() * sizeof(Argument) +
                  info.checks.size() * sizeof(Check)) /
                     sizeof(int64_t) +
                 info.messages.size();
  int64_t numInputSizes = 0, numOutputSizes = 0;
  for (const EntryPointArgument &input : info.inputs)
    numInputSizes += input.sizes.size();
  for (const EntryPointArgument &output : info.outputs)
    numOutputSizes += output.sizes.size();
  fields.append({info.hasStrings, kernel->hasAttr(kFlushesSubnormalsAttrName),
                 numOutputSizes, size + numInputSizes + numOutputSizes});
  SmallVector<int64_t> sizes;
  for (const EntryPointArgument &argument : arguments) {
    fields.append({add(argument.name), argument.dtype,
                   getElementBits(argument.dtype),
                   static_cast<int64_t>(argument.sizes.size()),
                   size + static_cast<int64_t>(sizes.size())});
    sizes.append(argument.sizes);
  }
  for (const EntryPointCheck &check : info.checks)
    fields.append({check.isAssertion ? QF_CHECK_ASSERTION
                   : check.input < 0 ? QF_CHECK_OF_SIZES
                                     : QF_CHECK_OF_INPUT,
                   check.input, check.dimension, add(check.message)});
  for (const std::string &message : info.messages)
    fields.push_back(add(message));
  fields.append(sizes);
  if (implied)
    fields.append(*implied);
  size = fields.size();
  b.setInsertionPointAfter(kernel);
  table = LLVM::GlobalOp::create(
      b, LLVM::LLVMArrayType::get(i64, size), /*isConstant=*/true,
      LLVM::Linkage::Internal, named.symbol + ".table",
      DenseElementsAttr::get(RankedTensorType::get({size}, i64),
                             ArrayRef<int64_t>(fields)));
  names = LLVM::GlobalOp::create(
      b, LLVM::LLVMArrayType::get(b.getI8Type(), strings.size()),
      /*isConstant=*/true, LLVM::Linkage::Internal, named.symbol + ".names",
      b.getStringAttr(strings));
}

Value WrapperBuilder::loadField(Value tensors, int64_t index, int32_t field,
                                Type type) {
  auto tensorType =
      LLVM::LLVMStructType::getLiteral(b.getContext(), {ptr, ptr, i32, i32});
  Value address = LLVM::GEPOp::create(
      b, ptr, tensorType, tensors,
      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(index), field});
  return LLVM::LoadOp::create(b, type, address);
}

SmallVector<Value>
WrapperBuilder::loadSizes(Value tensors, int64_t index,
                          const EntryPointArgument &argument) {
  SmallVector<Value> values;
  Value pointer;
  for (auto [i, size] : llvm::enumerate(argument.sizes)) {
    if (size >= 0) {
      values.push_back(constant(size));
      continue;
    }
    if (!pointer)
      pointer = loadField(tensors, index, 1, ptr);
    values.push_back(LLVM::LoadOp::create(b, i64, getElement(pointer, i)));
  }
  return values;
}

void WrapperBuilder::unpack(Value tensors,
                            ArrayRef<EntryPointArgument> descriptions,
                            SmallVectorImpl<Value> &arguments) {
  for (auto [index, argument] : llvm::enumerate(descriptions)) {
    Value data = loadField(tensors, index, 0, ptr);
    SmallVector<Value> sizes = loadSizes(tensors, index, argument);
    arguments.append({data, data, constant(0)});
    arguments.append(sizes);
    SmallVector<Value> strides(sizes.size());
    for (int64_t i = sizes.size() - 1; i >= 0; --i)
      strides[i] = i + 1 == static_cast<int64_t>(sizes.size())
                       ? constant(1)
                       : LLVM::MulOp::create(b, strides[i + 1], sizes[i + 1])
                             .getResult();
    arguments.append(strides);
  }
}

LLVM::LLVMFuncOp WrapperBuilder::makeInvoke() {
  LLVM::LLVMFuncOp invoke = makeFunction(
      info.symbol + ".invoke", i64, {ptr, ptr, ptr}, LLVM::Linkage::Internal);
  // The call is between saving and restoring the floating-point environment.
  // Inlining it would allow LLVM to move arithmetic across these.
  invoke.setNoInline(true);
  SmallVector<Value> arguments;
  unpack(invoke.getArgument(0), info.inputs, arguments);
  unpack(invoke.getArgument(1), info.outputs, arguments);
  if (info.hasStrings)
    arguments.push_back(
        LLVM::PtrToIntOp::create(b, i64, invoke.getArgument(2)));
  if (info.hasDataDependentSizes)
    appendSizeArguments(allocateSizes(), /*sizesOnly=*/false, arguments);
  auto call = LLVM::CallOp::create(b, kernel, arguments);
  LLVM::ReturnOp::create(b, canFail(kernel) ? call.getResult()
                                            : constant(kKernelDone));
  return invoke;
}

/// Returns the description of all output sizes and checks if they are constants
/// or sizes of inputs, and nullopt otherwise.
std::optional<SmallVector<int64_t>> WrapperBuilder::findImplied() {
  if (info.hasDataDependentSizes || !llvm::hasSingleElement(sizes.getBody()))
    return std::nullopt;
  SmallVector<int64_t> positions;
  for (auto [input, argument] : llvm::enumerate(info.inputs))
    for (auto [dimension, size] : llvm::enumerate(argument.sizes))
      positions.push_back(
          size >= 0 ? size : ~static_cast<int64_t>(input << 32 | dimension));
  auto returnOp =
      dyn_cast<LLVM::ReturnOp>(sizes.getBody().front().getTerminator());
  if (!returnOp)
    return std::nullopt;
  SmallVector<Value> values(returnOp->getOperands());
  if (!values.empty())
    if (auto type = dyn_cast<LLVM::LLVMStructType>(values[0].getType())) {
      Value rest = values[0];
      values.assign(type.getBody().size(), Value());
      while (auto insert = rest.getDefiningOp<LLVM::InsertValueOp>()) {
        Value &value = values[insert.getPosition().front()];
        value = value ? value : insert.getValue();
        rest = insert.getContainer();
      }
    }
  SmallVector<int64_t> all;
  auto *next = values.begin();
  auto add = [&](Value value) {
    APInt number;
    if (auto argument = dyn_cast_if_present<BlockArgument>(value))
      all.push_back(positions[argument.getArgNumber()]);
    else if (value && matchPattern(value, m_ConstantInt(&number)) &&
             number.isNonNegative())
      all.push_back(number.getSExtValue());
    else
      return false;
    return true;
  };
  for (const EntryPointArgument &argument : info.outputs)
    for (int64_t size : argument.sizes) {
      if (size >= 0)
        all.push_back(size);
      else if (!add(*next++))
        return std::nullopt;
    }
  for (; next != values.end(); ++next)
    if (!add(*next))
      return std::nullopt;
  return all;
}

LLVM::LLVMFuncOp WrapperBuilder::makeInfer() {
  auto voidType = LLVM::LLVMVoidType::get(b.getContext());
  LLVM::LLVMFuncOp infer = makeFunction(info.symbol + ".infer", voidType,
                                        {ptr, ptr}, LLVM::Linkage::Internal);
  infer.setNoInline(true);
  SmallVector<Value> arguments;
  for (auto [index, argument] : llvm::enumerate(info.inputs))
    arguments.append(loadSizes(infer.getArgument(0), index, argument));
  // The dynamic sizes, followed by two numbers for each check.
  auto call = LLVM::CallOp::create(b, sizes, arguments);
  SmallVector<Value> values(call.getResults());
  if (call.getNumResults())
    if (auto type =
            dyn_cast<LLVM::LLVMStructType>(call.getResult().getType())) {
      values.clear();
      for (size_t i = 0; i < type.getBody().size(); ++i)
        values.push_back(LLVM::ExtractValueOp::create(b, call.getResult(), i));
    }
  SmallVector<Value> all;
  auto *next = values.begin();
  for (const EntryPointArgument &argument : info.outputs)
    for (int64_t size : argument.sizes)
      all.push_back(size >= 0 ? constant(size) : *next++);
  all.append(next, values.end());
  for (auto [index, value] : llvm::enumerate(all))
    LLVM::StoreOp::create(b, value, getElement(infer.getArgument(1), index));
  LLVM::ReturnOp::create(b, ValueRange());
  return infer;
}

/// Emits @f.data_sizes: (inputs, all output sizes) -> status of the kernel.
LLVM::LLVMFuncOp WrapperBuilder::makeDataSizes() {
  LLVM::LLVMFuncOp dataSizes = makeFunction(
      info.symbol + ".data_sizes", i64, {ptr, ptr}, LLVM::Linkage::Internal);
  dataSizes.setNoInline(true);
  Value computed = allocateSizes();
  // A kernel that fails does not write the sizes.
  for (int64_t i = 0, e = info.getNumDynamicSizes(); i < e; ++i)
    LLVM::StoreOp::create(b, constant(0), getElement(computed, i));
  SmallVector<Value> arguments;
  unpack(dataSizes.getArgument(0), info.inputs, arguments);
  Value null = LLVM::ZeroOp::create(b, ptr);
  for (const EntryPointArgument &argument : info.outputs) {
    arguments.append({null, null, constant(0)});
    arguments.append(2 * argument.sizes.size(), constant(0));
  }
  appendSizeArguments(computed, /*sizesOnly=*/true, arguments);
  Value status = LLVM::CallOp::create(b, kernel, arguments).getResult();
  // Dynamic sizes have positions among all output sizes.
  int64_t position = 0, next = 0;
  for (const EntryPointArgument &argument : info.outputs)
    for (int64_t size : argument.sizes) {
      if (size < 0)
        LLVM::StoreOp::create(
            b, LLVM::LoadOp::create(b, i64, getElement(computed, next++)),
            getElement(dataSizes.getArgument(1), position));
      ++position;
    }
  Value isComputed = LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::eq, status,
                                          constant(kKernelSizesComputed));
  LLVM::ReturnOp::create(
      b, LLVM::SelectOp::create(b, isComputed, constant(kKernelDone), status)
             .getResult());
  return dataSizes;
}

/// Emits @f or @f_output_sizes:
/// (inputs, outputs or output sizes, error, error size) -> status.
void WrapperBuilder::makeEntry(LLVM::LLVMFuncOp runtime, LLVM::LLVMFuncOp infer,
                               LLVM::LLVMFuncOp dataSizes,
                               LLVM::LLVMFuncOp invoke, const Twine &name) {
  LLVM::LLVMFuncOp entry =
      makeFunction(name, i32, {ptr, ptr, ptr, i64}, LLVM::Linkage::External);
  // The number of bytes of each argument, all output sizes, and the numbers of
  // the checks.
  int64_t scratchSize =
      info.inputs.size() + info.outputs.size() + 2 * info.checks.size();
  for (const EntryPointArgument &argument : info.outputs)
    scratchSize += argument.sizes.size();
  Value scratch = LLVM::AllocaOp::create(
      b, ptr, i64, constant(std::max<int64_t>(scratchSize, 1)));
  SmallVector<Value> arguments = {
      LLVM::AddressOfOp::create(b, table), LLVM::AddressOfOp::create(b, names),
      addressOrNull(infer), addressOrNull(dataSizes)};
  if (invoke)
    arguments.push_back(addressOrNull(invoke));
  arguments.push_back(addressOrNull(takeDeviceError));
  if (invoke)
    arguments.push_back(addressOrNull(runStrings));
  arguments.push_back(scratch);
  arguments.append(entry.getArguments().begin(), entry.getArguments().end());
  auto call = LLVM::CallOp::create(b, runtime, arguments);
  LLVM::ReturnOp::create(b, call.getResult());
}

void WrapperBuilder::build(LLVM::LLVMFuncOp runFunction,
                           LLVM::LLVMFuncOp sizesFunction) {
  implied = findImplied();
  LLVM::LLVMFuncOp invoke = makeInvoke();
  LLVM::LLVMFuncOp infer = implied ? LLVM::LLVMFuncOp() : makeInfer();
  LLVM::LLVMFuncOp dataSizes =
      info.hasDataDependentSizes ? makeDataSizes() : LLVM::LLVMFuncOp();
  auto makeEntries = [&](const EntryPointInfo &named) {
    makeTable(named);
    makeEntry(runFunction, infer, dataSizes, invoke, named.symbol);
    makeEntry(sizesFunction, infer, dataSizes, {},
              named.symbol + "_output_sizes");
  };
  makeEntries(info);
  for (const EntryPointNames &names : info.sharing)
    makeEntries(info.withNames(names));
  kernel.setLinkage(LLVM::Linkage::Internal);
  // The runtime has checked that no output overlaps another tensor. Only the
  // second of a memref's two pointers is dereferenced.
  unsigned position = 0;
  for (const EntryPointArgument &argument : info.inputs)
    position += 3 + 2 * argument.sizes.size();
  for (const EntryPointArgument &argument : info.outputs) {
    kernel.setArgAttr(position + 1, LLVM::LLVMDialect::getNoAliasAttrName(),
                      b.getUnitAttr());
    position += 3 + 2 * argument.sizes.size();
  }
  if (implied)
    sizes.erase();
  else
    sizes.setLinkage(LLVM::Linkage::Internal);
}

static LogicalResult emitWrappers(ModuleOp module) {
  SmallVector<LLVM::LLVMFuncOp> kernels;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    if (function->hasAttr(kEntryPointAttrName))
      kernels.push_back(function);
  if (kernels.empty())
    return success();

  SymbolTable symbols(module);
  llvm::StringSet<> made;
  OpBuilder builder(module.getContext());
  auto ptr = LLVM::LLVMPointerType::get(module.getContext());
  auto declare = [&](StringRef name, unsigned numPointers) {
    SmallVector<Type> arguments(numPointers, ptr);
    arguments.push_back(builder.getI64Type());
    return LLVM::lookupOrCreateFn(builder, module, name, arguments,
                                  builder.getI32Type());
  };
  auto run = declare("__qf_run_entry_point", 11);
  auto inferSizes = declare("__qf_compute_output_sizes", 9);
  FailureOr<LLVM::LLVMFuncOp> takeDeviceError = LLVM::LLVMFuncOp();
  if (module->hasAttr(gpu::GPUDialect::getContainerModuleAttrName()))
    takeDeviceError = LLVM::lookupOrCreateFn(builder, module,
                                             "quantFloatGpuTakeError", {}, ptr);
  if (failed(run) || failed(inferSizes) || failed(takeDeviceError))
    return failure();
  for (LLVM::LLVMFuncOp kernel : kernels) {
    FailureOr<EntryPointInfo> info = EntryPointInfo::get(kernel);
    if (failed(info))
      return failure();
    auto sizes = symbols.lookup<LLVM::LLVMFuncOp>(info->symbol + ".sizes");
    if (!sizes)
      return kernel.emitError("function '")
             << kernel.getSymName() << "': expected a shape function '"
             << info->symbol << ".sizes', but found none";
    SmallVector<StringRef> entries = {info->symbol};
    for (const EntryPointNames &names : info->sharing)
      entries.push_back(names.symbol);
    for (StringRef entry : entries)
      for (const char *suffix : {"", "_output_sizes"}) {
        std::string name = (entry + suffix).str();
        if (!made.insert(name).second || symbols.lookup(name))
          return kernel.emitError("entry point '")
                 << entry << "': the name '" << name << "' is already in use";
      }
    FailureOr<LLVM::LLVMFuncOp> runStrings = LLVM::LLVMFuncOp();
    if (info->hasStrings)
      runStrings = LLVM::lookupOrCreateFn(builder, module, "__qf_run_strings",
                                          {ptr, ptr, ptr, ptr, ptr},
                                          builder.getI64Type());
    if (failed(runStrings))
      return failure();
    WrapperBuilder wrappers(kernel, sizes, *takeDeviceError, *runStrings,
                            *info);
    if (failed(wrappers.verify()))
      return failure();
    wrappers.build(*run, *inferSizes);
  }
  return success();
}

/// Tells LLVM that the denormal mode is unknown if the module has kernels that
/// flush subnormals. Otherwise LLVM could convert a test of a float's bits to a
/// comparison with zero. Callees of a kernel, and the wrapper that it is
/// inlined into, run in the kernel's mode, so all functions are marked.
static void allowFlushing(ModuleOp module) {
  auto functions = module.getOps<LLVM::LLVMFuncOp>();
  if (llvm::none_of(functions, [](LLVM::LLVMFuncOp function) {
        return function->hasAttr(kFlushesSubnormalsAttrName);
      }))
    return;
  for (LLVM::LLVMFuncOp function : functions)
    if (!function.isExternal())
      setDynamicDenormalMode(function);
}

namespace {
struct QuantFloatEmitCWrappersPass
    : quant_float::impl::QuantFloatEmitCWrappersPassBase<
          QuantFloatEmitCWrappersPass> {
  void runOnOperation() override {
    // The code is generated. Upstream tools do not support the attribute.
    getOperation()->removeAttr(kTargetAttrName);
    if (failed(emitWrappers(getOperation())))
      return signalPassFailure();
    allowFlushing(getOperation());
  }
};
} // namespace
