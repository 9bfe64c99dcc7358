// Every unary call of inference.GRPCInferenceService, health and reflection.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const { call, fails, grpc, readAll, withClient, withInference } = require('./connection');
const { bytesOf, counting, differences, ones, packBytes, samples, sums, unpackBytes } = require('./tensors');

const { status } = grpc;
const identity = (datatype, shape, members = {}) => ({
  model_name: `identity_${datatype}`, inputs: [{ name: 'INPUT', datatype, shape }], ...members });
const typed = (datatype, shape, field, elements, members = {}) => ({
  model_name: `identity_${datatype}`, inputs: [{ name: 'INPUT', datatype, shape, contents: { [field]: elements } }], ...members });
const int32 = (name, elements, shape = [1, elements.length]) => ({ name, datatype: 'INT32', shape, contents: { int_contents: elements } });
const simple = (members = {}) => ({ model_name: 'simple', inputs: [int32('INPUT0', counting), int32('INPUT1', ones)], ...members });
const numbersOf = (raw) => Array.from({ length: raw.length / 4 }, (_, i) => raw.readInt32LE(4 * i));

function expectSimple(response, id = '') {
  assert.equal(response.id, id);
  assert.deepEqual(response.outputs.map((output) => output.name), ['OUTPUT0', 'OUTPUT1']);
  assert.deepEqual(response.raw_output_contents.map(numbersOf), [sums, differences]);
}

const stateOf = async (client, model) =>
  (await call(client, 'RepositoryIndex')).models.find((entry) => entry.name === model)?.state;

async function becomes(client, model, state) {
  while (await stateOf(client, model) !== state) await new Promise(setImmediate);
}

const control = {
  async server_health(client) {
    assert.deepEqual(await call(client, 'ServerLive'), { live: true });
    assert.deepEqual(await call(client, 'ServerReady'), { ready: true });
  },

  async server_metadata(client) {
    const metadata = await call(client, 'ServerMetadata');
    assert.equal(metadata.name, 'inferd');
    assert.match(metadata.version, /^\d+\.\d+/);
    for (const extension of ['model_repository', 'statistics', 'system_shared_memory']) assert.ok(metadata.extensions.includes(extension));
  },

  async model_ready(client) {
    for (const version of ['', '1']) assert.deepEqual(await call(client, 'ModelReady', { name: 'simple', version }), { ready: true });
    await fails(call(client, 'ModelReady', { name: 'simple', version: '7' }), status.NOT_FOUND, "'simple' version 7");
    await fails(call(client, 'ModelReady', { name: 'nobody' }), status.NOT_FOUND, "'nobody'");
  },

  async model_metadata(client) {
    const { parameters, ...metadata } = await call(client, 'ModelMetadata', { name: 'simple' });
    const tensor = (name) => ({ parameters: {}, shape: ['-1', '16'], name, datatype: 'INT32' });
    assert.deepEqual(metadata, { versions: ['1'], name: 'simple', platform: 'onnx_onnxv1',
                                 inputs: ['INPUT0', 'INPUT1'].map(tensor), outputs: ['OUTPUT0', 'OUTPUT1'].map(tensor) });
    await fails(call(client, 'ModelMetadata', { name: 'nobody' }), status.NOT_FOUND, "'nobody'");
  },

  async model_config(client) {
    const { config } = await call(client, 'ModelConfig', { name: 'digits' });
    assert.equal(config.name, 'digits');
    assert.equal(config.max_batch_size, 64);
    assert.equal(config.output[0].label_filename, 'labels.txt');
    assert.equal(config.input[0].data_type, 'TYPE_FP32');
    await fails(call(client, 'ModelConfig', { name: 'nobody' }), status.NOT_FOUND, "'nobody'");
  },

  async model_statistics(client) {
    const counts = async (version) => {
      const [stats] = (await call(client, 'ModelStatistics', { name: 'identity_INT8', version })).model_stats;
      return [stats.inference_count, stats.inference_stats.success.count, stats.inference_stats.fail.count].map(Number);
    };
    const [rows, successes, failures] = await counts('');
    await call(client, 'ModelInfer', typed('INT8', [2, 1], 'int_contents', [1, 2]));
    await fails(call(client, 'ModelInfer', typed('INT8', [2, 1], 'int_contents', [1])), status.INVALID_ARGUMENT);
    assert.deepEqual(await counts('1'), [rows + 2, successes + 1, failures + 1]);
    const names = (await call(client, 'ModelStatistics')).model_stats.map((stats) => stats.name);
    assert.ok(names.includes('simple') && names.includes('digits'));
    await fails(call(client, 'ModelStatistics', { name: 'nobody' }), status.NOT_FOUND, 'nobody');
  },

  async repository_index(client) {
    const { models } = await call(client, 'RepositoryIndex', { ready: true });
    assert.deepEqual(models.find((entry) => entry.name === 'simple'), { name: 'simple', version: '1', state: 'READY', reason: '' });
    const ofExamples = (await call(client, 'RepositoryIndex', { repository_name: 'examples' })).models;
    assert.deepEqual(ofExamples.map((entry) => entry.name).sort(), ['digits', 'simple']);
  },

  async load_and_unload(client) {
    const request = typed('UINT16', [1, 1], 'uint_contents', [7]);
    await call(client, 'RepositoryModelUnload', { model_name: 'identity_UINT16' });
    assert.deepEqual(await call(client, 'ModelReady', { name: 'identity_UINT16' }), { ready: false });
    await becomes(client, 'identity_UINT16', 'UNAVAILABLE');
    await fails(call(client, 'ModelInfer', request), status.UNAVAILABLE, 'identity_UINT16');
    await call(client, 'RepositoryModelLoad', { model_name: 'identity_UINT16' });
    assert.deepEqual(await call(client, 'ModelReady', { name: 'identity_UINT16' }), { ready: true });
    assert.deepEqual((await call(client, 'ModelInfer', request)).raw_output_contents, [Buffer.from([7, 0])]);
  },

  async load_with_a_file(client, { model }) {
    const parameters = { config: { string_param: '{"backend": "onnxruntime"}' }, 'file:3/model.onnx': { bytes_param: fs.readFileSync(model) } };
    await call(client, 'RepositoryModelLoad', { model_name: 'adder', parameters });
    assert.deepEqual((await call(client, 'ModelMetadata', { name: 'adder' })).versions, ['3']);
    const response = await call(client, 'ModelInfer', { model_name: 'adder', inputs: [int32('INPUT', [2, -50], [2])] });
    assert.deepEqual(response.raw_output_contents.map(numbersOf), [[42, -10]]);
    await call(client, 'RepositoryModelUnload', { model_name: 'adder' });
    await becomes(client, 'adder', 'UNAVAILABLE');
  },

  async load_errors(client) {
    const load = (model_name, parameters) => call(client, 'RepositoryModelLoad', { model_name, parameters });
    await fails(load('nobody'), status.NOT_FOUND, "'nobody'", 'not found');
    await fails(load('identity_INT64', { config: { string_param: 'not json' } }), status.INVALID_ARGUMENT, "'config'", 'JSON');
    await fails(load('identity_INT64', { 'file:../x': { bytes_param: Buffer.from('x') } }), status.INVALID_ARGUMENT, '../x');
    assert.deepEqual(await call(client, 'ModelReady', { name: 'identity_INT64' }), { ready: true });
  },

  async log_settings(client) {
    const before = (await call(client, 'LogSettings')).settings;
    assert.equal(before.log_info.bool_param, true);
    const { settings } = await call(client, 'LogSettings', { settings: { log_verbose_level: { uint32_param: 1 } } });
    assert.equal(settings.log_verbose_level.uint32_param, 1);
    const restored = await call(client, 'LogSettings', { settings: { log_verbose_level: { uint32_param: 0 } } });
    assert.deepEqual(restored.settings, before);
    await fails(call(client, 'LogSettings', { settings: { log_nonsense: { bool_param: true } } }), status.INVALID_ARGUMENT, 'log_nonsense');
  },

  async trace_settings(client) {
    const before = (await call(client, 'TraceSetting')).settings;
    assert.deepEqual(before.trace_level.value, ['OFF']);
    const change = (model_name, settings) => call(client, 'TraceSetting', { model_name, settings });
    const changed = (await change('simple', { trace_rate: { value: ['7'] } })).settings;
    assert.deepEqual([changed.trace_rate.value, (await call(client, 'TraceSetting')).settings], [['7'], before]);
    assert.deepEqual((await change('simple', { trace_rate: {} })).settings, before);
    await fails(change('', { trace_nonsense: { value: ['1'] } }), status.INVALID_ARGUMENT, 'trace_nonsense');
    await fails(change('nobody'), status.NOT_FOUND, 'nobody');
  },

  async system_shared_memory(client) {
    const key = `/inferd-test-javascript-${process.pid}`;
    const path = `/dev/shm${key}`;
    fs.writeFileSync(path, Buffer.concat([bytesOf(Int32Array.from(counting)), Buffer.alloc(192)]), { mode: 0o600 });
    try {
      await call(client, 'SystemSharedMemoryRegister', { name: 'javascript', key, offset: 0, byte_size: 256 });
      const { regions } = await call(client, 'SystemSharedMemoryStatus', { name: 'javascript' });
      assert.deepEqual(regions, { javascript: { name: 'javascript', key, offset: '0', byte_size: '256' } });
      const place = (offset) => ({ shared_memory_region: { string_param: 'javascript' }, shared_memory_offset: { int64_param: offset },
                                   shared_memory_byte_size: { int64_param: 64 } });
      const inputs = ['INPUT0', 'INPUT1'].map((name) => ({ name, datatype: 'INT32', shape: [1, 16], parameters: place(0) }));
      const response = await call(client, 'ModelInfer', { model_name: 'simple', inputs, outputs: [{ name: 'OUTPUT0', parameters: place(64) }] });
      assert.equal(response.outputs[0].parameters.shared_memory_region.string_param, 'javascript');
      assert.deepEqual(numbersOf(fs.readFileSync(path).subarray(64, 128)), counting.map((value) => 2 * value));
      await call(client, 'SystemSharedMemoryUnregister', { name: 'javascript' });
      await fails(call(client, 'SystemSharedMemoryStatus', { name: 'javascript' }), status.NOT_FOUND, "'javascript'");
      await fails(call(client, 'SystemSharedMemoryRegister', { name: 'none', key: '/inferd-test-none', byte_size: 4 }),
                  status.INVALID_ARGUMENT, '/inferd-test-none');
    } finally {
      fs.unlinkSync(path);
    }
  },

  async cuda_shared_memory(client) {
    assert.deepEqual(await call(client, 'CudaSharedMemoryStatus'), { regions: {} });
    const region = { name: 'gpu', raw_handle: Buffer.alloc(64), device_id: 0, byte_size: 4 };
    await fails(call(client, 'CudaSharedMemoryRegister', region), status.UNIMPLEMENTED, "'gpu'");
    await fails(call(client, 'CudaSharedMemoryStatus', { name: 'gpu' }), status.NOT_FOUND, "'gpu'");
    assert.deepEqual(await call(client, 'CudaSharedMemoryUnregister'), {});
  },
};

const inference = {
  async typed_datatypes(client) {
    for (const [datatype, { field, elements }] of Object.entries(samples)) {
      if (field === null) continue;
      const request = typed(datatype, [2, 3], field, elements, { parameters: { typed_contents: { bool_param: true } } });
      const response = await call(client, 'ModelInfer', request);
      const [output] = response.outputs;
      assert.deepEqual([output.name, output.datatype, output.shape], ['OUTPUT', datatype, ['2', '3']]);
      assert.deepEqual(output.contents[field], elements, datatype);
      assert.deepEqual(response.raw_output_contents, []);
    }
  },

  async raw_datatypes(client) {
    for (const [datatype, { raw }] of Object.entries(samples)) {
      const response = await call(client, 'ModelInfer', identity(datatype, [2, 3], { raw_input_contents: [raw] }));
      assert.deepEqual([response.outputs[0].datatype, response.outputs[0].shape], [datatype, ['2', '3']]);
      assert.deepEqual(response.raw_output_contents, [raw], datatype);
    }
  },

  async nonfinite_numbers(client) {
    const elements = [NaN, Infinity, -Infinity];
    const members = { parameters: { typed_contents: { bool_param: true } } };
    for (const [datatype, field] of [['FP32', 'fp32_contents'], ['FP64', 'fp64_contents']]) {
      const response = await call(client, 'ModelInfer', typed(datatype, [1, 3], field, elements, members));
      assert.deepEqual(response.outputs[0].contents[field], elements);
    }
  },

  async bytes_elements(client) {
    const elements = [Buffer.alloc(0), Buffer.from([0, 255, 254]), Buffer.alloc(1_000_000, 'z')];
    const response = await call(client, 'ModelInfer', identity('BYTES', [1, 3], { raw_input_contents: [packBytes(elements)] }));
    assert.deepEqual(unpackBytes(response.raw_output_contents[0]), elements);
    const empty = await call(client, 'ModelInfer', identity('BYTES', [1, 0], { raw_input_contents: [Buffer.alloc(0)] }));
    assert.deepEqual([empty.outputs[0].shape, empty.raw_output_contents], [['1', '0'], [Buffer.alloc(0)]]);
  },

  async several_inputs(client) {
    for (let i = 0; i < 100; i++) expectSimple(await call(client, 'ModelInfer', simple({ id: String(i) })), String(i));
    const raw_input_contents = [ones, counting].map((elements) => bytesOf(Int32Array.from(elements)));
    const inputs = ['INPUT1', 'INPUT0'].map((name) => ({ name, datatype: 'INT32', shape: [1, 16] }));  // in the other order
    expectSimple(await call(client, 'ModelInfer', { model_name: 'simple', inputs, raw_input_contents }));
  },

  async outputs_chosen(client) {
    const response = await call(client, 'ModelInfer', simple({ outputs: [{ name: 'OUTPUT1' }] }));
    assert.deepEqual(response.outputs.map((output) => output.name), ['OUTPUT1']);
    assert.deepEqual(response.raw_output_contents.map(numbersOf), [differences]);
    await fails(call(client, 'ModelInfer', simple({ outputs: [{ name: 'OUTPUT9' }] })), status.INVALID_ARGUMENT, "'OUTPUT9'", 'OUTPUT0');
  },

  async id_and_version(client) {
    const response = await call(client, 'ModelInfer', simple({ id: '\u00fc 42', model_version: '1' }));
    assert.equal(response.model_version, '1');
    expectSimple(response, '\u00fc 42');
    await fails(call(client, 'ModelInfer', simple({ model_version: '7' })), status.NOT_FOUND, "'simple' version 7");
  },

  async parameters(client) {
    const parameters = { bool: { bool_param: true }, int64: { int64_param: '-9223372036854775808' }, string: { string_param: 'text' },
                         double: { double_param: 0.5 }, uint64: { uint64_param: '18446744073709551615' },
                         priority: { uint64_param: 1 }, timeout: { int64_param: 60_000_000 } };
    expectSimple(await call(client, 'ModelInfer', simple({ parameters })));
    await fails(call(client, 'ModelInfer', simple({ parameters: { triton_x: { bool_param: true } } })), status.INVALID_ARGUMENT, 'triton_x');
  },

  async classification(client) {
    const image = Array(64).fill(0);
    const request = { model_name: 'digits', inputs: [{ name: 'image', datatype: 'FP32', shape: [1, 64], contents: { fp32_contents: image } }] };
    const [scores] = (await call(client, 'ModelInfer', request)).raw_output_contents;
    const ranked = Array.from({ length: 10 }, (_, i) => ({ index: i, score: scores.readFloatLE(4 * i) })).sort((a, b) => b.score - a.score);
    const labels = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];
    request.outputs = [{ name: 'scores', parameters: { classification: { int64_param: 3 } } }];
    const response = await call(client, 'ModelInfer', request);
    assert.deepEqual([response.outputs[0].datatype, response.outputs[0].shape], ['BYTES', ['1', '3']]);
    const named = unpackBytes(response.raw_output_contents[0]).map((element) => String(element).split(':'));
    assert.deepEqual(named.map(([, index, label]) => [Number(index), label]), ranked.slice(0, 3).map(({ index }) => [index, labels[index]]));
    named.forEach(([score], i) => assert.equal(Math.fround(Number(score)), ranked[i].score));
  },

  async infer_errors(client) {
    const wrong = (request, ...words) => fails(call(client, 'ModelInfer', request), status.INVALID_ARGUMENT, ...words);
    await fails(call(client, 'ModelInfer', simple({ model_name: 'nobody' })), status.NOT_FOUND, "'nobody'");
    await wrong({ model_name: 'simple', inputs: [int32('INPUT0', counting)] }, "'simple'", "'INPUT1'");
    await wrong({ model_name: 'simple', inputs: [int32('INPUT0', counting), int32('OTHER', ones)] }, "'simple'", 'OTHER');
    await wrong({ model_name: 'simple', inputs: [int32('INPUT0', [1, 2]), int32('INPUT1', [1, 2])] }, "'INPUT0'", '[-1,16]', '[1,2]');
    await wrong(typed('INT32', [2, 3], 'int_contents', [1]), "'INPUT'", '24', '4');
    await wrong(typed('INT32', [1, 1], 'fp32_contents', [1]), "'INPUT'");
    await wrong(typed('INT32', [-1, 1], 'int_contents', [1]), "'INPUT'", '-1');
    await wrong(typed('INT8', [1, 1], 'int_contents', [128]), "'INPUT'", '128');
    await wrong({ model_name: 'identity_INT32', inputs: [{ name: 'INPUT', datatype: 'FP32', shape: [1, 1], contents: { fp32_contents: [1] } }] },
                "'FP32'", "'INT32'");
    await wrong({ model_name: 'identity_INT32', inputs: [{ name: 'INPUT', datatype: 'INT23', shape: [1, 1], contents: { int_contents: [1] } }] }, 'INT23');
    await wrong(identity('INT32', [1, 1], { raw_input_contents: [Buffer.from('abc')] }), "'INPUT'", '4', '3');
    await wrong(typed('INT32', [1, 1], 'int_contents', [1], { raw_input_contents: [Buffer.alloc(4)] }), "'INPUT'");
    await wrong(identity('BYTES', [1, 1], { raw_input_contents: [Buffer.from([9, 0, 0, 0, 1])] }), "'INPUT'");
    await wrong(typed('FP16', [1, 1], 'fp32_contents', [1]), "'INPUT'", 'FP16');
    await fails(call(client, 'ModelInfer', { model_name: 'repeat', inputs: [int32('IN', [1, 2], [2])] }), status.UNIMPLEMENTED, 'decoupled');
    expectSimple(await call(client, 'ModelInfer', simple()));
  },

  async deadline(client) {
    const request = { model_name: 'endless', inputs: [int32('INPUT', [1], [1])] };
    await fails(call(client, 'ModelInfer', request, { deadline: Date.now() + 100 }), status.DEADLINE_EXCEEDED);
    expectSimple(await call(client, 'ModelInfer', simple(), { deadline: Date.now() + 60_000 }));
  },

  async cancel(client) {
    const request = { model_name: 'endless', inputs: [int32('INPUT', [1], [1])] };
    await fails(new Promise((resolve, reject) => {
      const running = client.ModelInfer(request, (error, response) => (error ? reject(error) : resolve(response)));
      setImmediate(() => running.cancel());
    }), status.CANCELLED);
    expectSimple(await call(client, 'ModelInfer', simple()));
  },

  async large(client) {
    const raw = bytesOf(Float32Array.from({ length: 4 << 20 }, (_, i) => i));
    const response = await call(client, 'ModelInfer', identity('FP32', [4, 1 << 20], { raw_input_contents: [raw] }));
    assert.ok(response.raw_output_contents[0].equals(raw));
  },

  async many_at_once(client) {
    const responses = await Promise.all(Array.from({ length: 1000 }, (_, i) => call(client, 'ModelInfer', simple({ id: String(i) }))));
    responses.forEach((response, i) => expectSimple(response, String(i)));
  },

  async metadata(client) {
    const metadata = new grpc.Metadata();
    metadata.set('x-request-id', 'javascript-1');
    const received = await new Promise((resolve, reject) => {
      client.ModelInfer(simple(), metadata, (error) => { if (error) reject(error); }).on('metadata', resolve);
    });
    assert.deepEqual(received.get('x-request-id'), ['javascript-1']);
  },
};

for (const [name, test] of Object.entries({ ...control, ...inference })) exports[`grpc_${name}`] = withInference(test);

// grpc-js refuses received messages of more than 4 MiB unless it is told otherwise.
exports.grpc_default_limit = withInference(async (client) => {
  const raw_input_contents = [Buffer.alloc(4 << 20)];
  await fails(call(client, 'ModelInfer', identity('UINT8', [1, 4 << 20], { raw_input_contents })), status.RESOURCE_EXHAUSTED);
  expectSimple(await call(client, 'ModelInfer', simple()));
}, { 'grpc.max_receive_message_length': 4 << 20 });

exports.grpc_gzip = withInference(async (client) => {
  expectSimple(await call(client, 'ModelInfer', simple()));
  const raw = Buffer.from(Array.from({ length: 100_000 }, (_, i) => (i * 7919) % 65521).join(' '));
  const response = await call(client, 'ModelInfer', identity('UINT8', [1, raw.length], { raw_input_contents: [raw] }));
  assert.ok(response.raw_output_contents[0].equals(raw));
  const zeros = identity('UINT8', [1, 1_000_000], { raw_input_contents: [Buffer.alloc(1_000_000)] });
  await fails(call(client, 'ModelInfer', zeros), status.RESOURCE_EXHAUSTED, '--decompression-ratio-max 100');
}, { 'grpc.default_compression_algorithm': grpc.compressionAlgorithms.gzip });

exports.grpc_health = withClient('health/health.proto', 'grpc.health.v1.Health', async (client) => {
  assert.deepEqual(await call(client, 'Check'), { status: 'SERVING' });
  assert.deepEqual(await call(client, 'Check', { service: 'inference.GRPCInferenceService' }), { status: 'SERVING' });
  await fails(call(client, 'Check', { service: 'nothing' }), status.NOT_FOUND);
  const watch = client.Watch({});
  for await (const answer of watch) {
    assert.deepEqual(answer, { status: 'SERVING' });
    break;  // which cancels the call
  }
});

exports.grpc_reflection = withClient('reflection/reflection.proto', 'grpc.reflection.v1.ServerReflection', async (client) => {
  const stream = client.ServerReflectionInfo();
  stream.write({ list_services: '' });
  stream.write({ file_containing_symbol: 'inference.GRPCInferenceService' });
  stream.write({ file_containing_symbol: 'inference.Nothing' });
  stream.end();
  const [services, file, error] = await readAll(stream);
  const names = services.list_services_response.service.map((service) => service.name);
  assert.ok(names.includes('inference.GRPCInferenceService') && names.includes('grpc.health.v1.Health'), String(names));
  assert.ok(file.file_descriptor_response.file_descriptor_proto[0].includes('ModelStreamInfer'));
  assert.equal(error.error_response.error_code, status.NOT_FOUND);
});
