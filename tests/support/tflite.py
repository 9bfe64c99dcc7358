"""Changes TensorFlow Lite files, which are FlatBuffers, into files that converters of other releases would have written."""

import struct

MODEL_FIELDS, MODEL_BUFFERS, MODEL_METADATA = 8, 4, 6
SHAPE_SIGNATURE = 7


class _File:
    """Reads tables, vectors and texts by their positions."""

    def __init__(self, data):
        self.data = bytearray(data)

    def number(self, at, form="<I"):
        return struct.unpack_from(form, self.data, at)[0]

    def entry(self, table, field):
        """Returns the position of the field's entry in the table's vtable, or None if there is none."""
        vtable = table - self.number(table, "<i")
        at = vtable + 4 + 2 * field
        return at if 4 + 2 * field < self.number(vtable, "<H") and self.number(at, "<H") else None

    def field(self, table, field):
        entry = self.entry(table, field)
        return None if entry is None else table + self.number(entry, "<H")

    def follow(self, at):
        return at + self.number(at)

    def tables(self, at):
        vector = self.follow(at)
        return [self.follow(vector + 4 + 4 * index) for index in range(self.number(vector))]


def of_fixed_sizes(data):
    """Returns a file like that of an old converter, in which no dimension is marked as variable."""
    file = _File(data)
    for graph in file.tables(file.field(file.number(0), 2)):
        for tensor in file.tables(file.field(graph, 0)):
            entry = file.entry(tensor, SHAPE_SIGNATURE)
            if entry is not None:
                struct.pack_into("<H", file.data, entry, 0)
    return bytes(file.data)


def with_metadata(data, name, content):
    """Returns a file with one entry of metadata, in place of all others. Puts new parts first, because references lead forward."""
    old = _File(data)
    model = old.number(0)
    new, later = bytearray(b"\0\0\0\0TFL3"), []

    def align():
        new.extend(b"\0" * (-len(new) % 4))

    def table(fields):
        align()
        vtable = len(new)
        new.extend(struct.pack(f"<{2 + fields}H", 4 + 2 * fields, 4 + 4 * fields, *(4 + 4 * index for index in range(fields))))
        align()
        at = len(new)
        new.extend(struct.pack("<i", at - vtable) + b"\0" * 4 * fields)
        return at, lambda field: at + 4 + 4 * field

    def vector(size, elements=b""):
        align()
        at = len(new)
        new.extend(struct.pack("<I", size) + (elements or b"\0" * 4 * size))
        return at

    def refer(at, target):
        struct.pack_into("<I", new, at, target - at)

    root, slot = table(MODEL_FIELDS)
    refer(0, root)
    struct.pack_into("<I", new, slot(0), old.number(old.field(model, 0)))
    for field in range(1, MODEL_FIELDS):
        at = old.field(model, field)
        if at is None:
            vtable = root - struct.unpack_from("<i", new, root)[0]
            struct.pack_into("<H", new, vtable + 4 + 2 * field, 0)
        elif field not in (MODEL_BUFFERS, MODEL_METADATA):
            later.append((slot(field), old.follow(at)))
    buffers = old.tables(old.field(model, MODEL_BUFFERS))
    vector_at = vector(len(buffers) + 1)
    refer(slot(MODEL_BUFFERS), vector_at)
    later += [(vector_at + 4 + 4 * index, target) for index, target in enumerate(buffers)]
    added, added_slot = table(1)
    refer(vector_at + 4 + 4 * len(buffers), added)
    refer(added_slot(0), vector(len(content), content))
    entries = vector(1)
    refer(slot(MODEL_METADATA), entries)
    entry, entry_slot = table(2)
    refer(entries + 4, entry)
    struct.pack_into("<I", new, entry_slot(1), len(buffers))
    refer(entry_slot(0), vector(len(name), name.encode() + b"\0"))
    new.extend(b"\0" * (-len(new) % 16))
    for at, target in later:
        refer(at, len(new) + target)
    return bytes(new + old.data)


def flexbuffer_of(texts):
    """Returns a FlexBuffer of a map from names to bytes."""
    out, keys, values = bytearray(), [], []
    for key, value in sorted(texts.items()):
        keys.append(len(out))
        out += key.encode() + b"\0" + struct.pack("<I", len(value))
        values.append(len(out))
        out += value + b"\0"
    out += struct.pack("<I", len(texts))
    keys_at = len(out)
    for key in keys:
        out += struct.pack("<I", len(out) - key)
    out += struct.pack("<III", len(out) - keys_at, 4, len(texts))
    values_at = len(out)
    for value in values:
        out += struct.pack("<I", len(out) - value)
    out += bytes([5 << 2 | 2] * len(texts))
    out += struct.pack("<I", len(out) - values_at)
    return bytes(out + bytes([9 << 2 | 2, 4]))


def _message(number, content):
    assert len(content) < 128
    return bytes([number << 3 | 2, len(content)]) + content


def signature_def(inputs, outputs):
    """Returns a SignatureDef that maps clients' names to the names of tensors."""
    return b"".join(_message(number, _message(1, name.encode()) + _message(2, _message(1, tensor.encode())))
                    for number, names in ((1, inputs), (2, outputs)) for name, tensor in names.items())


def with_signature(data, inputs, outputs, name="serving_default"):
    """Returns a file with a signature at the place where TensorFlow Serving looks for it."""
    return with_metadata(data, "signature_defs_metadata", flexbuffer_of({name: signature_def(inputs, outputs)}))
