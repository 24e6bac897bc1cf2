//===- LargeConstants.cpp - Large constants outside of LLVM ---------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LargeConstants.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "quant-float/Support/LlvmCompat.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Mangler.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace mlir::quant_float;

/// Smaller constants cost LLVM little, and may be tables from which it folds
/// loads.
static constexpr size_t kMinBytes = 16384;

/// Returns the bytes of a global as an object of this machine's byte order
/// contains them. Returns none if the global has another representation or
/// linkage, or is small.
static ArrayRef<char> getBytes(LLVM::GlobalOp global) {
  auto value = dyn_cast_or_null<ElementsAttr>(global.getValueOrNull());
  if (!value || !global.getConstant() || global.getSectionAttr() ||
      isThreadLocal(global) ||
      (global.getLinkage() != LLVM::Linkage::Private &&
       global.getLinkage() != LLVM::Linkage::Internal))
    return {};
  Type element = value.getElementType();
  if (!element.isIntOrFloat())
    return {};
  unsigned bits = element.getIntOrFloatBitWidth();
  if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
    return {};
  ArrayRef<char> bytes;
  if (auto dense = dyn_cast<DenseElementsAttr>(value);
      dense && !dense.isSplat())
    bytes = dense.getRawData();
  else if (auto resource = dyn_cast<DenseResourceElementsAttr>(value))
    if (AsmResourceBlob *blob = resource.getRawHandle().getBlob())
      bytes = blob->getData();
  if (bytes.size() != size_t(value.size()) * (bits / 8) ||
      bytes.size() < kMinBytes)
    return {};
  return bytes;
}

/// Returns the alignment of the address.
static llvm::Align getAlignment(ArrayRef<char> bytes) {
  return llvm::commonAlignment(llvm::Align(4096),
                               reinterpret_cast<uintptr_t>(bytes.data()));
}

static uint64_t getElementSize(LLVM::GlobalOp global) {
  Type element = cast<ElementsAttr>(global.getValueOrNull()).getElementType();
  return element.getIntOrFloatBitWidth() / 8;
}

void LargeConstants::detach(ModuleOp module) {
  detached.clear();
  for (auto global : module.getOps<LLVM::GlobalOp>()) {
    ArrayRef<char> bytes = getBytes(global);
    if (bytes.empty())
      continue;
    auto isAligned = [&](ArrayRef<char> bytes) {
      return !inProcess || getAlignment(bytes) >= getElementSize(global);
    };
    // LLVM copies constants that are not aligned like their elements.
    if (!isAligned(bytes))
      continue;
    uint64_t hash = llvm::xxh3_64bits(ArrayRef(
        reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()));
    SmallVector<size_t, 1> &alike = places[{hash, bytes.size()}];
    auto *found = llvm::find_if(alike, [&](size_t place) {
      return constants[place].second == bytes &&
             isAligned(constants[place].second);
    });
    size_t place = found == alike.end() ? constants.size() : *found;
    if (found == alike.end()) {
      alike.push_back(place);
      // Symbols of entry points contain no dot, so this name is unused.
      constants.emplace_back(("constant." + Twine(place)).str(), bytes);
    }
    detached.emplace_back(global.getSymName().str(), place);
    global.setValueAttr(LLVM::ZeroAttr::get(module.getContext()));
  }
}

void LargeConstants::declare(llvm::Module &module) {
  for (auto &[name, place] : detached) {
    llvm::GlobalVariable *global = module.getGlobalVariable(name, true);
    const std::string &shared = constants[place].first;
    if (llvm::GlobalVariable *first = module.getGlobalVariable(shared)) {
      if (!inProcess)
        first->setAlignment(std::max(first->getAlign().valueOrOne(),
                                     global->getAlign().valueOrOne()));
      global->replaceAllUsesWith(first);
      global->eraseFromParent();
      continue;
    }
    global->setInitializer(nullptr);
    global->setLinkage(llvm::GlobalValue::ExternalLinkage);
    if (inProcess) {
      // The bytes may be far from the code, and are aligned as in the file.
      global->setVisibility(llvm::GlobalValue::DefaultVisibility);
      global->setDSOLocal(false);
      global->setAlignment(getAlignment(constants[place].second));
    } else {
      global->setVisibility(llvm::GlobalValue::HiddenVisibility);
      global->setDSOLocal(true);
    }
    global->setName(shared);
  }
}

void LargeConstants::define(llvm::Module &module) {
  for (auto &[name, bytes] : constants) {
    llvm::GlobalVariable *global = module.getGlobalVariable(name);
    if (!global)
      continue;
    global->setInitializer(
        llvm::Constant::getNullValue(global->getValueType()));
    global->setExternallyInitialized(true);
    global->setVisibility(llvm::GlobalValue::DefaultVisibility);
    global->setLinkage(llvm::GlobalValue::InternalLinkage);
  }
}

llvm::Error LargeConstants::write(llvm::MemoryBufferRef buffer,
                                  const llvm::DataLayout &layout,
                                  llvm::raw_pwrite_stream &os) const {
  llvm::StringMap<ArrayRef<char>> values;
  for (const auto &[name, bytes] : constants) {
    SmallString<32> mangled;
    llvm::raw_svector_ostream stream(mangled);
    llvm::Mangler::getNameWithPrefix(stream, name, layout);
    values[mangled] = bytes;
  }
  llvm::Expected<std::unique_ptr<llvm::object::ObjectFile>> object =
      llvm::object::ObjectFile::createObjectFile(buffer);
  if (!object)
    return object.takeError();
  for (const llvm::object::SymbolRef &symbol : (*object)->symbols()) {
    llvm::Expected<StringRef> name = symbol.getName();
    if (!name)
      return name.takeError();
    auto found = values.find(*name);
    if (found == values.end())
      continue;
    llvm::Expected<llvm::object::section_iterator> section =
        symbol.getSection();
    if (!section)
      return section.takeError();
    llvm::Expected<uint64_t> address = symbol.getAddress();
    if (!address)
      return address.takeError();
    llvm::Expected<StringRef> contents = (*section)->getContents();
    if (!contents)
      return contents.takeError();
    uint64_t offset = *address - (*section)->getAddress();
    ArrayRef<char> bytes = found->second;
    if (offset > contents->size() || contents->size() - offset < bytes.size())
      return llvm::createStringError("'%s' is not in its section",
                                     name->str().c_str());
    os.pwrite(bytes.data(), bytes.size(),
              contents->data() - buffer.getBufferStart() + offset);
    values.erase(found);
  }
  // Constants without a symbol belonged to dead code that LLVM removed.
  return llvm::Error::success();
}
