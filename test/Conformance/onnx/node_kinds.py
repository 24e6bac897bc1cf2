# The operators of NodeKinds.def: all that ONNX has in any version, and from com.microsoft only
# those of ONNX Runtime.
# RUN: %python %s %src_root/include/quant-float/Support/NodeKinds.def
import pathlib
import re
import sys

import onnx
from onnxruntime.capi import onnxruntime_pybind11_state as runtime

table = pathlib.Path(sys.argv[1]).read_text()


def read(domain):
    return set(re.findall(rf"^QUANT_FLOAT_{domain}_KIND\((\w+)\)$", table, re.MULTILINE))


def get_names(schemas, *domains):
    return {schema.name for schema in schemas if schema.domain in domains}


schemas = onnx.defs.get_all_schemas_with_history()
# ONNX removed ImageScaler, and ONNX Runtime still has it.
assert read("ONNX") ^ get_names(schemas, "") == {"ImageScaler"}
assert read("ML") == get_names(schemas, "ai.onnx.ml")
# ONNX Runtime has some operators of com.microsoft in ONNX's own domain instead.
missing = read("MICROSOFT") - get_names(runtime.get_all_operator_schema(), "com.microsoft", "")
assert read("MICROSOFT") and not missing, missing
