// An extension that contains MLIR's C API, and nothing for Python: ir.py calls
// the former.
#include <Python.h>

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_mlir"};

PyMODINIT_FUNC PyInit__mlir(void) { return PyModule_Create(&definition); }
