# Libraries with incomplete metadata are rejected by quant-float-exec and by the library that loads
# compiled models, with the same message.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %S/Inputs/damaged_description.c %tools_dir %clang %src_root %t
import subprocess
import sys
from pathlib import Path

import quant_float as qf
from sanitizers import tool_environment

source, tools, clang, src_root, work = sys.argv[1:]
DAMAGED = "the description of its functions is invalid"
cases = [
    (f"{place} = 0", DAMAGED)
    for place in (
        *(
            f"library.{name}"
            for name in ("version", "producer", "target", "triple", "cpu", "chip", "entries")
        ),
        *(f"library.{name}" for name in ("start_timing", "stop_timing")),
        *(
            f"entry.{name}"
            for name in ("symbol", "graph_name", "inputs", "outputs", "run", "output_sizes")
        ),
        *(f"argument.{name}" for name in ("name", "sizes")),
    )
]
cases += [
    (f"{place} = -1", DAMAGED)
    for place in ("library.num_entries", "entry.num_inputs", "entry.num_outputs", "argument.rank")
]
cases += [
    ("library.size -= 8", DAMAGED),
    ("sizes[0] = -2", DAMAGED),
    ("return 0", "qf_get_library returned null"),
    (
        "library.version = 7",
        "expected a description of version 1 or older, but got 7: the library is from a newer quant-float",
    ),
    ("", None),
]

for number, (damage, message) in enumerate(cases):
    library = Path(work) / f"{number}.so"
    command = [
        clang,
        "-shared",
        "-fPIC",
        "-I",
        f"{src_root}/include",
        f"-DDAMAGE={damage}",
        source,
        "-o",
        library,
    ]
    subprocess.run(command, check=True)
    run = subprocess.run(
        [f"{tools}/quant-float-exec", library, "--list"],
        capture_output=True,
        text=True,
        check=False,
        env=tool_environment(),
    )
    found = None
    try:
        qf.load_kernel(library)
    except (qf.Error, OSError) as error:
        found = str(error)
    if message is None:
        assert not run.returncode and found is None, (damage, run, found)
        continue
    assert run.returncode == 1 and run.stderr.endswith(f"{number}.so: error: {message}\n"), (
        damage,
        run,
    )
    assert found and message in found and f"{number}.so" in found, (damage, found)
