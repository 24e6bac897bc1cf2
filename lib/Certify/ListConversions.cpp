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
  Conversion conversion(Kind::Cast, from, to);
  if (!conversion.hasSaturate()) {
    casts.push_back(conversion);
    return;
  }
  bool isScale = to->kind == Format::Kind::Scale;
  for (bool saturate : {true, false}) {
    conversion.rules.saturate = saturate;
    for (ScaleRounding rounding :
         {ScaleRounding::Up, ScaleRounding::Down, ScaleRounding::Nearest}) {
      conversion.rules.scaleRounding = rounding;
      if (isScale || rounding == ScaleRounding::Up)
        casts.push_back(conversion);
    }
  }
  // Before opset 24, FNUZ types map infinity differently (C4).
  conversion.rules = {};
  conversion.rules.opset = 23;
  if (to->specials == Specials::NegativeZero && isInOpset23(*from) &&
      to->isOnnx)
    casts.push_back(conversion);
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
static void addQuantizedTypes(Conversion conversion,
                              const Format *Conversion::*quantized, Add add,
                              const std::vector<const Format *> &formats =
                                  find({"i16", "i8", "i4", "i2", "ui16", "ui8",
                                        "ui4", "ui2", "f8E4M3FN", "f8E4M3FNUZ",
                                        "f8E5M2", "f8E5M2FNUZ", "f6E2M3FN",
                                        "f6E3M2FN", "f4E2M1FN"})) {
  for (const Format *format : formats) {
    conversion.*quantized = format;
    bool isFloat8 = format->isFloat() && format->bits == 8;
    for (bool second : {false, true}) {
      conversion.hasZeroPoint = second && !isFloat8;
      conversion.rules.saturate = !(second && isFloat8);
      // Dequantizations have no attribute saturate.
      if (!second || !isFloat8 || conversion.kind != Kind::Dequantize)
        add(conversion);
    }
  }
}

std::vector<Conversion> certify::listQuantizations() {
  std::vector<Conversion> all;
  auto add = [&](const Conversion &added) { all.push_back(added); };
  Conversion conversion(Kind::Quantize);
  for (const Format *from : find({"f32", "f16", "bf16", "i32"}))
    for (const Format *scale : find({"f32", "f16", "bf16", "f8E8M0FNU", "i32"}))
      for (const Format *precision : find({"f32", "f16", "bf16", "f64"})) {
        conversion.from = from;
        conversion.scale = scale;
        conversion.precision = precision;
        addQuantizedTypes(conversion, &Conversion::to, add);
      }
  conversion.kind = Kind::Dequantize;
  conversion.precision = nullptr;
  for (const Format *to : find({"f32", "f16", "bf16"}))
    for (const Format *scale : find({"f32", "f16", "bf16", "f8E8M0FNU"})) {
      conversion.to = to;
      conversion.scale = scale;
      addQuantizedTypes(conversion, &Conversion::from, add);
      conversion.from = findFormat("i32");
      for (bool hasZeroPoint : {false, true}) {
        conversion.hasZeroPoint = hasZeroPoint;
        all.push_back(conversion);
      }
    }
  conversion = Conversion(Kind::Qdq);
  for (const Format *format : find({"f32", "f16", "bf16"}))
    for (const Format *scale : find({"f32", "f16", "bf16", "f8E8M0FNU"}))
      for (const Format *precision : find({"f32", "f16", "bf16", "f64"})) {
        conversion.from = conversion.to = format;
        conversion.scale = scale;
        conversion.precision = precision;
        addQuantizedTypes(conversion, &Conversion::destination, add);
      }
  // The types that ONNX lacks, as quantized values and as scales.
  auto own =
      find({"f8E3M4", "f8E4M3", "f8E4M3B11FNUZ", "!quant_float.f8UE5M3"});
  conversion = {};
  for (const Format *format : find({"f32", "f16", "bf16"}))
    for (const Format *scale : {findFormat("f32"), own[0], own[2], own[3]}) {
      conversion.scale = scale;
      conversion.kind = Kind::Quantize;
      conversion.from = format;
      conversion.precision = findFormat("f32");
      addQuantizedTypes(conversion, &Conversion::to, add, own);
      conversion.kind = Kind::Dequantize;
      conversion.to = format;
      conversion.precision = nullptr;
      addQuantizedTypes(conversion, &Conversion::from, add, own);
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
  Conversion conversion(Kind::FakeConvert);
  for (const Format *format : find({"f32", "f16", "bf16"}))
    for (const Format *destination : find({"f8E4M3FN", "f8E5M2"}))
      for (bool hasShift : {false, true}) {
        conversion.from = conversion.to = conversion.scale = format;
        conversion.destination = destination;
        conversion.hasZeroPoint = hasShift;
        for (const FakeConvertRules &rules : listRules(*format, hasShift)) {
          conversion.fakeConvertRules = rules;
          all.push_back(conversion);
        }
      }
  return all;
}

std::vector<Conversion> certify::listBlocks() {
  const auto wide = find({"f32", "f16", "bf16"});
  size_t count;
  const Format *formats = getFormats(count);
  const Format *f32 = findFormat("f32");
  std::vector<Conversion> all = {Conversion(Kind::TensorScale, f32, f32)};

  Conversion conversion;
  // Adds the operation with a largest magnitude and with a scale of the tensor
  // if the rule has two levels.
  auto addLevels = [&] {
    conversion.hasZeroPoint = isTwoLevel(conversion.blockRule);
    for (bool isAmax : {true, false}) {
      conversion.isTensorAmax = isAmax && conversion.hasZeroPoint;
      if (!isAmax || conversion.hasZeroPoint)
        all.push_back(conversion);
    }
  };
  auto forEachRule = [&](auto add) {
    for (size_t i = 0; i <= size_t(kLastBlockRule); ++i)
      for (const Format *element = formats; element != formats + count;
           ++element)
        for (const Format *scale = formats; scale != formats + count; ++scale) {
          conversion.blockRule = static_cast<BlockRule>(i);
          if (definesScales(conversion.blockRule, *element, *scale))
            for (const Format *from : wide)
              add(from, element, scale);
        }
  };
  conversion.kind = Kind::BlockScale;
  forEachRule(
      [&](const Format *from, const Format *element, const Format *scale) {
        conversion.from = from;
        conversion.destination = element;
        conversion.to = scale;
        addLevels();
      });
  conversion = Conversion(Kind::BlockElements);
  forEachRule(
      [&](const Format *from, const Format *element, const Format *scale) {
        conversion.from = from;
        conversion.scale = scale;
        conversion.to = element;
        addLevels();
      });
  conversion = Conversion(Kind::BlockDequantize);
  for (const Format *from : find({"f8E4M3FN", "f8E5M2", "f6E2M3FN", "f6E3M2FN",
                                  "f4E2M1FN", "i8", "i4"}))
    for (const Format *scale : find({"f8E8M0FNU", "f32", "f16", "bf16",
                                     "f8E4M3FN", "!quant_float.f8UE5M3"}))
      for (const Format *to : wide) {
        conversion.from = from;
        conversion.scale = scale;
        conversion.to = to;
        conversion.hasZeroPoint = conversion.isTensorFirst = false;
        all.push_back(conversion);
        conversion.hasZeroPoint = true;
        for (bool isTensorFirst : {false, true}) {
          conversion.isTensorFirst = isTensorFirst;
          all.push_back(conversion);
        }
      }
  return all;
}

std::vector<Conversion> certify::listProjections() {
  std::vector<Conversion> all;
  Conversion conversion;
  auto addSaturations = [&](DraftRounding rounding) {
    for (DraftSaturation saturation :
         {DraftSaturation::SatFinite, DraftSaturation::SatPropagate,
          DraftSaturation::SatNone}) {
      conversion.rules.projection = DraftProjection();
      conversion.rules.projection->rounding = rounding;
      conversion.rules.projection->saturation = saturation;
      if (conversion.random)
        conversion.rules.projection->randomWidth = conversion.random->bits;
      all.push_back(conversion);
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
      conversion.from = from;
      conversion.to = to;
      addRoundings(DraftRounding::NearestTiesToEven, DraftRounding::ToOdd);
      if (from->bits > 16)
        continue;
      for (const Format *random : find({"ui2", "ui4", "ui8"})) {
        conversion.random = random;
        addRoundings(DraftRounding::StochasticA, DraftRounding::StochasticC);
      }
      conversion.random = nullptr;
    }
  std::vector<const Format *> others = find({"f8E4M3FNUZ", "f8E5M2FNUZ"});
  for (const Format &format : getBinaryFormats())
    if (std::none_of(required.begin(), required.end(),
                     [&](const Format *known) { return known == &format; }))
      others.push_back(&format);
  for (const Format *format : required)
    for (bool isFrom : {true, false}) {
      conversion.from = isFrom ? findFormat("f64") : format;
      conversion.to = isFrom ? format : findFormat("f64");
      addRoundings(DraftRounding::NearestTiesToEven, DraftRounding::ToOdd);
    }
  // The conversions of each source are together, so that they share libraries.
  for (const Format *from : standard)
    for (const Format *to : others) {
      conversion.from = from;
      conversion.to = to;
      if (from->bits == 32) {
        conversion.rules.projection = DraftProjection();
        all.push_back(conversion);
        continue;
      }
      addRoundings(DraftRounding::NearestTiesToEven, DraftRounding::ToOdd);
    }
  for (const Format *from : others)
    for (const char *name : {"f32", "bf16"}) {
      conversion.from = from;
      conversion.to = findFormat(name);
      addSaturations(DraftRounding::NearestTiesToEven);
    }
  return all;
}

std::vector<Conversion> certify::listBlockConversions() {
  std::vector<Conversion> all;
  auto required =
      find({"!quant_float.binary8p4se", "!quant_float.binary8p3se",
            "!quant_float.binary4p2sf", "!quant_float.binary8p1uf"});
  Conversion conversion;
  auto add = [&](const Format *from, const Format *to) {
    conversion.from = from;
    conversion.to = to;
    for (auto i = size_t(0); i <= size_t(kLastDraftRounding); ++i)
      for (DraftSaturation saturation :
           {DraftSaturation::SatFinite, DraftSaturation::SatPropagate,
            DraftSaturation::SatNone}) {
        DraftProjection projection;
        projection.rounding = static_cast<DraftRounding>(i);
        projection.saturation = saturation;
        conversion.random =
            projection.isStochastic() ? findFormat("ui4") : nullptr;
        projection.randomWidth = conversion.random ? 4 : 0;
        conversion.rules.projection = projection;
        all.push_back(conversion);
      }
  };
  for (Kind kind : {Kind::ConvertToBlock, Kind::ConvertFromBlock})
    for (const Format *scale : {required[3], required[0], findFormat("f32")})
      for (const Format *wide : {findFormat("f32"), findFormat("f16"),
                                 findFormat("bf16"), required[0]})
        for (const Format *format : required) {
          conversion.scale = scale;
          conversion.kind = kind;
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
        Conversion conversion(Kind::Cast, from, to);
        conversion.random = random;
        if (from == to)
          continue;
        all.push_back(conversion);
        conversion.rules.saturate = false;
        if (conversion.hasSaturate())
          all.push_back(conversion);
      }
  auto storages = find({"i16", "i8", "i4", "i2", "ui16", "ui8", "ui4", "ui2"});
  storages.insert(storages.end(), narrow.begin(), narrow.end() - 2);
  Conversion conversion;
  auto add = [&](const Conversion &each) { all.push_back(each); };
  conversion.random = findFormat("ui4");
  for (Kind kind : {Kind::Quantize, Kind::Qdq})
    for (const Format *from : wide)
      for (const char *precision : {"f32", "f64"}) {
        conversion.kind = kind;
        conversion.from = conversion.to = from;
        conversion.scale = findFormat("f32");
        conversion.precision = findFormat(precision);
        conversion.destination = nullptr;
        addQuantizedTypes(conversion,
                          kind == Kind::Qdq ? &Conversion::destination
                                            : &Conversion::to,
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
  // The encodings of the operand are the indices of the elements.
  for (const Format *to : find({"ui2", "ui4", "ui8", "ui16", "ui32"})) {
    all.emplace_back(Kind::Philox, findFormat("ui16"), to, findFormat("i64"));
    all.back().hasZeroPoint = true;
  }
  return all;
}

std::vector<std::vector<Conversion>> certify::listGroups(Standard standard) {
  std::vector<std::vector<Conversion>> groups;
  auto add = [&](const std::vector<Conversion> &conversions) {
    for (const Conversion &conversion : conversions) {
      // Small groups if running takes longer than compiling. Otherwise groups
      // are large, so that the fixed cost of a library is negligible.
      bool isLong = (conversion.kind == Kind::Cast ||
                     conversion.kind == Kind::BlockScale) &&
                    conversion.from->bits == 32 && !conversion.random;
      // Block conversions are long code: one group for each three types.
      bool isConversion = conversion.kind == Kind::ConvertToBlock ||
                          conversion.kind == Kind::ConvertFromBlock;
      size_t limit = isLong ? 4 : isConversion ? 27 : 120;
      bool isNew =
          groups.empty() || groups.back().size() >= limit ||
          groups.back()[0].kind != conversion.kind ||
          (conversion.kind == Kind::Cast &&
           (conversion.rules.projection
                ? groups.back()[0].from->bits / 32 != conversion.from->bits / 32
                : groups.back()[0].from != conversion.from));
      if (isNew)
        groups.emplace_back();
      groups.back().push_back(conversion);
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
