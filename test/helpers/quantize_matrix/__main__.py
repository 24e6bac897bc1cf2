"""The generated matrix of quantization nodes: `python -m quantize_matrix COMMAND --help`."""

import argparse
import sys


def _oracle(options):
    from quantize_matrix import cases, compare, oracles

    kinds = {o.name: o for o in (oracles.OnnxRuntime, oracles.OnnxReference)}
    comparison = compare.Comparison(kinds[options.name](), options.waivers)
    comparison.run(cases.every(options.full))
    return comparison.finish()


def main():
    parser = argparse.ArgumentParser(prog="quantize_matrix", description=__doc__)
    commands = parser.add_subparsers(required=True)
    oracle = commands.add_parser("oracle", help="the rules against an independent implementation")
    oracle.add_argument("name", choices=("onnxruntime", "onnx"))
    oracle.add_argument("waivers", help="the table of known differences")
    oracle.set_defaults(run=_oracle)
    for command in (oracle,):
        command.add_argument("--full", action="store_true", help="every type at every version")
    options = parser.parse_args()
    return options.run(options)


if __name__ == "__main__":
    sys.exit(main())
