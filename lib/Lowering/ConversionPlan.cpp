//===- ConversionPlan.cpp - Conversion plans ------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AArch64/Instructions.h"
#include "ConversionRow.h"
#include "NVVM/Instructions.h"
#include "RISCV/Instructions.h"
#include "SIMD/Sequences.h"
#include "X86/Instructions.h"
#include "mlir/IR/Remarks.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/Support/FloatFormat.h"

using namespace mlir;
using namespace mlir::quant_float;

//===----------------------------------------------------------------------===//
// Table
//===----------------------------------------------------------------------===//

namespace {
// Type classes that the rows name in addition to the builtin types.
struct NarrowFloatType {
  static bool classof(Type type) { return isNarrowFloat(type); }
};
struct SignedNarrowFloatType {
  static bool classof(Type type) {
    return isNarrowFloat(type) && FloatFormat(type).isSigned;
  }
};
struct ShortNarrowFloatType {
  static bool classof(Type type) {
    return SignedNarrowFloatType::classof(type) &&
           FloatFormat(type).mantissaBits <= 3;
  }
};
struct ShortHalfFloatType {
  static bool classof(Type type) {
    return ShortNarrowFloatType::classof(type) &&
           FloatFormat(type).minExponent >= -14;
  }
};
/// Signed narrow floats to which f16 zeros and subnormals round to zero.
struct CoarseHalfFloatType {
  static bool classof(Type type) {
    if (!SignedNarrowFloatType::classof(type))
      return false;
    FloatFormat format(type);
    return format.minExponent - int(format.mantissaBits) - 1 >= -14;
  }
};
/// The formats that decodeByIntegers supports.
struct MostlyNormalFloatType {
  static bool classof(Type type) {
    if (!SignedNarrowFloatType::classof(type))
      return false;
    FloatFormat format(type);
    unsigned others = format.signMask() - 1 - format.maxEncoding +
                      (1u << format.mantissaBits) + format.isFNUZ;
    return format.width <= 4 || others < 15;
  }
};
/// As above, if all nonzero values are also normal in f16.
struct NormalHalfFloatType {
  static bool classof(Type type) {
    return MostlyNormalFloatType::classof(type) &&
           CoarseHalfFloatType::classof(type);
  }
};
/// Integers of 2 to 8 bits.
struct ByteIntegerType {
  static bool classof(Type type) {
    auto integer = dyn_cast<IntegerType>(type);
    return integer && integer.getWidth() > 1 && integer.getWidth() <= 8;
  }
};
struct StandardFloatType {
  static bool classof(Type type) { return isStandardFloat(type); }
};
} // namespace

template <typename T> static bool is(Type type) { return T::classof(type); }

ArrayRef<ConversionRow> quant_float::getConversionRows() {
  static const ConversionRow rows[] = {
#define QUANT_FLOAT_CONVERSION(From, To, Feature, Elements, Instruction,       \
                               Build, Finish)                                  \
  {is<From##Type>, is<To##Type>,      ConversionFeature::Feature,              \
   Elements,       Instruction,       Build,                                   \
   Finish,         RowUse::Everything},
#define QUANT_FLOAT_ENCODING(From, To, Feature, Elements, Instruction, Build)  \
  {is<From##Type>, is<To##Type>,     ConversionFeature::Feature,               \
   Elements,       Instruction,      Build,                                    \
   nullptr,        RowUse::Encodings},
#define QUANT_FLOAT_QUANTIZE(To, Feature, Elements, Instruction, Build)        \
  {is<Float32Type>, is<To##Type>,     ConversionFeature::Feature,              \
   Elements,        Instruction,      Build,                                   \
   nullptr,         RowUse::Quotients},
#include "quant-float/Lowering/Conversions.def"
  };
  return rows;
}

Machine quant_float::getMachine(ConversionFeature feature) {
  static constexpr Machine machines[] = {
#define QUANT_FLOAT_CONVERSION_FEATURE(Name, FeatureMachine)                   \
  Machine::FeatureMachine,
#include "quant-float/Lowering/Conversions.def"
  };
  return machines[size_t(feature)];
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

/// Whether `to` represents all values of `result` that a narrow float decodes
/// to.
static bool represents(Type to, Type result) {
  return to == result || to.isF32() || to.isF64() ||
         (to.isBF16() && result.isF16());
}

/// Whether `row` implements a cast, alone or with additional exact conversions.
static bool isApplicable(const ConversionRow &row, Type from, Type to) {
  Type f16 = Float16Type::get(to.getContext());
  Type bf16 = BFloat16Type::get(to.getContext());
  if (row.acceptsSource(from))
    return row.acceptsResult(to) ||
           (isNarrowFloat(from) &&
            ((row.acceptsResult(f16) && represents(to, f16)) ||
             (row.acceptsResult(bf16) && represents(to, bf16))));
  return isNarrowFloat(to) && row.acceptsResult(to) &&
         row.acceptsSource(Float32Type::get(to.getContext()));
}

static bool isTensorOrScalable(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return isa<TensorType>(type) || (vector && vector.isScalable());
}

/// Whether vectors of this shape can be split into vectors that `row` converts.
/// On CPUs, the size must be a multiple of the row's elements, because a row
/// converts whole vectors only. A later row with fewer elements, or arithmetic,
/// converts other sizes. On GPUs, any fixed shape is possible.
static bool canSplit(const ConversionRow &row, Type shape) {
  if (row.elements == 0)
    return !isa<TensorType>(shape);
  if (getMachine(row.feature) == Machine::Nvidia)
    return !isTensorOrScalable(shape);
  auto vector = dyn_cast<VectorType>(shape);
  return vector && vector.getRank() == 1 && !vector.isScalable() &&
         vector.getNumElements() % row.elements == 0;
}

/// Returns the name of the instruction for these semantics.
static std::string getInstruction(const ConversionRow &row,
                                  const CastSemantics &semantics) {
  std::string name = row.instruction.str();
  auto replace = [&](StringRef from, StringRef to) {
    if (size_t at = name.find(from.str()); at != std::string::npos)
      name.replace(at, from.size(), to.str());
  };
  replace("{0}", semantics.roundMode == RoundMode::Up ? "rp" : "rz");
  replace("{1}", semantics.saturate ? "s" : "");
  replace("{2}", semantics.saturate ? ".sat" : "");
  return name;
}

/// Selects the first row that is applicable to the use.
static void findRow(ConversionPlan &plan, const LoweringTarget &target,
                    RowUse use = RowUse::Encodings) {
  plan.row = nullptr;
  Type from = plan.from, to = plan.to;
  // No instruction of a row supports this rounding mode.
  if (isa<Float8E8M0FNUType>(to) &&
      plan.semantics.roundMode == RoundMode::Nearest) {
    plan.reason = "no instruction rounds f8E8M0FNU to nearest";
    return;
  }
  for (const ConversionRow &row : getConversionRows()) {
    if (getMachine(row.feature) != target.machine ||
        !isApplicable(row, from, to) || row.use > use)
      continue;
    if (target.has(row.feature) && canSplit(row, plan.shape)) {
      plan.row = &row;
      return;
    }
    plan.missed.push_back(&row);
  }
  plan.reason = isNarrowFloat(from) || isNarrowFloat(to)
                    ? "no instruction is known"
                    : "no narrow float";
}

static constexpr StringLiteral kTensor = "neither a scalar nor a vector";
static constexpr StringLiteral kRandomBits = "stochastic rounding";
static constexpr StringLiteral kProjection = "a projection without rows";
static constexpr StringLiteral kLongQuotient = "the quotient is an f64";

/// Whether a row may implement a cast of IEEE P3109. Rows round to nearest,
/// ties to even, saturate finite numbers and infinities alike, and give NaN or,
/// if the format has it, infinity otherwise.
static bool isProjectedByRow(ProjectionAttr projection, Type from, Type to) {
  bool isSatFinite = projection.getSaturation() == P3109Saturation::SatFinite;
  bool isSatPropagate =
      projection.getSaturation() == P3109Saturation::SatPropagate;
  if (isNarrowFloat(to)) {
    // Rows round ties of a significand of one bit away from zero.
    FloatFormat format(to);
    return isStandardFloat(from) && format.mantissaBits &&
           projection.getRounding() == P3109Rounding::NearestTiesToEven &&
           !(isSatPropagate && format.hasInfinity);
  }
  // The NaN of the FNUZ types would be negative.
  return isa<BinaryType>(from) && isExactCast(from, to) &&
         !(isSatFinite && FloatFormat(from).hasInfinity);
}

ConversionPlan quant_float::planCast(CastOp op, const LoweringTarget &target) {
  ConversionPlan plan;
  plan.from = getElementTypeOrSelf(op.getInput());
  plan.to = getElementTypeOrSelf(op.getResult());
  plan.semantics = op.getSemantics();
  plan.shape = op.getType();
  if (isa<TensorType>(plan.shape)) {
    plan.reason = kTensor;
    return plan;
  }
  if (op.getRandom()) {
    plan.reason = kRandomBits;
    return plan;
  }
  if (ProjectionAttr projection = op.getProjectionAttr()) {
    if (isProjectedByRow(projection, plan.from, plan.to))
      findRow(plan, target);
    else
      plan.reason = kProjection;
    // Decodings take one step.
    if (plan.row && isNarrowFloat(plan.from) &&
        !plan.row->acceptsSource(plan.from))
      plan.row = nullptr;
    return plan;
  }
  // V7, C13: these casts only inspect or move bits.
  if (plan.from == plan.to || plan.to.isInteger(1)) {
    plan.reason = "the cast only copies or tests bits";
    return plan;
  }
  findRow(plan, target);
  // A narrow float whose instruction does not produce the result type requires
  // two steps.
  bool isByOne = plan.row && plan.row->acceptsSource(plan.from);
  if (isNarrowFloat(plan.from) && !isByOne) {
    ConversionPlan step = plan;
    step.to = Float32Type::get(op.getContext());
    findRow(step, target);
    plan.isSplit = step.row;
  }
  return plan;
}

ConversionPlan quant_float::planEncoding(Type shape, Type to,
                                         const CastSemantics &semantics,
                                         const LoweringTarget &target,
                                         RowUse use) {
  ConversionPlan plan;
  plan.from = Float32Type::get(to.getContext());
  plan.to = to;
  plan.semantics = semantics;
  plan.shape = shape;
  if (isa<TensorType>(shape))
    plan.reason = kTensor;
  else
    findRow(plan, target, use);
  return plan;
}

ConversionPlan quant_float::planQuantize(QuantizeElementsOp op,
                                         const LoweringTarget &target) {
  CastSemantics semantics;
  semantics.saturate = op.getSaturate();
  // The rows take an f32. An f64 quotient may be rounded to odd in f32, which
  // is only correct for results that are floats.
  Type to = getElementTypeOrSelf(op.getType());
  ConversionPlan plan =
      planEncoding(op.getType(), to, semantics, target, RowUse::Quotients);
  plan.from = getElementTypeOrSelf(op.getInput());
  bool isLong = plan.from.isF64() && isa<IntegerType>(to);
  if (op.getRandom() || isLong) {
    plan.row = nullptr;
    plan.missed.clear();
    plan.reason = isLong ? kLongQuotient : kRandomBits;
  }
  return plan;
}

std::string ConversionPlan::describe(const LoweringTarget &target) const {
  std::string description;
  llvm::raw_string_ostream os(description);
  os << from << " to " << to;
  if (row)
    os << " by " << getInstruction(*row, semantics);
  else
    os << (isInPlace ? " and back, rounded in place" : " expanded into arith");
  SmallVector<std::string> needs;
  for (const ConversionRow *better : missed) {
    std::string need = getInstruction(*better, semantics) + " ";
    if (target.has(better->feature))
      need += "takes vectors of " + std::to_string(better->elements);
    else
      need += target.missing[size_t(better->feature)];
    needs.push_back(std::move(need));
  }
  if (needs.empty() && !row && !reason.empty())
    needs.push_back(reason.str());
  if (!needs.empty())
    os << ": " << llvm::join(needs, ", ");
  return description;
}

void quant_float::emitPlanRemark(Operation *op, StringRef name,
                                 const ConversionPlan &plan,
                                 const LoweringTarget &target) {
  // Avoid the cost of the string if nobody reads it.
  if (!op->getContext()->getRemarkEngine())
    return;
  auto options = remark::RemarkOpts::name(name).category(kConversionRemarks);
  auto remark = plan.row ? remark::passed(op->getLoc(), options)
                         : remark::missed(op->getLoc(), options);
  if (remark)
    remark << plan.describe(target);
}
