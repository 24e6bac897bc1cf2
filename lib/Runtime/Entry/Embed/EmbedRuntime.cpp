//===- EmbedRuntime.cpp - Embed the runtime in the compiler ---------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// quant-float-embed-runtime PART.bc PART.o PART.inc
//
// Runs when the compiler is built. Writes one part of the runtime as C++
// variables: the attributes of the CPU that it is compiled for, its bitcode,
// and its object as assembly that is appended to the assembly of other modules.
// The assembly contains encoded instructions, because an assembler reads
// numbers several times as fast as it assembles mnemonics, and it does so for
// every model.
//
//===----------------------------------------------------------------------===//

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include <map>
#include <set>

using namespace llvm;
using namespace llvm::object;

static ExitOnError exitOnError;

namespace {
/// Prints an object as assembly. Keeps the names of global functions. `part`
/// makes the names of sections and labels distinct from those of other parts.
class ObjectPrinter {
public:
  ObjectPrinter(const ELFObjectFileBase &object, StringRef part,
                raw_ostream &os)
      : object(object), part(part), os(os) {}

  void print();

private:
  /// A section's index and an offset in it.
  using SymbolOffset = std::pair<uint64_t, uint64_t>;

  /// Whether the section is in memory when the program runs.
  bool isLoaded(const SectionRef &section) {
    return ELFSectionRef(section).getFlags() & ELF::SHF_ALLOC &&
           section.getSize();
  }
  bool isDefined(const SymbolRef &symbol) {
    return !(exitOnError(symbol.getFlags()) & SymbolRef::SF_Undefined);
  }
  /// Whether the relocation's symbol is another instruction, whose relocation
  /// contains the address. On RISC-V, this instruction adds its low bits.
  bool isOfInstruction(const RelocationRef &relocation) {
    return object.getArch() == Triple::riscv64 &&
           (relocation.getType() == ELF::R_RISCV_PCREL_LO12_I ||
            relocation.getType() == ELF::R_RISCV_PCREL_LO12_S);
  }
  SymbolOffset getSymbolOffset(const SymbolRef &symbol) {
    return {exitOnError(symbol.getSection())->getIndex(),
            exitOnError(symbol.getValue())};
  }
  std::string getSectionName(const SectionRef &section) {
    return (exitOnError(section.getName()) + "." + part).str();
  }
  std::string getLabel(SymbolOffset symbolOffset) {
    return formatv(".L{0}_{1}_{2}", part, symbolOffset.first,
                   symbolOffset.second);
  }
  void printSection(const ELFSectionRef &section);
  void printContents(const ELFSectionRef &section, StringRef bytes);
  void printRelocation(const ELFRelocationRef &relocation,
                       const SectionRef &section);

  const ELFObjectFileBase &object;
  StringRef part;
  raw_ostream &os;
  /// The labels to print before each position.
  std::map<SymbolOffset, std::string> labels;
};
} // namespace

void ObjectPrinter::print() {
  for (const SymbolRef &symbol : object.symbols())
    if (exitOnError(symbol.getFlags()) & SymbolRef::SF_Global &&
        isDefined(symbol))
      labels[getSymbolOffset(symbol)] = formatv(
          "\t.type\t{0},@function\n{0}:\n", exitOnError(symbol.getName()));
  std::set<SymbolOffset> instructions;
  for (const SectionRef &section : object.sections())
    for (const RelocationRef &relocation : section.relocations())
      if (isOfInstruction(relocation))
        instructions.insert(getSymbolOffset(*relocation.getSymbol()));
  for (SymbolOffset symbolOffset : instructions)
    labels[symbolOffset] += getLabel(symbolOffset) + ":\n";
  for (const SectionRef &section : object.sections())
    if (isLoaded(section))
      printSection(section);
  for (const SectionRef &section : object.sections())
    if (section_iterator relocated = exitOnError(section.getRelocatedSection());
        relocated != object.section_end() && isLoaded(*relocated))
      for (const ELFRelocationRef relocation : section.relocations())
        printRelocation(relocation, *relocated);
}

void ObjectPrinter::printSection(const ELFSectionRef &section) {
  uint64_t flags = section.getFlags(), index = section.getIndex();
  os << "\t.section\t" << getSectionName(section) << ",\"a"
     << (flags & ELF::SHF_WRITE ? "w" : "")
     << (flags & ELF::SHF_EXECINSTR ? "x" : "") << "\",@"
     << (section.isBSS() ? "nobits" : "progbits") << "\n\t.p2align\t"
     << Log2(section.getAlignment()) << "\n";
  if (section.isBSS()) {
    os << "\t.zero\t" << section.getSize() << "\n";
    return;
  }
  StringRef bytes = exitOnError(section.getContents());
  uint64_t offset = 0;
  for (auto label = labels.lower_bound({index, 0});
       label != labels.end() && label->first.first == index; ++label) {
    printContents(section, bytes.slice(offset, label->first.second));
    os << label->second;
    offset = label->first.second;
  }
  printContents(section, bytes.drop_front(offset));
}

/// Prints instructions as such and not as data, so that disassemblers recognize
/// them. On x86, the section is sufficient for that.
void ObjectPrinter::printContents(const ELFSectionRef &section,
                                  StringRef bytes) {
  bool isCode = section.isText() && object.getArch() != Triple::x86_64;
  if (isCode) {
    bool isRiscV = object.getArch() == Triple::riscv64;
    while (!bytes.empty()) {
      // The lowest bits of a RISC-V instruction encode its length.
      size_t size = isRiscV && (bytes[0] & 3) != 3 ? 2 : 4;
      if (isRiscV)
        os << "\t.insn\t" << size << ", ";
      else
        os << "\t.inst\t";
      os << format_hex(size == 2 ? support::endian::read16le(bytes.data())
                                 : support::endian::read32le(bytes.data()),
                       2 + 2 * size)
         << "\n";
      bytes = bytes.drop_front(size);
    }
    return;
  }
  constexpr size_t max = 128;
  for (; !bytes.empty();
       bytes = bytes.drop_front(std::min(max, bytes.size()))) {
    os << "\t.ascii\t\"";
    for (unsigned char c : bytes.take_front(max)) {
      if (isPrint(c) && c != '"' && c != '\\')
        os << c;
      else
        os << '\\' << char('0' + (c >> 6)) << char('0' + (c >> 3 & 7))
           << char('0' + (c & 7));
    }
    os << "\"\n";
  }
}

void ObjectPrinter::printRelocation(const ELFRelocationRef &relocation,
                                    const SectionRef &section) {
  SmallString<32> type;
  relocation.getTypeName(type);
  os << "\t.reloc\t" << getSectionName(section) << '+' << relocation.getOffset()
     << ", " << type << ", ";
  int64_t addend = exitOnError(relocation.getAddend());
  SymbolRef symbol = *relocation.getSymbol();
  if (isOfInstruction(relocation)) {
    os << getLabel(getSymbolOffset(symbol));
  } else if (isDefined(symbol)) {
    os << getSectionName(*exitOnError(symbol.getSection()));
    addend += exitOnError(symbol.getValue());
  } else {
    os << exitOnError(symbol.getName());
  }
  if (addend)
    os << (addend > 0 ? "+" : "") << addend;
  os << "\n";
}

/// Prints an array initializer.
static void printBytes(StringRef bytes, raw_ostream &os) {
  os << '{';
  for (auto [i, byte] : enumerate(bytes))
    os << static_cast<unsigned>(static_cast<unsigned char>(byte))
       << (i % 32 == 31 ? ",\n" : ",");
  os << "}";
}

int main(int argc, char **argv) {
  exitOnError.setBanner(std::string(argv[0]) + ": ");
  if (argc != 4) {
    errs() << "usage: " << argv[0] << " PART.bc PART.o PART.inc\n";
    return 2;
  }
  LLVMContext context;
  SMDiagnostic diagnostic;
  std::unique_ptr<Module> module = parseIRFile(argv[1], diagnostic, context);
  if (!module) {
    diagnostic.print(argv[0], errs());
    return 1;
  }
  const Function *defined = nullptr;
  for (const Function &function : *module)
    if (!function.isDeclaration())
      defined = &function;
  auto object = exitOnError(ObjectFile::createObjectFile(argv[2]));
  auto *elf = dyn_cast<ELFObjectFileBase>(object.getBinary());
  if (!elf || !defined) {
    errs() << argv[2] << ": expected an ELF object with functions\n";
    return 1;
  }
  std::string assembly;
  raw_string_ostream assemblyStream(assembly);
  // The file name without the architecture.
  StringRef part = sys::path::filename(argv[2]).split('.').first;
  ObjectPrinter(*elf, part, assemblyStream).print();

  std::error_code error;
  raw_fd_ostream os(argv[3], error);
  if (error) {
    errs() << argv[3] << ": " << error.message() << "\n";
    return 1;
  }
  // Arrays, because some compilers limit the length of string literals.
  os << "static const unsigned char bitcode[] = ";
  printBytes(exitOnError(errorOrToExpected(MemoryBuffer::getFile(argv[1])))
                 ->getBuffer(),
             os);
  os << ";\nstatic const unsigned char assembly[] = ";
  printBytes(assembly, os);
  os << ";\n";
  for (auto [variable, attribute] : {std::pair("cpu", "target-cpu"),
                                     std::pair("features", "target-features"),
                                     std::pair("tuning", "tune-cpu")})
    os << "static const char " << variable << "[] = \""
       << defined->getFnAttribute(attribute).getValueAsString() << "\";\n";
  auto *abi =
      dyn_cast_if_present<MDString>(module->getModuleFlag("target-abi"));
  os << "static const char abi[] = \"" << (abi ? abi->getString() : "")
     << "\";\n";
}
