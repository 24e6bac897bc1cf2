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
    (rule R8). For more than four rows, `lanes` is then 1 and `terms` the size
    of such a block.

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

def QuantFloat_LoweringConfigAttr
    : QuantFloat_Attr<"LoweringConfig", "lowering_config"> {
  let summary = "how an op is lowered: the kernel, its instruction and tiles";
  let description = [{
    The decision how a linalg op is lowered. A configuration pass chooses it for
    the target from tables; the pass that emits the loops or the kernel obeys
    it. It is the value of the attribute `quant_float.lowering_config` of the
    op. M, N and K are the rows, the columns and the reduction dimension of a
    contraction. `instruction` is the name of a row of a table of instructions.
    Each list in `tiles` has the sizes that the strategy documents:

    | strategy | target | lowering | sizes of a tile |
    |---|---|---|---|
    | `scalar` | all | one element of the result at a time; on GPUs, by one thread | |
    | `elementwise` | GPU | each thread computes consecutive elements with vector accesses | elements of a thread |
    | `tensor_core` | GPU | each warp multiplies tiles in workgroup memory by `mma.sync` | M, N of a thread block; M, N of a warp |
    | `warpgroup` | GPU | each warpgroup multiplies tiles that TMA loads by `wgmma` | M, N of a thread block; M, N of a warp |
    | `simt` | GPU | each thread multiplies tiles in workgroup memory, in the order of K | M, N of a thread block; M, N of a thread |
    | `skinny` | GPU | as `simt`, but all threads load and those of one warp multiply; for few rows or columns | M, N of a thread block; M, N of a thread |
    | `row_matvec` | GPU | matvec with a reduction schedule whose weights are K-contiguous | |
    | `column_matvec` | GPU | matvec with a reduction schedule whose weights are contiguous along N | |
    | `fused_reduction` | GPU | one kernel for the op and the reductions before it that it uses | one size for each loop of the op |
    | `vectors` | CPU | vectors along N, accumulated in registers | M, N in registers |
    | `panels` | CPU | as `vectors`, but N is first packed to a panel that all rows share | M, N in registers; K of a panel |
    | `matrix_tiles` | CPU | as `panels`, with operands and accumulators in tile registers (AMX) | M, N in registers; K of a panel |
    | `square_blocks` | CPU | as `vectors`, but square blocks of a K-contiguous operand are transposed in registers | M, N in registers |
    | `folded` | CPU | vectors along K, whose lanes are combined after the loop | K of a vector |
    | `window_rows` | CPU | as `vectors`, for windows of an image: adjacent rows of the result share the rows of the image that they load | M, N in registers |

    `tensor_core`, `warpgroup` and `matrix_tiles` require an instruction.
    `vectors`, `panels` and `square_blocks` may have one, such as a dot-product
    instruction. The strategies for contractions on GPUs may have two tiles: the
    first for large dynamic sizes, the second for small ones. The host chooses
    the one that costs less.

    `otherwise` is the config for operands that violate a condition of the
    strategy at run time:

    - `warpgroup`, which requires it: TMA can load both operands, because their
      addresses and strides are multiples of 16 bytes.
    - `panels` and `matrix_tiles`: M is at least the number of rows for which
      packing is profitable.

    ```mlir
    #vector = #quant_float.lowering_config<elementwise tiles = [[4]]>
    #wgmma = #quant_float.lowering_config<warpgroup
        instruction "wgmma.mma_async.m64nNk16.f32.f16.f16"
        tiles = [[128, 256, 16, 256], [64, 64, 16, 64]]
        otherwise = <tensor_core instruction "mma.sync.m16n8k16.row.col.f32.f32"
                     tiles = [[128, 128, 64, 64]]>>
    #panels = #quant_float.lowering_config<panels tiles = [[4, 16, 256]]
        otherwise = <vectors tiles = [[1, 32]]>>
    ```
  }];
  let parameters = (ins
    EnumParameter<QuantFloat_LoweringStrategy>:$strategy,
    StringRefParameter<"row of a table of instructions", [{""}]>:$instruction,
    OptionalArrayRefParameter<"::mlir::DenseI64ArrayAttr", "sizes of each tile">:$tiles,
    OptionalParameter<"::mlir::quant_float::LoweringConfigAttr",
                      "config if a run-time condition does not hold">:$otherwise);
  let assemblyFormat = [{
    `<` $strategy (`instruction` $instruction^)? (`tiles` `=` custom<Tiles>($tiles)^)?
    (`otherwise` `=` $otherwise^)? `>`
  }];
  let extraClassDeclaration = [{
    /// The sizes of tile `index`.
    ::llvm::ArrayRef<int64_t> getTile(size_t index) const {
      return getTiles()[index].asArrayRef();
    }
  }];
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
