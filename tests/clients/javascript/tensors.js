// Sample elements of every datatype: its limits, signed zeros, values that are exact in 16 bits.
'use strict';

const assert = require('node:assert/strict');

// A BYTES tensor's elements, each after its length.
function packBytes(elements) {
  return Buffer.concat(elements.flatMap((element) => {
    const bytes = Buffer.from(element);
    const length = Buffer.alloc(4);
    length.writeUInt32LE(bytes.length);
    return [length, bytes];
  }));
}

function unpackBytes(packed) {
  const elements = [];
  for (let at = 0; at < packed.length;) {
    const end = at + 4 + packed.readUInt32LE(at);
    assert.ok(end <= packed.length, 'a length beyond the end');
    elements.push(packed.subarray(at + 4, end));
    at = end;
  }
  return elements;
}

const bytesOf = (array) => Buffer.from(array.buffer, array.byteOffset, array.byteLength);

const halves = [0, -0, 1.5, -2.25, 29952, 6.103515625e-05];
const halfBits = { FP16: [0, 0x8000, 0x3e00, 0xc080, 0x7750, 0x0400], BF16: [0, 0x8000, 0x3fc0, 0xc010, 0x46ea, 0x3880] };

// datatype: [typed field of InferTensorContents, its elements as proto-loader returns them, the raw tensor, its elements in JSON]
const samples = {};

function add(datatype, field, elements, raw, json = elements) { samples[datatype] = { field, elements, raw: bytesOf(raw), json }; }

function integers(datatype, field, Type, values) {
  const elements = values.map((value) => (typeof value === 'bigint' ? String(value) : value));
  add(datatype, field, elements, Type.from(values), values.map(String));
}

const bools = [true, false, true, true, false, false];
add('BOOL', 'bool_contents', bools, Uint8Array.from(bools), bools.map(String));
integers('INT8', 'int_contents', Int8Array, [-128, 127, 0, 1, 126, 100]);
integers('INT16', 'int_contents', Int16Array, [-32768, 32767, 0, 1, 32766, 100]);
integers('INT32', 'int_contents', Int32Array, [-2147483648, 2147483647, 0, 1, 2147483646, 100]);
integers('INT64', 'int64_contents', BigInt64Array, [-(2n ** 63n), 2n ** 63n - 1n, 0n, 1n, 2n ** 53n + 1n, 100n]);
integers('UINT8', 'uint_contents', Uint8Array, [0, 255, 0, 1, 254, 100]);
integers('UINT16', 'uint_contents', Uint16Array, [0, 65535, 0, 1, 65534, 100]);
integers('UINT32', 'uint_contents', Uint32Array, [0, 4294967295, 0, 1, 4294967294, 100]);
integers('UINT64', 'uint64_contents', BigUint64Array, [0n, 2n ** 64n - 1n, 0n, 1n, 2n ** 53n + 1n, 100n]);
add('FP32', 'fp32_contents', halves, Float32Array.from(halves));
add('FP64', 'fp64_contents', [-0, 1.7976931348623157e308, 5e-324, -0.1, 29952, 1], Float64Array.from([-0, 1.7976931348623157e308, 5e-324, -0.1, 29952, 1]));
add('FP16', null, halves, Uint16Array.from(halfBits.FP16));
add('BF16', null, halves, Uint16Array.from(halfBits.BF16));
const texts = ['', 'a', 'gr\u00fc\u00dfe \u{1f600}', 'nul \0 inside', '\t"quoted"\\', 'x'.repeat(70000)];
samples.BYTES = { field: 'bytes_contents', elements: texts.map((text) => Buffer.from(text)), raw: packBytes(texts), json: texts };

// The example model `simple`: OUTPUT0 = INPUT0 + INPUT1, OUTPUT1 = INPUT0 - INPUT1.
const counting = Array.from({ length: 16 }, (_, i) => i);
const ones = Array.from({ length: 16 }, () => 1);
const sums = counting.map((value) => value + 1);
const differences = counting.map((value) => value - 1);

module.exports = { bytesOf, counting, differences, ones, packBytes, samples, sums, unpackBytes };
