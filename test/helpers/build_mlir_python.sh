#!/usr/bin/env bash
# Builds MLIR's own Python bindings, of which Debian has no package, with the shared library of MLIR that this project uses. The
# tests of quant_float.mlir import them.
#   test/helpers/build_mlir_python.sh PYTHON FOLDER    writes the package FOLDER/mlir for this interpreter
# Downloads the sources of LLVM, 200 MB, from Debian's unstable suite, unless FOLDER/mlir-source has them.
set -euo pipefail
[ $# -eq 2 ] || { sed -n '2,5s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2; exit 2; }
python=$1 folder=$(realpath -m "$2") llvm=/usr/lib/llvm-${QF_LLVM:-22}
mkdir -p "$folder"
cd "$folder"

if [ ! -e mlir-source ]; then
  mirror=$(sed -n 's/^URIs: *//p;s/^deb  *\(\[[^]]*\]  *\)\{0,1\}\([^ ]*\).*/\2/p' \
    /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list 2>/dev/null | head -1)
  mkdir -p apt/lists/partial apt/cache/archives/partial
  echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror sid main" >apt/sources.list
  options=(-q -o Dir::Etc::SourceList="$PWD/apt/sources.list" -o Dir::Etc::SourceParts=/dev/null
    -o Dir::State::Lists="$PWD/apt/lists" -o Dir::Cache="$PWD/apt/cache" -o APT::Sandbox::User="$(id -un)")
  apt-get "${options[@]}" update
  # Of the source package only this archive is needed, whether or not a mirror has the rest.
  (cd apt && apt-get "${options[@]}" source --download-only "llvm-toolchain-${QF_LLVM:-22}") || ls apt/*.orig.tar.xz
  mkdir apt/source
  tar -xJf apt/*.orig.tar.xz -C apt/source --strip-components=1 --wildcards '*/mlir/python/*' '*/mlir/lib/Bindings/Python/*'
  mv apt/source/mlir mlir-source
  rm -r apt
fi

# The versions that MLIR requires.
"$python" -m venv venv
venv/bin/python -m pip install -q --disable-pip-version-check "$(grep '^nanobind' mlir-source/python/requirements.txt)"
nanobind=$(venv/bin/python -c 'import nanobind; print(nanobind.include_dir())')
include=$(venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("include"))')
suffix=$(venv/bin/python -c 'import sysconfig; print(sysconfig.get_config_var("EXT_SUFFIX"))')
flags=(-std=c++17 -O1 -DNDEBUG -fPIC -fvisibility=hidden -fexceptions -frtti -fno-strict-aliasing -w
  -DMLIR_BINDINGS_PYTHON_DOMAIN=mlir -DNB_DOMAIN=mlir -DMLIR_CAPI_BUILDING_LIBRARY=1
  "-I$include" "-I$nanobind" "-I$nanobind/../ext/robin_map/include" -Imlir-source/lib/Bindings/Python -isystem "$llvm/include")
rm -rf objects mlir
mkdir -p objects mlir/_mlir_libs mlir/dialects
sources=(mlir-source/lib/Bindings/Python/{Globals,IRAffine,IRAttributes,IRCore,IRInterfaces,IRTypes,MainModule,Pass,Rewrite}.cpp)
printf '%s\n' "${sources[@]}" mlir-source/lib/Bindings/Python/RegisterEverything.cpp "$nanobind/../src/nb_combined.cpp" |
  xargs -P "$(nproc)" -I{} sh -c 'compiler=$1; shift; "$compiler" "$@" -c {} -o "objects/$(basename {} .cpp).o"' - "$llvm/bin/clang++" "${flags[@]}"

# One library holds nanobind and MLIR's C API for all extensions.
cp -r mlir-source/python/mlir/{ir,passmanager,rewrite}.py mlir/
cp mlir-source/python/mlir/_mlir_libs/__init__.py mlir/_mlir_libs/
cp mlir-source/python/mlir/dialects/_ods_common.py mlir/dialects/
link=("$llvm/bin/clang++" -shared -fuse-ld=lld "-Wl,-rpath,$llvm/lib:\$ORIGIN" -Lmlir/_mlir_libs)
"${link[@]}" -o mlir/_mlir_libs/libMLIRPythonCAPI.so -Wl,-soname,libMLIRPythonCAPI.so -Wl,--whole-archive "$llvm"/lib/libMLIRCAPI*.a \
  -Wl,--no-whole-archive -L"$llvm/lib" -lMLIR -lLLVM
extension() { # NAME OBJECT...
  local name=$1
  shift
  "${link[@]}" -o "mlir/_mlir_libs/$name$suffix" "$@" objects/nb_combined.o -lMLIRPythonCAPI -L"$llvm/lib" -lLLVM
}
extension _mlir objects/{Globals,IRAffine,IRAttributes,IRCore,IRInterfaces,IRTypes,MainModule,Pass,Rewrite}.o
extension _mlirRegisterEverything objects/RegisterEverything.o
PYTHONPATH=$PWD "$python" -c 'from mlir.ir import Context, Module; Context(); print("mlir imports")'
