//===- QuantFloatAttributes.td - Attributes of passes ------*- tablegen -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_IR_ATTRIBUTES_TD
#define QUANT_FLOAT_IR_ATTRIBUTES_TD

include "mlir/IR/AttrTypeBase.td"
include "quant-float/IR/QuantFloatDialect.td"
include "quant-float/IR/QuantFloatEnums.td"

class QuantFloat_Attr<string name, string attrMnemonic>
    : AttrDef<QuantFloat_Dialect, name> {
  let mnemonic = attrMnemonic;
  let genVerifyDecl = 1;
}

def QuantFloat_TargetAttr : QuantFloat_Attr<"Target", "target"> {
  let summary = "the machine that code is generated for";
  let description = [{
    A module with the attribute `quant_float.target` of this kind is compiled
    for that machine. The pass `quant-float-set-target` and the pipelines set
    it; the passes that choose instructions look it up.

    - `cpu`: `processor` is a CPU that LLVM knows, or `host`. `triple` is empty
      for the host, `features` for the features that the CPU implies.
    - `nvvm`: `processor` is an NVIDIA chip, such as `sm_90`. `features` is the
      PTX version, such as `+ptx80`, or empty for the lowest that has all
      instructions of the chip. There is no `triple`.

    ```mlir
    #cpu = #quant_float.target<cpu "x86-64-v3" triple = "x86_64-linux-gnu">
    #gpu = #quant_float.target<nvvm "sm_90" features = "+ptx80">

    module attributes {quant_float.target = #cpu} {}
    ```
  }];
  let parameters = (ins
    EnumParameter<QuantFloat_TargetKind>:$kind,
    StringRefParameter<"CPU or chip">:$processor,
    StringRefParameter<"target triple", [{""}]>:$triple,
    StringRefParameter<"features, or the PTX version", [{""}]>:$features);
  let assemblyFormat = [{
    `<` $kind $processor (`triple` `=` $triple^)? (`features` `=` $features^)? `>`
  }];
}

def QuantFloat_ReductionScheduleAttr
    : QuantFloat_Attr<"ReductionSchedule", "reduction_schedule"> {
  let summary = "accumulation order of a contraction";
  let description = [{
    The order in which rule R7 accumulates one element of a contraction with
    low-bit weights. `lanes` partial sums are accumulated side by side, over
    chunks of `lanes * terms` elements of the reduction dimension. A lane
    accumulates `terms` elements of each chunk: adjacent ones with
    `consecutive`, every `lanes`-th one without it. With `x_bits`, which is 8
    or 16, the activations are quantized to integers of that width in blocks
    (rule R8).

    It is the value of the attribute `quant_float.reduction_schedule` of a
    `linalg.generic`.

    ```mlir
    #rows = #quant_float.reduction_schedule<lanes = 16, terms = 8, consecutive, x_bits = 8>
    #columns = #quant_float.reduction_schedule<lanes = 1, terms = 32>
    ```
  }];
  let parameters = (ins "int64_t":$lanes, "int64_t":$terms,
                        DefaultValuedParameter<"bool", "false">:$consecutive,
                        DefaultValuedParameter<"unsigned", "0">:$xBits);
  let hasCustomAssemblyFormat = 1;
}

def QuantFloat_ProjectionAttr
    : AttrDef<QuantFloat_Dialect, "Projection"> {
  let mnemonic = "projection";
  let summary = "how a conversion of IEEE P3109 rounds and saturates";
  let description = [{
    A projection specification of IEEE P3109: the rounding and the saturation
    mode, by the names and the definitions of `draft`. Drafts differ: in v4.0,
    SatNone gives the largest finite number where D1 gives NaN.

    ```mlir
    #p = #quant_float.projection<D1, NearestTiesToEven, SatNone>
    ```
  }];
  let parameters = (ins
    EnumParameter<QuantFloat_P3109Draft>:$draft,
    EnumParameter<QuantFloat_P3109Rounding>:$rounding,
    EnumParameter<QuantFloat_P3109Saturation>:$saturation);
  let assemblyFormat = "`<` $draft `,` $rounding `,` $saturation `>`";
  let extraClassDeclaration = [{
    /// Whether random bits determine the direction of rounding.
    bool isStochastic() const {
      return getRounding() >= P3109Rounding::StochasticA;
    }
  }];
}

#endif // QUANT_FLOAT_IR_ATTRIBUTES_TD
