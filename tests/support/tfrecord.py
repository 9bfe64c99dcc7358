"""Files of TensorFlow's TFRecord format."""

import struct


def _checksum(data):
    """CRC-32C, masked as these files have it."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    crc ^= 0xFFFFFFFF
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def records(*contents):
    """The bytes of a file of them."""
    return b"".join(length + _checksum(length) + data + _checksum(data)
                    for data in contents for length in [struct.pack("<Q", len(data))])


def predict_log(request):
    """The bytes of a PredictionLog with that PredictRequest."""
    data = request.SerializeToString()
    assert len(data) < 120
    return bytes([6 << 3 | 2, len(data) + 2, 1 << 3 | 2, len(data)]) + data


def split(data):
    """The records of a file, of which the last may be on its way."""
    found = []
    while len(data) >= 12 and len(data) >= 16 + struct.unpack_from("<Q", data)[0]:
        size, = struct.unpack_from("<Q", data)
        record = data[12:12 + size]
        assert data[8:12] == _checksum(data[:8]) and data[12 + size:16 + size] == _checksum(record)
        found.append(record)
        data = data[16 + size:]
    return found
