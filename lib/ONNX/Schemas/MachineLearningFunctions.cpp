//===- MachineLearningFunctions.cpp - Linear models and trees -------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Defines operators of ai.onnx.ml by operators of ONNX's own domain.
//
//===----------------------------------------------------------------------===//

#include "FunctionRows.h"
#include <limits>
#include <onnx/defs/tensor_proto_util.h>
#include <onnx/defs/tensor_util.h>
#include <set>

using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_import;

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

static std::vector<int64_t> getInts(const Definition &d,
                                    const std::string &name) {
  const auto *found = d.find(name);
  return found
             ? std::vector<int64_t>(found->ints().begin(), found->ints().end())
             : std::vector<int64_t>();
}

/// Returns the values of a list of floats, or of a tensor of f32 or f64.
static std::vector<double> getNumbers(const Definition &d,
                                      const std::string &name) {
  std::vector<double> numbers;
  if (const auto *found = d.find(name))
    numbers.assign(found->floats().begin(), found->floats().end());
  const auto *found = d.find(name + "_as_tensor");
  if (!found)
    found = d.find(name);
  if (!found || !found->has_t())
    return numbers;
  const ::onnx::TensorProto &tensor = found->t();
  if (tensor.data_type() == ::onnx::TensorProto::DOUBLE)
    return ::onnx::ParseData<double>(&tensor);
  if (tensor.data_type() != ::onnx::TensorProto::FLOAT)
    throw std::invalid_argument("attribute '" + found->name() +
                                "': expected elements of f32 or f64");
  std::vector<float> narrow = ::onnx::ParseData<float>(&tensor);
  return {narrow.begin(), narrow.end()};
}

static std::string getString(const Definition &d, const std::string &name,
                             const std::string &defaultValue) {
  const auto *found = d.find(name);
  return found ? found->s() : defaultValue;
}

[[noreturn]] static void refuseChoice(const std::string &name,
                                      const std::string &choice) {
  throw std::invalid_argument("attribute '" + name + "': unknown value '" +
                              choice + "'");
}

static void expectCount(const std::string &name, size_t expected,
                        size_t count) {
  if (count != expected)
    throw std::invalid_argument("attribute '" + name + "': expected " +
                                std::to_string(expected) + " values, but got " +
                                std::to_string(count));
}

template <typename T>
static void addTensor(Definition &d, const std::string &name,
                      const std::vector<T> &values,
                      const std::vector<int64_t> &shape) {
  ::onnx::TensorProto tensor = ::onnx::ToTensor(values);
  tensor.clear_dims();
  for (int64_t size : shape)
    tensor.add_dims(size);
  d.body.Const(name, tensor);
}

/// Adds a constant in the type in which the node computes.
static void addNumbers(Definition &d, const std::string &name,
                       const std::vector<double> &numbers,
                       const std::vector<int64_t> &shape, bool isDouble) {
  if (isDouble)
    return addTensor(d, name, numbers, shape);
  addTensor(d, name, std::vector<float>(numbers.begin(), numbers.end()), shape);
}

//===----------------------------------------------------------------------===//
// Inputs and outputs
//===----------------------------------------------------------------------===//

/// Adds `Rows`, the input as a matrix in the type in which the node computes.
/// Returns whether that is f64.
static bool addRows(Definition &d) {
  bool isDouble =
      d.types.at(0).tensor_type().elem_type() == ::onnx::TensorProto::DOUBLE;
  d.body.Add(isDouble ? "Numbers = Identity (X)"
                      : "Numbers = Cast <to = 1> (X)");
  int rank = d.getRank(0);
  if (rank != 1 && rank != 2)
    throw std::invalid_argument(
        "input 0: expected 1 or 2 dimensions, but got " + std::to_string(rank));
  d.body.Const1D("FirstAxis", int64_t(0)).Const1D("LastAxis", int64_t(1));
  d.body.Add(rank == 1 ? "Rows = Unsqueeze (Numbers, FirstAxis)"
                       : "Rows = Identity (Numbers)");
  return isDouble;
}

/// Adds `Result`, the `post_transform` of `Scores`.
static void addPostTransform(Definition &d) {
  std::string name = getString(d, "post_transform", "NONE");
  auto addLike = [&](const std::string &to, float value) {
    d.body.Const(to + "F", value)
        .Add((to + " = CastLike (" + to + "F, Scores)").c_str());
  };
  if (name == "NONE") {
    d.body.Add("Result = Identity (Scores)");
  } else if (name == "LOGISTIC") {
    d.body.Add("Result = Sigmoid (Scores)");
  } else if (name == "SOFTMAX") {
    d.body.Add("Result = Softmax <axis = -1> (Scores)");
  } else if (name == "SOFTMAX_ZERO") {
    // Scores near zero remain near zero.
    addLike("Nearly", 1e-7F);
    addLike("Nothing", 0.0F);
    addLike("Half", 0.5F);
    d.body.Add("Peak = ReduceMax (Scores, LastAxis)")
        .Add("BelowPeak = Sub (Scores, Peak)")
        .Add("Powers = Exp (BelowPeak)")
        .Add("NoPeak = Neg (Peak)")
        .Add("ZeroPower = Exp (NoPeak)")
        .Add("ZeroPowers = Mul (Scores, ZeroPower)")
        .Add("ScoreSizes = Abs (Scores)")
        .Add("IsScore = Greater (ScoreSizes, Nearly)")
        .Add("Parts = Where (IsScore, Powers, ZeroPowers)")
        .Add("Whole = ReduceSum (Parts, LastAxis)")
        .Add("Shares = Div (Parts, Whole)")
        .Add("IsNothing = Equal (Whole, Nothing)")
        .Add("Result = Where (IsNothing, Half, Shares)");
  } else if (name == "PROBIT") {
    // Winitzki's approximation of the inverse error function.
    constexpr float kA = 0.147F, kPi = 3.14159265F, kRoot = 1.41421356F;
    addLike("Two", 2.0F);
    addLike("One", 1.0F);
    addLike("Root", kRoot);
    addLike("Half", 0.5F);
    addLike("Middle", 2.0F / (kPi * kA));
    addLike("Slope", 1.0F / kA);
    d.body.Add("Doubled = Mul (Scores, Two)")
        .Add("FileLocation = Sub (Doubled, One)")
        .Add("Below = Sub (One, FileLocation)")
        .Add("Above = Add (One, FileLocation)")
        .Add("Inside = Mul (Below, Above)")
        .Add("Logarithm = Log (Inside)")
        .Add("HalfLogarithm = Mul (Logarithm, Half)")
        .Add("V = Add (Middle, HalfLogarithm)")
        .Add("V2 = Mul (Slope, Logarithm)")
        .Add("Squared = Mul (V, V)")
        .Add("Rest = Sub (Squared, V2)")
        .Add("RestRoot = Sqrt (Rest)")
        .Add("V3 = Sub (RestRoot, V)")
        .Add("Inverse = Sqrt (V3)")
        .Add("Direction = Sign (FileLocation)")
        .Add("Signed = Mul (Direction, Inverse)")
        .Add("Result = Mul (Signed, Root)");
  } else {
    refuseChoice("post_transform", name);
  }
}

/// Returns the number of classes, whose labels are integers or strings.
static int64_t countClasses(const Definition &d, const std::string &integers) {
  const auto *strings = d.find("classlabels_strings");
  return strings && strings->strings_size() ? strings->strings_size()
                                            : getInts(d, integers).size();
}

/// Adds the labels of the classes with the highest scores.
static void addLabels(Definition &d, const std::string &integers) {
  const auto *strings = d.find("classlabels_strings");
  d.body.Add("Best = ArgMax <axis = 1, keepdims = 0> (Result)");
  if (strings && strings->strings_size()) {
    addTensor(d, "Labels",
              std::vector<std::string>(strings->strings().begin(),
                                       strings->strings().end()),
              {strings->strings_size()});
  } else {
    std::vector<int64_t> labels = getInts(d, integers);
    addTensor(d, "Labels", labels, {static_cast<int64_t>(labels.size())});
  }
  d.body.Add("Y = Gather (Labels, Best)").Add("Z = Cast <to = 1> (Result)");
}

//===----------------------------------------------------------------------===//
// Linear models
//===----------------------------------------------------------------------===//

/// Adds `Products`, the matmul with `count` rows of coefficients plus
/// intercepts. If `count` is 0, it follows from the coefficients. Returns the
/// number of rows.
static int64_t addMatmul(Definition &d, int64_t count) {
  bool isDouble = addRows(d);
  std::vector<double> coefficients = getNumbers(d, "coefficients"),
                      intercepts = getNumbers(d, "intercepts");
  int64_t features = d.getSize(0, d.getRank(0) - 1);
  int64_t all = coefficients.size();
  if (features == 0 || all == 0 || all % features != 0 ||
      (count && all != count * features))
    throw std::invalid_argument(
        "attribute 'coefficients': expected " +
        (count ? std::to_string(count) + " times " : "a multiple of ") +
        std::to_string(features) + " values, but got " + std::to_string(all));
  count = all / features;
  addNumbers(d, "Factors", coefficients, {count, features}, isDouble);
  d.body.Add("Columns = Transpose <perm = [1, 0]> (Factors)")
      .Add("Plain = MatMul (Rows, Columns)");
  if (intercepts.empty()) {
    d.body.Add("Products = Identity (Plain)");
    return count;
  }
  expectCount("intercepts", count, intercepts.size());
  addNumbers(d, "Terms", intercepts, {count}, isDouble);
  d.body.Add("Products = Add (Plain, Terms)");
  return count;
}

static void defineLinearRegressor(Definition &d) {
  int64_t targets = d.getInt("targets", 1);
  if (targets < 1)
    throw std::invalid_argument("attribute 'targets': expected 1 or more");
  addMatmul(d, targets);
  d.body.Add("Scores = Identity (Products)");
  addPostTransform(d);
  d.body.Add("Y = Cast <to = 1> (Result)");
}

/// A single row of coefficients for two classes is that of the second class.
static void defineLinearClassifier(Definition &d) {
  int64_t classes = countClasses(d, "classlabels_ints");
  int64_t columns = addMatmul(d, 0);
  bool isPair = columns == 1 && classes == 2;
  if (classes < 2 || (!isPair && columns != classes))
    throw std::invalid_argument("expected labels of two or more classes, one "
                                "for each score, but got " +
                                std::to_string(classes) + " for " +
                                std::to_string(columns));
  if (isPair)
    d.body.Add("Others = Neg (Products)")
        .Add("Scores = Concat <axis = 1> (Others, Products)");
  else
    d.body.Add("Scores = Identity (Products)");
  addPostTransform(d);
  addLabels(d, "classlabels_ints");
}

/// Divides each row by its norm, unless that is zero.
static void defineNormalizer(Definition &d) {
  std::string norm = getString(d, "norm", "MAX");
  addRows(d);
  if (norm == "MAX")
    d.body.Add("Norm = ReduceMax (Rows, LastAxis)");
  else if (norm == "L1")
    d.body.Add("Norm = ReduceL1 (Rows, LastAxis)");
  else if (norm == "L2")
    d.body.Add("Norm = ReduceL2 (Rows, LastAxis)");
  else
    refuseChoice("norm", norm);
  d.body.Const("NothingF", 0.0F)
      .Add("Nothing = CastLike (NothingF, Rows)")
      .Add("IsNothing = Equal (Norm, Nothing)")
      .Add("Divided = Div (Rows, Norm)")
      .Add("Result = Where (IsNothing, Rows, Divided)")
      .Add("Sizes = Shape (X)")
      .Add("Narrow = Cast <to = 1> (Result)")
      .Add("Y = Reshape (Narrow, Sizes)");
}

static void defineScaler(Definition &d) {
  std::vector<double> offsets = getNumbers(d, "offset"),
                      scales = getNumbers(d, "scale");
  auto add = [&](const char *name, const std::vector<double> &numbers) {
    addNumbers(d, name, numbers, {static_cast<int64_t>(numbers.size())}, false);
  };
  add("Offsets", offsets);
  add("Scales", scales);
  d.body.Add("Numbers = Cast <to = 1> (X)")
      .Add("Moved = Sub (Numbers, Offsets)")
      .Add("Y = Mul (Moved, Scales)");
}

static void defineBinarizer(Definition &d) {
  d.body.Const("ThresholdF", d.getFloat("threshold", 0.0F))
      .Add("Threshold = CastLike (ThresholdF, X)")
      .Add("IsAbove = Greater (X, Threshold)")
      .Add("Y = CastLike (IsAbove, X)");
}

/// Gathers elements of the last axis.
static void defineArrayFeatureExtractor(Definition &d) {
  d.body.Const1D("Flat", int64_t(-1))
      .Const1D("FirstAxis", int64_t(0))
      .Add("Places = Reshape (Y, Flat)")
      .Add(d.getRank(0) == 1 ? "Rows = Unsqueeze (X, FirstAxis)"
                             : "Rows = Identity (X)")
      .Add("Z = Gather <axis = -1> (Rows, Places)");
}

//===----------------------------------------------------------------------===//
// Trees
//===----------------------------------------------------------------------===//

namespace {
/// The modes of ONNX's TreeEnsemble, in its order. Member tests membership in a
/// set of values.
enum class Branch { Leq, Lt, Gte, Gt, Eq, Neq, Member, Leaf };

/// The nodes of all trees. The children of a leaf are the leaf itself.
struct Forest {
  std::vector<int64_t> features, modes, missing, yes, no, roots;
  std::vector<double> values;
  /// The weight of each node for each target; 0 unless it is a leaf.
  int64_t targets = 0;
  std::vector<double> weights;

  int64_t size() const { return features.size(); }
  int64_t add(Branch mode, int64_t feature, double value, bool isMissing) {
    features.push_back(feature);
    modes.push_back(static_cast<int64_t>(mode));
    values.push_back(value);
    missing.push_back(isMissing);
    yes.push_back(size() - 1);
    no.push_back(size() - 1);
    return size() - 1;
  }
  bool isLeaf(int64_t node) const {
    return modes[node] == static_cast<int64_t>(Branch::Leaf);
  }
};

/// The function that combines the weights of all trees for a target.
enum class Aggregate { Average, Sum, Min, Max };
} // namespace

/// Returns the maximum distance of a leaf from its root. Throws if a tree has a
/// cycle or is too deep.
static int64_t findDepth(const Forest &forest) {
  constexpr int64_t kDeepest = 256;
  std::vector<int64_t> level = forest.roots;
  for (int64_t depth = 0; depth <= kDeepest; ++depth) {
    std::set<int64_t> next;
    for (int64_t node : level)
      if (!forest.isLeaf(node))
        next.insert({forest.yes[node], forest.no[node]});
    if (next.empty())
      return depth;
    level.assign(next.begin(), next.end());
  }
  throw std::invalid_argument("a tree has a cycle, or more than " +
                              std::to_string(kDeepest) + " levels");
}

static void startWeights(Forest &forest, int64_t targets, Aggregate aggregate) {
  constexpr int64_t kMaxWeights = int64_t(1) << 26;
  if (targets < 1 ||
      targets > kMaxWeights / std::max<int64_t>(forest.size(), 1))
    throw std::invalid_argument(
        "expected at least one target or class, and at most " +
        std::to_string(kMaxWeights) + " weights, but got " +
        std::to_string(targets) + " and " + std::to_string(forest.size()) +
        " nodes");
  forest.targets = targets;
  double max = std::numeric_limits<float>::max();
  forest.weights.assign(forest.size() * targets,
                        aggregate == Aggregate::Min   ? max
                        : aggregate == Aggregate::Max ? -max
                                                      : 0.0);
}

static void addWeight(Forest &forest, int64_t node, int64_t target,
                      double weight, Aggregate aggregate) {
  if (target < 0 || target >= forest.targets)
    throw std::invalid_argument("a leaf has target " + std::to_string(target) +
                                " of " + std::to_string(forest.targets));
  double &all = forest.weights[node * forest.targets + target];
  all = aggregate == Aggregate::Min   ? std::min(all, weight)
        : aggregate == Aggregate::Max ? std::max(all, weight)
                                      : all + weight;
}

static Aggregate getAggregate(const Definition &d) {
  std::string name = getString(d, "aggregate_function", "SUM");
  static const std::map<std::string, Aggregate> kNames = {
      {"AVERAGE", Aggregate::Average},
      {"SUM", Aggregate::Sum},
      {"MIN", Aggregate::Min},
      {"MAX", Aggregate::Max}};
  auto found = kNames.find(name);
  if (found == kNames.end())
    refuseChoice("aggregate_function", name);
  return found->second;
}

/// Reads the trees of TreeEnsembleClassifier and TreeEnsembleRegressor. The
/// names of the attributes of weights start with `what`.
static Forest readTrees(const Definition &d, const std::string &what,
                        int64_t targets, Aggregate aggregate) {
  static const std::map<std::string, Branch> kModes = {
      {"BRANCH_LEQ", Branch::Leq}, {"BRANCH_LT", Branch::Lt},
      {"BRANCH_GTE", Branch::Gte}, {"BRANCH_GT", Branch::Gt},
      {"BRANCH_EQ", Branch::Eq},   {"BRANCH_NEQ", Branch::Neq},
      {"LEAF", Branch::Leaf}};
  std::vector<int64_t> trees = getInts(d, "nodes_treeids"),
                       nodes = getInts(d, "nodes_nodeids"),
                       features = getInts(d, "nodes_featureids"),
                       yes = getInts(d, "nodes_truenodeids"),
                       no = getInts(d, "nodes_falsenodeids"),
                       missing = getInts(d, "nodes_missing_value_tracks_true");
  std::vector<double> values = getNumbers(d, "nodes_values");
  const auto *modes = d.find("nodes_modes");
  size_t count = nodes.size();
  expectCount("nodes_treeids", count, trees.size());
  expectCount("nodes_featureids", count, features.size());
  expectCount("nodes_truenodeids", count, yes.size());
  expectCount("nodes_falsenodeids", count, no.size());
  expectCount("nodes_values", count, values.size());
  expectCount("nodes_modes", count, modes ? modes->strings_size() : 0);
  missing.resize(count);
  Forest forest;
  std::map<std::pair<int64_t, int64_t>, int64_t> nodeIndices;
  std::map<int64_t, int64_t> roots;
  for (size_t i = 0; i < count; ++i) {
    auto mode = kModes.find(modes->strings(i));
    if (mode == kModes.end())
      refuseChoice("nodes_modes", modes->strings(i));
    bool isLeaf = mode->second == Branch::Leaf;
    forest.add(mode->second, isLeaf ? 0 : features[i], values[i], missing[i]);
    roots.emplace(trees[i], i);
    if (!nodeIndices.emplace(std::pair(trees[i], nodes[i]), i).second)
      throw std::invalid_argument("node " + std::to_string(nodes[i]) +
                                  " of tree " + std::to_string(trees[i]) +
                                  " is defined twice");
  }
  auto find = [&](int64_t tree, int64_t node) {
    auto found = nodeIndices.find({tree, node});
    if (found == nodeIndices.end())
      throw std::invalid_argument("tree " + std::to_string(tree) +
                                  " has no node " + std::to_string(node));
    return found->second;
  };
  for (size_t i = 0; i < count; ++i)
    if (!forest.isLeaf(i)) {
      forest.yes[i] = find(trees[i], yes[i]);
      forest.no[i] = find(trees[i], no[i]);
    }
  for (auto [tree, root] : roots)
    forest.roots.push_back(root);

  startWeights(forest, targets, aggregate);
  std::vector<int64_t> leafTrees = getInts(d, what + "_treeids"),
                       leaves = getInts(d, what + "_nodeids"),
                       ids = getInts(d, what + "_ids");
  std::vector<double> weights = getNumbers(d, what + "_weights");
  expectCount(what + "_treeids", weights.size(), leafTrees.size());
  expectCount(what + "_nodeids", weights.size(), leaves.size());
  expectCount(what + "_ids", weights.size(), ids.size());
  for (size_t i = 0; i < weights.size(); ++i)
    addWeight(forest, find(leafTrees[i], leaves[i]), ids[i], weights[i],
              aggregate);
  return forest;
}

/// Adds `Sums`, the aggregated weights of the leaves that each row reaches. All
/// rows descend in all trees simultaneously, one level at a time.
static void addForest(Definition &d, const Forest &forest, Aggregate aggregate,
                      bool isDouble) {
  int64_t count = forest.size(), trees = forest.roots.size();
  if (trees == 0)
    throw std::invalid_argument("there are no trees");
  int64_t features = d.getSize(0, d.getRank(0) - 1);
  for (int64_t feature : forest.features)
    if (feature < 0 || feature >= features)
      throw std::invalid_argument("a node has feature " +
                                  std::to_string(feature) + " of " +
                                  std::to_string(features));
  int64_t depth = findDepth(forest);
  addTensor(d, "Features", forest.features, {count});
  addTensor(d, "Modes", forest.modes, {count});
  addTensor(d, "Missing", forest.missing, {count});
  addTensor(d, "Yes", forest.yes, {count});
  addTensor(d, "No", forest.no, {count});
  addTensor(d, "Roots", forest.roots, {trees});
  addNumbers(d, "Values", forest.values, {count}, isDouble);
  addNumbers(d, "Weights", forest.weights, {count, forest.targets}, isDouble);
  d.body.Const("Yea", int64_t(1))
      .Const1D("TreeCount", trees)
      .Add("RowCount = Shape <start = 0, end = 1> (Rows)")
      .Add("Places = Concat <axis = 0> (RowCount, TreeCount)")
      .Add("At0 = Expand (Roots, Places)");
  static const char *const kComparisons[] = {
      "LessOrEqual", "Less", "GreaterOrEqual", "Greater", "Equal"};
  std::set<int64_t> modes(forest.modes.begin(), forest.modes.end());
  for (int64_t step = 0; step < depth; ++step) {
    std::string s = std::to_string(step), at = "At" + s;
    auto add = [&](const std::string &source) { d.body.Add(source.c_str()); };
    add("Feature" + s + " = Gather (Features, " + at + ")");
    add("X" + s + " = GatherElements <axis = 1> (Rows, Feature" + s + ")");
    add("Value" + s + " = Gather (Values, " + at + ")");
    add("Mode" + s + " = Gather (Modes, " + at + ")");
    std::string goes;
    for (int64_t mode : modes) {
      if (mode == static_cast<int64_t>(Branch::Leaf))
        continue;
      std::string m = s + "_" + std::to_string(mode);
      bool isUnequal = mode == static_cast<int64_t>(Branch::Neq);
      add("Compared" + m + " = " + kComparisons[isUnequal ? 4 : mode] + " (X" +
          s + ", Value" + s + ")");
      add("Goes" + m + " = " + (isUnequal ? "Not" : "Identity") + " (Compared" +
          m + ")");
      if (goes.empty()) {
        goes = "Goes" + m;
        continue;
      }
      d.body.Const("Number" + m, mode);
      add("Is" + m + " = Equal (Mode" + s + ", Number" + m + ")");
      add("Any" + m + " = Where (Is" + m + ", Goes" + m + ", " + goes + ")");
      goes = "Any" + m;
    }
    // A missing value (NaN) goes to the side that the node specifies.
    add("Missing" + s + " = Gather (Missing, " + at + ")");
    add("WithoutGoes" + s + " = Equal (Missing" + s + ", Yea)");
    add("IsMissing" + s + " = IsNaN (X" + s + ")");
    add("Goes" + s + " = Where (IsMissing" + s + ", WithoutGoes" + s + ", " +
        goes + ")");
    add("Yes" + s + " = Gather (Yes, " + at + ")");
    add("No" + s + " = Gather (No, " + at + ")");
    add("At" + std::to_string(step + 1) + " = Where (Goes" + s + ", Yes" + s +
        ", No" + s + ")");
  }
  static const char *const kReductions[] = {"ReduceMean", "ReduceSum",
                                            "ReduceMin", "ReduceMax"};
  d.body
      .Add(("Leaves = Gather <axis = 0> (Weights, At" + std::to_string(depth) +
            ")")
               .c_str())
      .Add(("Sums = " + std::string(kReductions[static_cast<int>(aggregate)]) +
            " <keepdims = 0> (Leaves, LastAxis)")
               .c_str());
}

/// Adds `Scores`, the sums plus the base values of the targets.
static void addBase(Definition &d, int64_t targets, bool isDouble) {
  std::vector<double> base = getNumbers(d, "base_values");
  if (base.empty()) {
    d.body.Add("Scores = Identity (Sums)");
    return;
  }
  if (base.size() != 1)
    expectCount("base_values", targets, base.size());
  addNumbers(d, "Base", base, {static_cast<int64_t>(base.size())}, isDouble);
  d.body.Add("Scores = Add (Sums, Base)");
}

static void defineTreeEnsembleRegressor(Definition &d) {
  bool isDouble = addRows(d);
  Aggregate aggregate = getAggregate(d);
  int64_t targets = d.getInt("n_targets", 1);
  addForest(d, readTrees(d, "target", targets, aggregate), aggregate, isDouble);
  addBase(d, targets, isDouble);
  addPostTransform(d);
  d.body.Add("Y = Cast <to = 1> (Result)");
}

static void defineTreeEnsembleClassifier(Definition &d) {
  bool isDouble = addRows(d);
  int64_t classes = countClasses(d, "classlabels_int64s");
  std::vector<int64_t> ids = getInts(d, "class_ids");
  if (std::set<int64_t>(ids.begin(), ids.end()).size() < 2)
    throw std::invalid_argument(
        "attribute 'class_ids': trees with a single class are ambiguous");
  addForest(d, readTrees(d, "class", classes, Aggregate::Sum), Aggregate::Sum,
            isDouble);
  addBase(d, classes, isDouble);
  addPostTransform(d);
  addLabels(d, "classlabels_int64s");
}

/// Expands a node that tests membership to a chain of nodes that test equality.
static void addMembers(Forest &forest, int64_t node,
                       const std::vector<double> &members) {
  if (members.empty())
    throw std::invalid_argument("attribute 'membership_values': expected a set "
                                "of values for each membership node");
  forest.modes[node] = static_cast<int64_t>(Branch::Eq);
  forest.values[node] = members.front();
  int64_t otherwise = forest.no[node];
  for (size_t i = 1; i < members.size(); ++i) {
    int64_t next = forest.add(Branch::Eq, forest.features[node], members[i],
                              forest.missing[node]);
    forest.yes[next] = forest.yes[node];
    forest.no[node] = next;
    node = next;
  }
  forest.no[node] = otherwise;
}

static std::vector<uint8_t> getBytes(const Definition &d,
                                     const std::string &name) {
  const auto *found = d.find(name);
  if (!found || found->t().data_type() != ::onnx::TensorProto::UINT8)
    throw std::invalid_argument("attribute '" + name +
                                "': expected elements of ui8");
  const ::onnx::TensorProto &tensor = found->t();
  if (tensor.has_raw_data())
    return {tensor.raw_data().begin(), tensor.raw_data().end()};
  return {tensor.int32_data().begin(), tensor.int32_data().end()};
}

/// TreeEnsemble numbers nodes and leaves separately.
static void defineTreeEnsemble(Definition &d) {
  std::vector<int64_t> features = getInts(d, "nodes_featureids"),
                       yes = getInts(d, "nodes_truenodeids"),
                       no = getInts(d, "nodes_falsenodeids"),
                       yesLeaf = getInts(d, "nodes_trueleafs"),
                       noLeaf = getInts(d, "nodes_falseleafs"),
                       missing = getInts(d, "nodes_missing_value_tracks_true"),
                       targetIds = getInts(d, "leaf_targetids");
  std::vector<double> splits = getNumbers(d, "nodes_splits"),
                      weights = getNumbers(d, "leaf_weights"),
                      members = getNumbers(d, "membership_values");
  std::vector<uint8_t> modes = getBytes(d, "nodes_modes");
  int64_t aggregateNumber = d.getInt("aggregate_function", 1),
          transform = d.getInt("post_transform", 0);
  if (aggregateNumber < 0 || aggregateNumber > 3)
    refuseChoice("aggregate_function", std::to_string(aggregateNumber));
  if (transform != 0)
    throw std::invalid_argument(
        "attribute 'post_transform': expected 0, but got " +
        std::to_string(transform));
  auto aggregate = static_cast<Aggregate>(aggregateNumber);
  size_t count = features.size();
  expectCount("nodes_truenodeids", count, yes.size());
  expectCount("nodes_falsenodeids", count, no.size());
  expectCount("nodes_trueleafs", count, yesLeaf.size());
  expectCount("nodes_falseleafs", count, noLeaf.size());
  expectCount("nodes_splits", count, splits.size());
  expectCount("nodes_modes", count, modes.size());
  expectCount("leaf_targetids", weights.size(), targetIds.size());
  missing.resize(count);
  Forest forest;
  for (size_t i = 0; i < count; ++i) {
    if (modes[i] > static_cast<int>(Branch::Member))
      refuseChoice("nodes_modes", std::to_string(modes[i]));
    forest.add(static_cast<Branch>(modes[i]), features[i], splits[i],
               missing[i]);
  }
  for (size_t i = 0; i < weights.size(); ++i)
    forest.add(Branch::Leaf, 0, 0, false);
  auto find = [&](int64_t id, bool isLeaf) {
    int64_t size = isLeaf ? weights.size() : count;
    if (id < 0 || id >= size)
      throw std::invalid_argument(
          std::string(isLeaf ? "there is no leaf " : "there is no node ") +
          std::to_string(id));
    return isLeaf ? id + static_cast<int64_t>(count) : id;
  };
  for (size_t i = 0; i < count; ++i) {
    forest.yes[i] = find(yes[i], yesLeaf[i]);
    forest.no[i] = find(no[i], noLeaf[i]);
  }
  // The sets follow each other in the order of the nodes. A NaN ends each set.
  auto member = members.begin();
  for (size_t i = 0; i < count; ++i) {
    if (modes[i] != static_cast<int>(Branch::Member))
      continue;
    std::vector<double> set;
    for (; member != members.end() && *member == *member; ++member)
      set.push_back(*member);
    if (member != members.end())
      ++member;
    addMembers(forest, i, set);
  }
  for (int64_t root : getInts(d, "tree_roots"))
    forest.roots.push_back(find(root, false));
  int64_t targets = d.getInt("n_targets", 1);
  startWeights(forest, targets, aggregate);
  for (size_t i = 0; i < weights.size(); ++i)
    addWeight(forest, count + i, targetIds[i], weights[i], aggregate);
  bool isDouble = addRows(d);
  addForest(d, forest, aggregate, isDouble);
  d.body.Add("Y = CastLike (Sums, X)");
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static std::vector<std::string>
getTreeAttributes(const std::vector<std::string> &others) {
  std::vector<std::string> names = {"base_values",
                                    "base_values_as_tensor",
                                    "nodes_falsenodeids",
                                    "nodes_featureids",
                                    "nodes_hitrates",
                                    "nodes_hitrates_as_tensor",
                                    "nodes_missing_value_tracks_true",
                                    "nodes_modes",
                                    "nodes_nodeids",
                                    "nodes_treeids",
                                    "nodes_truenodeids",
                                    "nodes_values",
                                    "nodes_values_as_tensor",
                                    "post_transform"};
  names.insert(names.end(), others.begin(), others.end());
  return names;
}

const FunctionRows &onnx_import::getMachineLearningRows() {
  static const FunctionRows rows = {
      {NodeKind::MachineLearningArrayFeatureExtractor,
       {{"X", "Y"}, {"Z"}, {}, defineArrayFeatureExtractor}},
      {NodeKind::MachineLearningBinarizer,
       {{"X"}, {"Y"}, {"threshold"}, defineBinarizer}},
      {NodeKind::MachineLearningLinearClassifier,
       {{"X"},
        {"Y", "Z"},
        {"classlabels_ints", "classlabels_strings", "coefficients",
         "intercepts", "multi_class", "post_transform"},
        defineLinearClassifier}},
      {NodeKind::MachineLearningLinearRegressor,
       {{"X"},
        {"Y"},
        {"coefficients", "intercepts", "post_transform", "targets"},
        defineLinearRegressor}},
      {NodeKind::MachineLearningNormalizer,
       {{"X"}, {"Y"}, {"norm"}, defineNormalizer}},
      {NodeKind::MachineLearningScaler,
       {{"X"}, {"Y"}, {"offset", "scale"}, defineScaler}},
      {NodeKind::MachineLearningTreeEnsemble,
       {{"X"},
        {"Y"},
        {"aggregate_function", "leaf_targetids", "leaf_weights",
         "membership_values", "n_targets", "nodes_falseleafs",
         "nodes_falsenodeids", "nodes_featureids", "nodes_hitrates",
         "nodes_missing_value_tracks_true", "nodes_modes", "nodes_splits",
         "nodes_trueleafs", "nodes_truenodeids", "post_transform",
         "tree_roots"},
        defineTreeEnsemble}},
      {NodeKind::MachineLearningTreeEnsembleClassifier,
       {{"X"},
        {"Y", "Z"},
        getTreeAttributes({"class_ids", "class_nodeids", "class_treeids",
                           "class_weights", "class_weights_as_tensor",
                           "classlabels_int64s", "classlabels_strings"}),
        defineTreeEnsembleClassifier}},
      {NodeKind::MachineLearningTreeEnsembleRegressor,
       {{"X"},
        {"Y"},
        getTreeAttributes({"aggregate_function", "n_targets", "target_ids",
                           "target_nodeids", "target_treeids", "target_weights",
                           "target_weights_as_tensor"}),
        defineTreeEnsembleRegressor}},
  };
  return rows;
}
