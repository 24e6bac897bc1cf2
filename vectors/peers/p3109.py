"""Conversions of the draft IEEE P3109, and gfloat's casts to OCP's formats and scales of their blocks."""

import ctypes
import itertools
import re
import subprocess

import ml_dtypes
import numpy as np
import quant_float_vectors as vectors

from .tables import NAMES, get_input

# Formats of IEEE P3109: K, P, signedness, domain. Two are types of MLIR.
BINARY = re.compile(r"(?:!quant_float\.)?binary(\d)p(\d)([su])([ef])")
BUILTIN = {"f8E4M3FNUZ": "binary8p4sf", "f8E5M2FNUZ": "binary8p3sf"}
STANDARD = ("f32", "f16", "bf16")
SATURATIONS = ("SatFinite", "SatPropagate", "SatNone")


def parse(kind):
    """Returns K, P, and whether the format is signed and extended, or None."""
    match = BINARY.fullmatch(BUILTIN.get(kind, kind))
    return match and (int(match[1]), int(match[2]), match[3] == "s", match[4] == "e")


def get_values(table, decode):
    """Returns the inputs as f64, or None. `decode` decodes the encodings of a format."""
    if table.source in STANDARD:
        with np.errstate(all="ignore"):
            return get_input(table).astype(np.float64)
    format = parse(table.source)
    return decode(format, vectors.get_encodings(table.input)) if format else None


def put_values(table, values):
    """Returns values in f32 as the result of a table."""
    return values.astype(np.float32) if table.target == "f32" else None


class Gfloat:
    """Graphcore's model of number formats, in numpy."""

    name, package = "gfloat", "gfloat"
    # Rounding to odd and SatPropagate are newer than gfloat 0.5.2.
    ROUNDINGS = {
        "NearestTiesToEven": "TiesToEven",
        "NearestTiesToAway": "TiesToAway",
        "TowardPositive": "TowardPositive",
        "TowardNegative": "TowardNegative",
        "TowardZero": "TowardZero",
        "StochasticA": "StochasticFastest",
        "StochasticB": "StochasticFast",
        "StochasticC": "Stochastic",
    }

    def make_format(self, format):
        from gfloat.formats import format_info_p3109
        from gfloat.types import Domain, Signedness

        width, precision, is_signed, is_extended = format
        sign = Signedness.Signed if is_signed else Signedness.Unsigned
        domain = Domain.Extended if is_extended else Domain.Finite
        return format_info_p3109(width, precision, sign, domain)

    def project(self, table):
        import gfloat

        rounding = self.ROUNDINGS.get(table.attributes["rounding"])
        saturation = table.attributes["saturation"]
        if not rounding or saturation == "SatPropagate":
            return None
        with np.errstate(all="ignore"):
            values = get_values(
                table,
                lambda format, encodings: gfloat.decode_ndarray(
                    self.make_format(format), encodings
                ),
            )
            format = parse(table.target)
            if not format:
                return put_values(table, values)
            # It raises an exception for some of these, so all of them count as wrong.
            refused = (values < 0) & (not format[2])
            random = {}
            if table.random is not None:
                random["srbits"] = table.random.astype(np.int64)
                random["srnumbits"] = table.attributes["random_bits"]
            rounded = gfloat.round_ndarray(
                self.make_format(format),
                np.where(refused, 0, values),
                gfloat.RoundMode[rounding],
                saturation == "SatFinite",
                **random,
            )
            encodings = gfloat.encode_ndarray(self.make_format(format), rounded)
            encodings[refused] = 1
        return encodings.astype(vectors.get_encodings(table.output).dtype)

    def derive_scales(self, table):
        import gfloat.formats

        element = NAMES.get(table.attributes["element"], [None])[-1]
        if table.attributes["rule"] != "floor" or not element:
            return None
        format = getattr(gfloat.formats, f"format_info_{element}")
        with np.errstate(all="ignore"):
            values = get_input(table).astype(np.float64)
            scales = [gfloat.compute_scale_amax(format.emax, np.array([x])) for x in values]
            return np.float32(scales).astype(ml_dtypes.float8_e8m0fnu)

    def convert(self, table):
        import gfloat.formats

        if table.operation == "project":
            return self.project(table)
        if table.operation == "block_scale":
            return self.derive_scales(table)
        source, target = NAMES.get(table.source, [None])[-1], NAMES.get(table.target, [None])[-1]
        attributes = table.attributes
        is_cast = table.operation == "cast" and table.source in ("f64", *STANDARD)
        if not is_cast or not source or not target or table.target == "f8E8M0FNU":
            return None
        format = getattr(gfloat.formats, f"format_info_{target}")
        saturate = attributes.get("saturate", not format.num_infs and not format.num_nans)
        with np.errstate(all="ignore"):
            values = get_input(table).astype(np.float64)
            rounded = gfloat.round_ndarray(format, values, sat=saturate)
            # It rejects NaN for formats without NaN, which counts as a wrong result.
            refused = np.isnan(rounded) & (format.num_nans == 0)
            encodings = gfloat.encode_ndarray(format, np.where(refused, 0, rounded))
            encodings[refused] = 0xFF
        return encodings.astype(vectors.get_encodings(table.output).dtype)


class Pychop:
    """pychop's emulation of the draft, in numpy."""

    name, package = "pychop", "pychop"

    def convert(self, table):
        if table.operation != "project":
            return None
        from pychop import p3109

        def make_format(format):
            width, precision, is_signed, is_extended = format
            domain = "extended" if is_extended else "finite"
            return p3109.P3109Format(width, precision, is_signed, domain)

        values = get_values(
            table, lambda format, encodings: p3109.p3109_decode(encodings, make_format(format))
        )
        format = parse(table.target)
        if not format:
            return put_values(table, values)
        rounding = table.attributes["rounding"].removeprefix("Nearest")
        rounding = rounding.replace("TiesTo", "Nearest")
        rounding = re.sub(r"(?<!^)([A-Z])", r"_\1", rounding).lower()
        random = {}
        if table.random is not None:
            random["srbits"] = table.random
            random["srnumbits"] = table.attributes["random_bits"]
        saturation = table.attributes["saturation"].removeprefix("Sat").lower()
        return p3109.p3109_encode(
            values, make_format(format), rounding=rounding, saturate=saturation, **random
        )


class P3109Cpp:
    """The C++ code of a member of the working group, compiled from a folder of sources."""

    name, source = "p3109-cpp", "p3109-cpp"
    url = "https://github.com/awf/p3109-cpp"
    ROUNDINGS = (
        "NearestTiesToEven",
        "NearestTiesToAway",
        "TowardPositive",
        "TowardNegative",
        "TowardZero",
        "ToOdd",
    )
    # The draft's earlier name of SatNone.
    SATURATIONS = {"SatNone": "OvfInf"}
    FORMATS = ("binary8p4se", "binary8p3se", "binary4p2sf", "binary8p1uf")

    def __init__(self, folder):
        cases = []
        for name in self.FORMATS:
            width, precision, is_signed, is_extended = parse(name)
            sign = "Signed" if is_signed else "Unsigned"
            domain = "Extended" if is_extended else "Finite"
            format = f"binary<{width}, {precision}, Signedness::{sign}, Domain::{domain}>"
            modes = [(mode, mode) for mode in self.ROUNDINGS]
            modes += [
                (f"Stochastic{v}", f"Stochastic<StochasticVariant::{v}, {n}>")
                for v, n in itertools.product("ABC", (4, 8))
            ]
            for rounding, type in modes:
                bits = re.search(r", (\d+)>", type)
                suffix = f"_{bits[1]}" if bits else ""
                # Finite formats only have SatFinite.
                for saturation in SATURATIONS if is_extended else SATURATIONS[:1]:
                    spelled = self.SATURATIONS.get(saturation, saturation)
                    function = f"{name}_{rounding}{suffix}_{saturation}"
                    operand = "{random[i]}" if bits else "{}"
                    cases.append(
                        f'extern "C" void {function}(const double *x, const unsigned *random, long n, unsigned char *y) {{\n'
                        f"  for (long i = 0; i < n; ++i)\n"
                        f"    y[i] = ConvertFromIEEE754<{format}>(x[i], ProjectionSpec<{type}, {spelled}>{{{operand}}}).codepoint;\n}}\n"
                    )
        program = folder / "quant_float_peer.cpp"
        program.write_text(
            '#include "p3109.h"\n#include "ops/ConvertFromIEEE754.h"\nusing namespace p3109;\n'
            + "".join(cases)
        )
        library = folder / "quant_float_peer.so"
        command = ["c++", "-std=c++20", "-O1", "-shared", "-fPIC", "-I", folder, program]
        subprocess.run([*command, "-o", library, "-lmpfr", "-lgmp"], check=True)
        self.library = ctypes.CDLL(str(library))

    def convert(self, table):
        if table.operation != "project" or table.source not in STANDARD:
            return None
        attributes = table.attributes
        bits = f"_{attributes['random_bits']}" if table.random is not None else ""
        name = table.target.rpartition(".")[2]
        name += f"_{attributes['rounding']}{bits}_{attributes['saturation']}"
        function = getattr(self.library, name, None)
        if function is None:
            return None
        with np.errstate(all="ignore"):
            x = np.ascontiguousarray(get_input(table).astype(np.float64))
        random = np.zeros(x.size, np.uint32) if table.random is None else table.random
        random = np.ascontiguousarray(random, np.uint32)
        y = np.empty(x.size, np.uint8)
        pointers = [ctypes.c_void_p(array.ctypes.data) for array in (x, random, y)]
        function(*pointers[:2], ctypes.c_long(x.size), pointers[2])
        return y


PEERS = [Gfloat, Pychop, P3109Cpp]
