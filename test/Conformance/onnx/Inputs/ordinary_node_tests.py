"""ONNX's node tests of the ordinary ops, including those that expand other ops to function bodies,
through quant-float-run.

Usage: ordinary_node_tests.py TOOLS_DIR WORK_DIR PART PARTS

unsupported.toml lists the tests that fail, each with the reason and the tool's message. A listed
test that passes or fails with another message is a failure as well.
"""

import re
import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor
from fnmatch import fnmatchcase
from pathlib import Path

from conformance.node_tests import Runner, collect

OPS = set(
    """
    Add Sub Mul Div Max Min Pow Neg Abs Relu Sigmoid Tanh Exp Log Sqrt Reciprocal Clip Softmax MatMul Gemm Conv ConvInteger
    MatMulInteger MaxPool AveragePool GlobalMaxPool GlobalAveragePool ReduceMax ReduceSum ReduceMean ArgMax BatchNormalization
    Reshape Flatten Transpose Squeeze Unsqueeze Concat Slice Expand Gather Resize Shape Equal Where Constant ConstantOfShape
    Identity QuantizeLinear DequantizeLinear DynamicQuantizeLinear Cast CastLike BitCast QLinearConv QLinearMatMul
    ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMin ReduceProd ReduceSumSquare ArgMin LogSoftmax Hardmax Split
    NonZero Compress Trilu EyeLike Pad Tile DepthToSpace SpaceToDepth ReverseSequence GatherElements GatherND OneHot ScatterElements ScatterND
    Scatter CumSum CumProd TopK Einsum ConvTranspose LpPool GlobalLpPool LpNormalization LRN InstanceNormalization Shrink
    GridSample If Loop Scan RNN GRU LSTM Range LayerNormalization RMSNormalization GroupNormalization
    MeanVarianceNormalization RotaryEmbedding Attention SoftmaxCrossEntropyLoss NegativeLogLikelihoodLoss AffineGrid
    CenterCropPad Gelu Swish Mish Celu Elu Selu Softplus Softsign HardSwish HardSigmoid ThresholdedRelu LeakyRelu PRelu
    LinearAttention CausalConvWithState HannWindow HammingWindow BlackmanWindow Round Sign Floor Ceil Erf Mod Not And Or Xor
    Unique NonMaxSuppression Col2Im MaxUnpool DeformConv RoiAlign Det DFT STFT TensorScatter
    Less LessOrEqual Greater GreaterOrEqual BitwiseAnd BitwiseOr BitwiseXor BitwiseNot Sum Mean IsNaN IsInf Size Sin Cos Tan Asin Acos Atan Sinh Cosh Asinh Acosh Atanh
    ArrayFeatureExtractor Binarizer TreeEnsemble
    """.split()
)
# The count for onnx 1.23.2.
EXPECTED = 1548
# These have a test file of their own.
ELSEWHERE = re.compile("test_(cast|castlike|quantizelinear|dequantizelinear)_?")
EXACT = re.compile("test_(bitcast|convinteger|dynamicquantizelinear|matmulinteger|qlinear)")


def is_ordinary(case):
    nodes = case.model.graph.node
    return (
        bool(nodes)
        and all(
            node.op_type in OPS and node.domain in ("", "ai.onnx", "ai.onnx.ml") for node in nodes
        )
        and not ELSEWHERE.match(case.name)
    )


class Unsupported:
    """The rows of unsupported.toml, which contain names or patterns of tests."""

    def __init__(self, path):
        rows = tomllib.loads(path.read_text()).get("unsupported", [])
        self.rows = [(pattern, row) for row in rows for pattern in row["tests"]]

    def find(self, name):
        return next((row for pattern, row in self.rows if fnmatchcase(name, pattern)), None)

    def unmatched(self, names):
        return [p for p, _ in self.rows if not any(fnmatchcase(name, p) for name in names)]


def main(tools_dir, work, part, parts):
    runner = Runner(tools_dir, work)
    unsupported = Unsupported(Path(__file__).parent / "unsupported.toml")
    cases = [case for case in collect(int(part), int(parts)) if is_ordinary(case)]

    def check_case(case):
        failures = runner.run(case, exact=bool(EXACT.match(case.name)))
        reason = unsupported.find(case.name)
        if not reason:
            return failures
        if not failures:
            return [f"{case.name}: passes, but is listed as not supported"]
        return [
            f"{failure}\n  expected an error with '{reason['message']}'"
            for failure in failures
            if reason["message"] not in failure
        ]

    with ThreadPoolExecutor(max_workers=2) as pool:
        failures = [failure for found in pool.map(check_case, cases) for failure in found]
    if int(part) == 0:
        names = [case.name for case in collect() if is_ordinary(case)]
        failures += [f"no test matches '{pattern}'" for pattern in unsupported.unmatched(names)]
        if len(names) != EXPECTED:
            failures.append(f"expected {EXPECTED} node tests, but got {len(names)}")
    print(f"{len(cases)} tests, {len(failures)} failures")
    sys.exit("\n".join(failures) if failures else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
