"""The part of the protobuf wire format that broken files need."""


def varint(value):
    value &= (1 << 64) - 1
    result = bytearray()
    while value > 0x7F:
        result.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(result) + bytes([value])


def number(field, value):
    """A varint field, also one that the schema does not allow."""
    return varint(field << 3) + varint(value)


def chunk(field, data):
    """A length-delimited field."""
    return varint(field << 3 | 2) + varint(len(data)) + data


def nest(levels, fields):
    """A chain of this many length-delimited fields around nothing."""
    heads, size = [], 0
    for field in list(reversed(fields)) * levels:
        heads.append(varint(field << 3 | 2) + varint(size))
        size += len(heads[-1])
    return b"".join(reversed(heads))


def read_varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def fields(data):
    """(end, field number) of each top-level field."""
    at, result = 0, []
    while at < len(data):
        tag, at = read_varint(data, at)
        if tag & 7 == 2:
            size, at = read_varint(data, at)
            at += size
        else:
            assert tag & 7 == 0, "only varints and chunks are expected"
            _, at = read_varint(data, at)
        result.append((at, tag >> 3))
    return result
