//===- ListConversions.cpp - The conversions that are certified -----------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Certify/Conversion.h"

#include <algorithm>

using namespace mlir::quant_float;
using namespace mlir::quant_float::certify;

using Kind = Conversion::Kind;
using Mode = FakeConvertMode;

/// Whether Cast accepted the type before opset 24.
static bool isInOpset23(const Format &format) {
  return format.kind != Format::Kind::Scale && format.bits != 2 &&
         format.bits != 6 && format.isOnnx;
}

/// Adds the cast with all attributes that affect its result.
static void addCasts(const Format *from, const Format *to,
                     std::vector<Conversion> &casts) {
  Conversion one;
  one.from = from;
  one.to = to;
  if (!one.hasSaturate()) {
    casts.push_back(one);
    return;
  }
  bool isScale = to->kind == Format::Kind::Scale;
  for (bool saturate : {true, false}) {
    one.rules.saturate = saturate;
    for (ScaleRounding rounding :
         {ScaleRounding::Up, ScaleRounding::Down, ScaleRounding::Nearest}) {
      one.rules.scaleRounding = rounding;
      if (isScale || rounding == ScaleRounding::Up)
        casts.push_back(one);
    }
  }
  // Before opset 24, FNUZ types map infinity differently (C4).
  one.rules = {};
  one.rules.opset = 23;
  if (to->specials == Specials::NegativeZero && isInOpset23(*from) &&
      to->isOnnx)
    casts.push_back(one);
}

std::vector<Conversion> certify::listCasts() {
  std::vector<Conversion> casts;
  size_t count;
  const Format *formats = getFormats(count);
  for (const Format *from = formats; from != formats + count; ++from)
    for (const Format *to = formats; to != formats + count; ++to)
      addCasts(from, to, casts);
  return casts;
}

std::vector<Conversion> certify::listStrings() {
  std::vector<Conversion> casts;
  size_t count;
  const Format *formats = getFormats(count);
  for (const Format *format = formats; format != formats + count; ++format)
    addCasts(format, &getStringFormat(), casts);
  for (const Format *format = formats; format != formats + count; ++format)
    addCasts(&getStringFormat(), format, casts);
  return casts;
}

static std::vector<const Format *>
find(std::initializer_list<const char *> names) {
  std::vector<const Format *> formats;
  for (const char *name : names)
    formats.push_back(findFormat(name));
  return formats;
}

/// Adds the conversion for each type of quantized values: for float8 with each
/// value of `saturate`, for other types with and without a zero point.
template <typename Add>
static void addCodes(Conversion one, const Format *Conversion::*codes, Add add,
                     const std::vector<const Format *> &formats = find(
                         {"i16", "i8", "i4", "i2", "ui16", "ui8", "ui4", "ui2",
                          "f8E4M3FN", "f8E4M3FNUZ", "f8E5M2", "f8E5M2FNUZ",
                          "f6E2M3FN", "f6E3M2FN", "f4E2M1FN"})) {
  for (const Format *format : formats) {
    one.*codes = format;
    bool isFloat8 = format->isFloat() && format->bits == 8;
    for (bool second : {false, true}) {
      one.hasZeroPoint = second && !isFloat8;
      one.rules.saturate = !(second && isFloat8);
      // Dequantizations have no attribute saturate.
      if (!second || !isFloat8 || one.kind != Kind::Dequantize)
        add(one);
    }
  }
}

std::vector<Conversion> certify::listQuantizations() {
  std::vector<Conversion> all;
  auto add = [&](const Conversion &one) { all.push_back(one); };
  Conversion one;
  one.kind = Kind::Quantize;
  for (const Format *from : find({"f32", "f16", "bf16", "i32"}))
    for (const Format *scale : find({"f32", "f16", "bf16", "f8E8M0FNU", "i32"}))
      for (const Format *precision : find({"f32", "f16", "bf16", "f64"})) {
        one.from = from;
        one.scale = scale;
        one.precision = precision;
        addCodes(one, &Conversion::to, add);
      }
  one.kind = Kind::Dequantize;
  one.precision = nullptr;
  for (const Format *to : find({"f32", "f16", "bf16"}))
    for (const Format *scale : find({"f32", "f16", "bf16", "f8E8M0FNU"})) {
      one.to = to;
      one.scale = scale;
      addCodes(one, &Conversion::from, add);
      one.from = findFormat("i32");
      for (bool hasZeroPoint : {false, true}) {
        one.hasZeroPoint = hasZeroPoint;
        all.push_back(one);
      }
    }
  one = {};
  one.kind = Kind::Qdq;
  for (const Format *format : find({"f32", "f16", "bf16"}))
    for (const Format *scale : find({"f32", "f16", "bf16", "f8E8M0FNU"}))
      for (const Format *precision : find({"f32", "f16", "bf16", "f64"})) {
        one.from = one.to = format;
        one.scale = scale;
        one.precision = precision;
        addCodes(one, &Conversion::destination, add);
      }
  // The types that ONNX lacks, as quantized values and as scales.
  auto own =
      find({"f8E3M4", "f8E4M3", "f8E4M3B11FNUZ", "!quant_float.f8UE5M3"});
  one = {};
  for (const Format *format : find({"f32", "f16", "bf16"}))
    for (const Format *scale : {findFormat("f32"), own[0], own[2], own[3]}) {
      one.scale = scale;
      one.kind = Kind::Quantize;
      one.from = format;
      one.precision = findFormat("f32");
      addCodes(one, &Conversion::to, add, own);
      one.kind = Kind::Dequantize;
      one.to = format;
      one.precision = nullptr;
      addCodes(one, &Conversion::from, add, own);
    }
  return all;
}

/// Returns the combinations of attributes that a fakeconvert may have.
static std::vector<FakeConvertRules> listRules(const Format &format,
                                               bool hasShift) {
  std::vector<FakeConvertRules> all(2);
  all[1].mode = Mode::Reference;
  FakeConvertRules plugin;
  plugin.mode = Mode::Plugin;
  for (Reciprocal reciprocal :
       {Reciprocal::Single, Reciprocal::Nearest, Reciprocal::OpenVino})
    for (bool positiveZero : {false, true})
      for (bool neutralShift : {false, true}) {
        // Only bf16 has both roundings and f16 has one; f32 needs none (K7).
        bool isOne =
            reciprocal == Reciprocal::Single || format.name == "bf16" ||
            (reciprocal == Reciprocal::Nearest && format.name == "f16");
        plugin.reciprocal = reciprocal;
        plugin.positiveZero = positiveZero;
        plugin.neutralShift = neutralShift;
        if (isOne && (hasShift || !neutralShift))
          all.push_back(plugin);
      }
  return all;
}

std::vector<Conversion> certify::listFakeConverts() {
  std::vector<Conversion> all;
  Conversion one;
  one.kind = Kind::FakeConvert;
  for (const Format *format : find({"f32", "f16", "bf16"}))
    for (const Format *destination : find({"f8E4M3FN", "f8E5M2"}))
      for (bool hasShift : {false, true}) {
        one.from = one.to = one.scale = format;
        one.destination = destination;
        one.hasZeroPoint = hasShift;
        for (const FakeConvertRules &rules : listRules(*format, hasShift)) {
          one.fakeConvertRules = rules;
          all.push_back(one);
        }
      }
  return all;
}

std::vector<Conversion> certify::listBlocks() {
  const auto wide = find({"f32", "f16", "bf16"});
  size_t count;
  const Format *formats = getFormats(count);
  std::vector<Conversion> all(1);
  all[0].kind = Kind::TensorScale;
  all[0].from = all[0].to = findFormat("f32");

  Conversion one;
  // Adds the operation with a largest magnitude and with a scale of the tensor
  // if the rule has two levels.
  auto addLevels = [&] {
    one.hasZeroPoint = isTwoLevel(one.blockRule);
    for (bool isAmax : {true, false}) {
      one.isTensorAmax = isAmax && one.hasZeroPoint;
      if (!isAmax || one.hasZeroPoint)
        all.push_back(one);
    }
  };
  auto forEachRule = [&](auto add) {
    for (size_t i = 0; i <= size_t(kLastBlockRule); ++i)
      for (const Format *element = formats; element != formats + count;
           ++element)
        for (const Format *scale = formats; scale != formats + count; ++scale) {
          one.blockRule = static_cast<BlockRule>(i);
          if (definesScales(one.blockRule, *element, *scale))
            for (const Format *from : wide)
              add(from, element, scale);
        }
  };
  one.kind = Kind::BlockScale;
  forEachRule(
      [&](const Format *from, const Format *element, const Format *scale) {
        one.from = from;
        one.destination = element;
        one.to = scale;
        addLevels();
      });
  one = {};
  one.kind = Kind::BlockElements;
  forEachRule(
      [&](const Format *from, const Format *element, const Format *scale) {
        one.from = from;
        one.scale = scale;
        one.to = element;
        addLevels();
      });
  one = {};
  one.kind = Kind::BlockDequantize;
  for (const Format *from : find({"f8E4M3FN", "f8E5M2", "f6E2M3FN", "f6E3M2FN",
                                  "f4E2M1FN", "i8", "i4"}))
    for (const Format *scale : find({"f8E8M0FNU", "f32", "f16", "bf16",
                                     "f8E4M3FN", "!quant_float.f8UE5M3"}))
      for (const Format *to : wide) {
        one.from = from;
        one.scale = scale;
        one.to = to;
        one.hasZeroPoint = one.isTensorFirst = false;
        all.push_back(one);
        one.hasZeroPoint = true;
        for (bool isTensorFirst : {false, true}) {
          one.isTensorFirst = isTensorFirst;
          all.push_back(one);
        }
      }
  return all;
}

std::vector<Conversion> certify::listProjections() {
  std::vector<Conversion> all;
  Conversion one;
  auto addSaturations = [&](DraftRounding rounding) {
    for (DraftSaturation saturation :
         {DraftSaturation::SatFinite, DraftSaturation::SatPropagate,
          DraftSaturation::SatNone}) {
      one.rules.projection = DraftProjection();
      one.rules.projection->rounding = rounding;
      one.rules.projection->saturation = saturation;
      if (one.random)
        one.rules.projection->randomWidth = one.random->bits;
      all.push_back(one);
    }
  };
  auto addRoundings = [&](DraftRounding first, DraftRounding last) {
    for (auto i = size_t(first); i <= size_t(last); ++i)
      addSaturations(static_cast<DraftRounding>(i));
  };
  std::vector<const Format *> standard = find({"f32", "f16", "bf16"});
  std::vector<const Format *> required =
      find({"!quant_float.binary8p4se", "!quant_float.binary8p3se",
            "!quant_float.binary4p2sf", "!quant_float.binary8p1uf"});
  std::vector<const Format *> main = standard;
  main.insert(main.end(), required.begin(), required.end());
  for (const Format *from : main)
    for (const Format *to : main) {
      one.from = from;
      one.to = to;
      addRoundings(DraftRounding::NearestTiesToEven, DraftRounding::ToOdd);
      if (from->bits > 16)
        continue;
      for (const Format *random : find({"ui2", "ui4", "ui8"})) {
        one.random = random;
        addRoundings(DraftRounding::StochasticA, DraftRounding::StochasticC);
      }
      one.random = nullptr;
    }
  std::vector<const Format *> others = find({"f8E4M3FNUZ", "f8E5M2FNUZ"});
  for (const Format &format : getBinaryFormats())
    if (std::none_of(required.begin(), required.end(),
                     [&](const Format *one) { return one == &format; }))
      others.push_back(&format);
  for (const Format *format : required)
    for (bool isFrom : {true, false}) {
      one.from = isFrom ? findFormat("f64") : format;
      one.to = isFrom ? format : findFormat("f64");
      addRoundings(DraftRounding::NearestTiesToEven, DraftRounding::ToOdd);
    }
  // The conversions of each source are together, so that they share libraries.
  for (const Format *from : standard)
    for (const Format *to : others) {
      one.from = from;
      one.to = to;
      if (from->bits == 32) {
        one.rules.projection = DraftProjection();
        all.push_back(one);
        continue;
      }
      addRoundings(DraftRounding::NearestTiesToEven, DraftRounding::ToOdd);
    }
  for (const Format *from : others)
    for (const char *name : {"f32", "bf16"}) {
      one.from = from;
      one.to = findFormat(name);
      addSaturations(DraftRounding::NearestTiesToEven);
    }
  return all;
}

std::vector<Conversion> certify::listBlockConversions() {
  std::vector<Conversion> all;
  auto required =
      find({"!quant_float.binary8p4se", "!quant_float.binary8p3se",
            "!quant_float.binary4p2sf", "!quant_float.binary8p1uf"});
  Conversion one;
  auto add = [&](const Format *from, const Format *to) {
    one.from = from;
    one.to = to;
    for (auto i = size_t(0); i <= size_t(kLastDraftRounding); ++i)
      for (DraftSaturation saturation :
           {DraftSaturation::SatFinite, DraftSaturation::SatPropagate,
            DraftSaturation::SatNone}) {
        DraftProjection projection;
        projection.rounding = static_cast<DraftRounding>(i);
        projection.saturation = saturation;
        one.random = projection.isStochastic() ? findFormat("ui4") : nullptr;
        projection.randomWidth = one.random ? 4 : 0;
        one.rules.projection = projection;
        all.push_back(one);
      }
  };
  for (Kind kind : {Kind::ConvertToBlock, Kind::ConvertFromBlock})
    for (const Format *scale : {required[3], required[0], findFormat("f32")})
      for (const Format *wide : {findFormat("f32"), findFormat("f16"),
                                 findFormat("bf16"), required[0]})
        for (const Format *format : required) {
          one.scale = scale;
          one.kind = kind;
          bool isTo = kind == Kind::ConvertToBlock;
          add(isTo ? wide : format, isTo ? format : wide);
        }
  return all;
}

std::vector<Conversion> certify::listStochastic() {
  std::vector<Conversion> all;
  auto wide = find({"f32", "f16", "bf16"});
  auto narrow =
      find({"f8E4M3FN", "f8E4M3FNUZ", "f8E5M2", "f8E5M2FNUZ", "f8E3M4",
            "f8E4M3", "f8E4M3B11FNUZ", "!quant_float.f8UE5M3", "f6E2M3FN",
            "f6E3M2FN", "f4E2M1FN", "f16", "bf16"});
  for (const Format *from : wide)
    for (const Format *to : narrow)
      for (const Format *random : find({"ui2", "ui4", "ui8"})) {
        Conversion one;
        one.from = from;
        one.to = to;
        one.random = random;
        if (from == to)
          continue;
        all.push_back(one);
        one.rules.saturate = false;
        if (one.hasSaturate())
          all.push_back(one);
      }
  auto storages = find({"i16", "i8", "i4", "i2", "ui16", "ui8", "ui4", "ui2"});
  storages.insert(storages.end(), narrow.begin(), narrow.end() - 2);
  Conversion one;
  auto add = [&](const Conversion &each) { all.push_back(each); };
  one.random = findFormat("ui4");
  for (Kind kind : {Kind::Quantize, Kind::Qdq})
    for (const Format *from : wide)
      for (const char *precision : {"f32", "f64"}) {
        one.kind = kind;
        one.from = one.to = from;
        one.scale = findFormat("f32");
        one.precision = findFormat(precision);
        one.destination = nullptr;
        addCodes(one,
                 kind == Kind::Qdq ? &Conversion::destination : &Conversion::to,
                 add, storages);
      }
  for (Conversion each : listBlocks())
    if (each.kind == Kind::BlockElements && each.from->name != "f16") {
      each.random = findFormat("ui4");
      all.push_back(each);
    }
  return all;
}

std::vector<Conversion> certify::listPhilox() {
  std::vector<Conversion> all;
  Conversion one;
  one.kind = Kind::Philox;
  // The encodings of the operand are the indices of the elements.
  one.from = findFormat("ui16");
  one.scale = findFormat("i64");
  one.hasZeroPoint = true;
  for (const Format *to : find({"ui2", "ui4", "ui8", "ui16", "ui32"})) {
    one.to = to;
    all.push_back(one);
  }
  return all;
}

std::vector<std::vector<Conversion>> certify::listGroups(Standard standard) {
  std::vector<std::vector<Conversion>> groups;
  auto add = [&](const std::vector<Conversion> &conversions) {
    for (const Conversion &one : conversions) {
      // Small groups if running takes longer than compiling. Otherwise groups
      // are large, so that the fixed cost of a library is negligible.
      bool isLong = (one.kind == Kind::Cast || one.kind == Kind::BlockScale) &&
                    one.from->bits == 32 && !one.random;
      // Block conversions are long code: one group for each three types.
      bool isConversion = one.kind == Kind::ConvertToBlock ||
                          one.kind == Kind::ConvertFromBlock;
      size_t limit = isLong ? 4 : isConversion ? 27 : 120;
      bool isNew = groups.empty() || groups.back().size() >= limit ||
                   groups.back()[0].kind != one.kind ||
                   (one.kind == Kind::Cast &&
                    (one.rules.projection ? groups.back()[0].from->bits / 32 !=
                                                one.from->bits / 32
                                          : groups.back()[0].from != one.from));
      if (isNew)
        groups.emplace_back();
      groups.back().push_back(one);
    }
  };
  if (standard != Standard::OnnxAndBlocks) {
    add(listProjections());
    add(listBlockConversions());
  }
  if (standard == Standard::P3109)
    return groups;
  add(listCasts());
  add(listQuantizations());
  add(listFakeConverts());
  add(listBlocks());
  add(listStochastic());
  add(listPhilox());
  add(listStrings());
  return groups;
}
