//===- Npy.cpp - NumPy's file format --------------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/BuiltinTypes.h"
#include "quant-float/ExecutionEngine/TensorFile.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/Support/InputFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::quant_float;

/// NumPy's kind and size for an element type, without the byte order (P3).
static std::string getKind(Type type) {
  unsigned width = type.getIntOrFloatBitWidth();
  if (type.isInteger(1))
    return "b1";
  if (type.isBF16())
    return "u2";
  if (isa<FloatType>(type))
    return width >= 16 ? "f" + std::to_string(width / 8) : "u1";
  return (type.isUnsignedInteger() ? "u" : "i") +
         std::to_string(std::max(width, 8u) / 8);
}

/// Whether elements of `type` may be stored as `kind`: as we write them, or as
/// ml_dtypes does, for which NumPy has no name but V and, for some, f1.
static bool accepts(Type type, StringRef kind) {
  if (kind == getKind(type))
    return true;
  unsigned width = type.getIntOrFloatBitWidth();
  if (type.isBF16())
    return kind == "V2";
  bool isNarrowFloat = isa<FloatType>(type) && width <= 8;
  bool isNarrowInteger = isa<IntegerType>(type) && width > 1 && width < 8;
  return (kind == "V1" && (isNarrowFloat || isNarrowInteger)) ||
         (kind == "f1" && isNarrowFloat);
}

namespace {

/// What the header says.
struct Header {
  std::string descr;
  bool isColumnMajor = false;
  SmallVector<int64_t> sizes;
};

/// Reads the header's text, a literal of a Python dictionary.
class HeaderParser {
public:
  explicit HeaderParser(StringRef text) : rest(text) {}
  llvm::Expected<Header> parse();

private:
  void skipBlanks() { rest = rest.ltrim(" \t\n\r"); }
  bool consume(StringRef token) {
    skipBlanks();
    return rest.consume_front(token);
  }
  std::optional<StringRef> parseString();
  std::optional<bool> parseBool();
  std::optional<SmallVector<int64_t>> parseSizes();

  StringRef rest;
};

} // namespace

static llvm::Error makeHeaderError(StringRef what) {
  return llvm::createStringError("header of the .npy file: " + what);
}

std::optional<StringRef> HeaderParser::parseString() {
  skipBlanks();
  if (rest.empty() || (rest.front() != '\'' && rest.front() != '"'))
    return std::nullopt;
  size_t end = rest.find(rest.front(), 1);
  if (end == StringRef::npos)
    return std::nullopt;
  StringRef text = rest.substr(1, end - 1);
  rest = rest.drop_front(end + 1);
  return text;
}

std::optional<bool> HeaderParser::parseBool() {
  if (consume("True"))
    return true;
  if (consume("False"))
    return false;
  return std::nullopt;
}

std::optional<SmallVector<int64_t>> HeaderParser::parseSizes() {
  SmallVector<int64_t> sizes;
  if (!consume("("))
    return std::nullopt;
  while (!consume(")")) {
    skipBlanks();
    uint64_t size;
    if (rest.consumeInteger(10, size) || size > INT64_MAX)
      return std::nullopt;
    rest.consume_front("L"); // Python 2 wrote long integers so.
    sizes.push_back(static_cast<int64_t>(size));
    if (!consume(",")) {
      if (!consume(")"))
        return std::nullopt;
      break;
    }
  }
  return sizes;
}

llvm::Expected<Header> HeaderParser::parse() {
  Header header;
  bool hasDescr = false, hasOrder = false, hasShape = false;
  if (!consume("{"))
    return makeHeaderError("expected a dictionary");
  while (!consume("}")) {
    std::optional<StringRef> key = parseString();
    if (!key || !consume(":"))
      return makeHeaderError("expected a key and a colon");
    if (*key == "descr") {
      std::optional<StringRef> descr = parseString();
      if (!descr)
        return makeHeaderError("'descr': expected the name of one type");
      header.descr = descr->str();
      hasDescr = true;
    } else if (*key == "fortran_order") {
      std::optional<bool> order = parseBool();
      if (!order)
        return makeHeaderError("'fortran_order': expected True or False");
      header.isColumnMajor = *order;
      hasOrder = true;
    } else if (*key == "shape") {
      std::optional<SmallVector<int64_t>> sizes = parseSizes();
      if (!sizes)
        return makeHeaderError("'shape': expected sizes in parentheses");
      header.sizes = std::move(*sizes);
      hasShape = true;
    } else {
      return makeHeaderError("unknown key '" + key->str() + "'");
    }
    if (!consume(",")) {
      if (!consume("}"))
        return makeHeaderError("expected a comma or the end");
      break;
    }
  }
  if (!hasDescr || !hasOrder || !hasShape)
    return makeHeaderError(
        "expected the keys 'descr', 'fortran_order' and 'shape'");
  return header;
}

/// The header's text; `bytes` loses everything before the data.
static llvm::Expected<StringRef> splitHeader(StringRef &bytes) {
  if (!bytes.consume_front(StringRef("\x93NUMPY", 6)))
    return llvm::createStringError("expected a .npy file, but its first bytes "
                                   "are not those of one");
  if (bytes.size() < 2)
    return makeHeaderError("the file ends within it");
  unsigned major = static_cast<unsigned char>(bytes[0]);
  unsigned minor = static_cast<unsigned char>(bytes[1]);
  if (major < 1 || major > 3)
    return makeHeaderError(
        llvm::formatv("expected version 1, 2 or 3, but got {0}.{1}", major,
                      minor)
            .str());
  bytes = bytes.drop_front(2);
  size_t lengthBytes = major == 1 ? 2 : 4;
  if (bytes.size() < lengthBytes)
    return makeHeaderError("the file ends within it");
  uint64_t length = major == 1 ? llvm::support::endian::read16le(bytes.data())
                               : llvm::support::endian::read32le(bytes.data());
  bytes = bytes.drop_front(lengthBytes);
  if (bytes.size() < length)
    return makeHeaderError(
        llvm::formatv("expected {0} bytes, but the file ends after {1}", length,
                      bytes.size())
            .str());
  StringRef header = bytes.take_front(length);
  bytes = bytes.drop_front(length);
  return header;
}

/// Row-major elements from column-major or big-endian ones.
static void convertLayout(ArrayRef<char> from, MutableArrayRef<char> to,
                          ArrayRef<int64_t> sizes, unsigned slotBytes,
                          bool isColumnMajor, bool isBigEndian) {
  int64_t rank = sizes.size();
  SmallVector<int64_t> strides(rank), index(rank, 0);
  int64_t stride = 1;
  for (int64_t i = 0; i < rank; ++i) {
    int64_t axis = isColumnMajor ? i : rank - 1 - i;
    strides[axis] = stride;
    stride *= sizes[axis];
  }
  int64_t source = 0;
  for (size_t at = 0; at < to.size(); at += slotBytes) {
    const char *slot = from.data() + source * slotBytes;
    for (unsigned i = 0; i < slotBytes; ++i)
      to[at + i] = slot[isBigEndian ? slotBytes - 1 - i : i];
    for (int64_t axis = rank - 1; axis >= 0; --axis) {
      source += strides[axis];
      if (++index[axis] < sizes[axis])
        break;
      source -= strides[axis] * sizes[axis];
      index[axis] = 0;
    }
  }
}

llvm::Expected<Tensor> mlir::quant_float::readNpy(StringRef path,
                                                  Type elementType) {
  auto file = openRegularFile(path);
  if (!file)
    return llvm::createStringError("cannot be read: " +
                                   llvm::toString(file.takeError()));
  std::shared_ptr<llvm::MemoryBuffer> owner = std::move(*file);
  StringRef bytes = owner->getBuffer();
  llvm::Expected<StringRef> text = splitHeader(bytes);
  if (!text)
    return text.takeError();
  llvm::Expected<Header> header = HeaderParser(*text).parse();
  if (!header)
    return header.takeError();

  StringRef kind = header->descr;
  bool isBigEndian = kind.starts_with(">");
  if (!kind.empty() && StringRef("<>=|").contains(kind.front()))
    kind = kind.drop_front();
  if (!accepts(elementType, kind))
    return llvm::createStringError(
        llvm::formatv("expected {0} in a .npy type '{1}', but got '{2}'",
                      getOnnxTypeName(elementType), getKind(elementType),
                      header->descr)
            .str());
  llvm::Expected<int64_t> count = countBytes(elementType, header->sizes);
  if (!count)
    return count.takeError();
  if (static_cast<uint64_t>(*count) != bytes.size())
    return llvm::createStringError(
        llvm::formatv("expected {0} bytes of data for {1}, but got {2}", *count,
                      spellTensor(elementType, header->sizes), bytes.size())
            .str());

  unsigned slotBytes = getSlotBytes(elementType);
  // ml_dtypes leaves the bits above a narrow integer's value undefined.
  bool isSubByteSigned = kind == "V1" && elementType.isSignlessInteger();
  isBigEndian &= slotBytes > 1;
  bool isColumnMajor = header->isColumnMajor && header->sizes.size() > 1;
  if (!isBigEndian && !isColumnMajor && !isSubByteSigned)
    return Tensor::view(elementType, header->sizes,
                        ArrayRef(bytes.data(), bytes.size()), std::move(owner));
  llvm::Expected<Tensor> tensor = Tensor::allocate(elementType, header->sizes);
  if (!tensor)
    return tensor.takeError();
  convertLayout(ArrayRef(bytes.data(), bytes.size()), tensor->getMutableBytes(),
                header->sizes, slotBytes, isColumnMajor, isBigEndian);
  if (isSubByteSigned) {
    unsigned unused = 8 - elementType.getIntOrFloatBitWidth();
    for (char &slot : tensor->getMutableBytes())
      slot = static_cast<char>(static_cast<int8_t>(slot << unused) >> unused);
  }
  return tensor;
}

/// Everything before the data, padded so that the data starts at a multiple of
/// 64 bytes.
static std::string makeHeader(const Tensor &tensor) {
  std::string dictionary;
  llvm::raw_string_ostream os(dictionary);
  os << "{'descr': '"
     << (getSlotBytes(tensor.getElementType()) == 1 ? '|' : '<')
     << getKind(tensor.getElementType())
     << "', 'fortran_order': False, 'shape': (";
  for (int64_t size : tensor.getSizes())
    os << size << ", ";
  os << "), }";
  bool isLong = dictionary.size() > 65000;
  size_t fixed = isLong ? 12 : 10;
  size_t padded = llvm::alignTo(fixed + dictionary.size() + 1, 64) - fixed;
  dictionary.resize(padded - 1, ' ');
  dictionary.push_back('\n');

  std::string header("\x93NUMPY", 6);
  header.push_back(isLong ? 2 : 1);
  header.push_back(0);
  for (unsigned i = 0; i < (isLong ? 4 : 2); ++i)
    header.push_back(static_cast<char>(dictionary.size() >> (8 * i)));
  return header + dictionary;
}

bool mlir::quant_float::writeNpy(OutputFile &file, const Tensor &tensor) {
  ArrayRef<char> bytes = tensor.getBytes();
  return file.write(makeHeader(tensor)) &&
         file.write({bytes.data(), bytes.size()});
}
