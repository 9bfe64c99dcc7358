"""Writes and reads files in TensorFlow's TFRecord format."""

import struct


def _checksum(data):
    """Returns the masked CRC-32C of this format."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    crc ^= 0xFFFFFFFF
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def records(*contents):
    """Returns the bytes of a file with these records."""
    return b"".join(length + _checksum(length) + data + _checksum(data)
                    for data in contents for length in [struct.pack("<Q", len(data))])


def predict_log(request):
    """Returns a serialized PredictionLog with that PredictRequest."""
    data = request.SerializeToString()
    assert len(data) < 120
    return bytes([6 << 3 | 2, len(data) + 2, 1 << 3 | 2, len(data)]) + data


def split(data):
    """Returns the records of a file. The last record may be incomplete."""
    found = []
    while len(data) >= 12 and len(data) >= 16 + struct.unpack_from("<Q", data)[0]:
        size, = struct.unpack_from("<Q", data)
        record = data[12:12 + size]
        assert data[8:12] == _checksum(data[:8]) and data[12 + size:16 + size] == _checksum(record)
        found.append(record)
        data = data[16 + size:]
    return found
