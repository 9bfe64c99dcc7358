// Every REST call of V2 by Node's fetch: JSON, and binary tensors after Inference-Header-Content-Length.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const zlib = require('node:zlib');
const { bytesOf, counting, differences, ones, packBytes, samples, sums, unpackBytes } = require('./tensors');

const int32 = (name, data) => ({ name, datatype: 'INT32', shape: [1, data.length], data });
const simple = (members = {}) => ({ inputs: [int32('INPUT0', counting), int32('INPUT1', ones)], ...members });
const repeat = (...data) => ({ inputs: [{ name: 'IN', datatype: 'INT32', shape: [data.length], data }] });
const infer = (model) => `/v2/models/${model}/infer`;

function expectSimple(answer) {
  assert.deepEqual(answer.outputs.map((output) => [output.name, output.datatype, output.shape, output.data]),
                   [['OUTPUT0', 'INT32', [1, 16], sums], ['OUTPUT1', 'INT32', [1, 16], differences]]);
}

class Rest {
  // HTTPS if there is an authority. Node reads it from the environment, NODE_EXTRA_CA_CERTS.
  constructor(address, { authority }) { this.url = `${authority ? 'https' : 'http'}://${address}`; }

  // POST with a body, GET without one.
  send(path, body, { headers = {}, ...options } = {}) {
    const text = typeof body === 'object' && !ArrayBuffer.isView(body) && !(body instanceof ReadableStream) ? JSON.stringify(body) : body;
    return fetch(this.url + path, { method: body === undefined ? 'GET' : 'POST', body: text, headers, ...options });
  }

  async text(path, body, options) {
    const answer = await this.send(path, body, options);
    const text = await answer.text();
    assert.equal(answer.status, 200, text);
    return text;
  }

  async json(path, body, options) {
    const text = await this.text(path, body, options);
    return text === '' ? null : JSON.parse(text);
  }

  // Expects {"error": text} with that status, where the text has all of these words.
  async fails(status, words, path, body, options) {
    const answer = await this.send(path, body, options);
    const text = await answer.text();
    assert.equal(answer.status, status, text);
    assert.match(answer.headers.get('content-type'), /^application\/json/);
    const { error, ...others } = JSON.parse(text);
    assert.deepEqual(others, {});
    for (const word of words) assert.ok(error.includes(word), `no '${word}' in: ${error}`);
  }

  // Sends inputs {name, datatype, shape, raw}, asks for binary outputs. Returns the answer's JSON, its outputs with `raw`.
  async binary(model, inputs, members = {}, options = {}) {
    const head = { ...members, inputs: inputs.map(({ raw, ...input }) => ({ ...input, parameters: { binary_data_size: raw.length } })),
                   parameters: { binary_data_output: true, ...members.parameters } };
    const json = Buffer.from(JSON.stringify(head));
    const body = Buffer.concat([json, ...inputs.map((input) => input.raw)]);
    const answer = await this.send(infer(model), body, { headers: { 'Inference-Header-Content-Length': json.length }, ...options });
    const bytes = Buffer.from(await answer.arrayBuffer());
    assert.equal(answer.status, 200, String(bytes.subarray(0, 1000)));
    let at = Number(answer.headers.get('inference-header-content-length'));
    const parsed = JSON.parse(bytes.subarray(0, at));
    for (const output of parsed.outputs) {
      const size = output.parameters.binary_data_size;
      output.raw = bytes.subarray(at, at + size);
      at += size;
    }
    assert.equal(at, bytes.length);
    return parsed;
  }

  async stateOf(model) {
    return (await this.json('/v2/repository/index', '')).find((entry) => entry.name === model)?.state;
  }
}

const cases = {
  async server_health(rest) {
    for (const what of ['live', 'ready']) assert.equal((await rest.send(`/v2/health/${what}`)).status, 200);
    assert.deepEqual(await rest.json('/v2/health/ready', undefined, { headers: { Accept: 'application/json' } }), { live: true, ready: true });
  },

  async server_metadata(rest) {
    const { name, version, extensions } = await rest.json('/v2');
    assert.equal(name, 'inferd');
    assert.match(version, /^\d+\.\d+/);
    assert.ok(extensions.includes('binary_tensor_data'));
    assert.ok((await rest.json('/v2/models')).models.includes('simple'));
  },

  async model_ready(rest) {
    for (const path of ['/v2/models/simple/ready', '/v2/models/simple/versions/1/ready']) assert.equal((await rest.send(path)).status, 200);
    await rest.fails(404, ["'nobody'"], '/v2/models/nobody/ready');
    await rest.fails(404, ["'simple' version 7"], '/v2/models/simple/versions/7/ready');
  },

  async model_metadata(rest) {
    const { parameters, ...metadata } = await rest.json('/v2/models/simple');
    const tensor = (name) => ({ name, datatype: 'INT32', shape: [-1, 16] });
    assert.deepEqual(metadata, { name: 'simple', versions: ['1'], platform: 'onnx_onnxv1',
                                 inputs: ['INPUT0', 'INPUT1'].map(tensor), outputs: ['OUTPUT0', 'OUTPUT1'].map(tensor) });
    await rest.fails(404, ["'nobody'"], '/v2/models/nobody');
  },

  async model_config(rest) {
    const config = await rest.json('/v2/models/digits/config');
    assert.deepEqual([config.name, config.max_batch_size, config.output[0].label_filename, config.input[0].data_type],
                     ['digits', 64, 'labels.txt', 'TYPE_FP32']);
    await rest.fails(404, ["'nobody'"], '/v2/models/nobody/config');
  },

  async model_statistics(rest) {
    const counts = async (path) => {
      const [stats] = (await rest.json(path)).model_stats;
      return [stats.inference_count, stats.inference_stats.success.count, stats.inference_stats.fail.count];
    };
    const [rows, successes, failures] = await counts('/v2/models/identity_INT16/stats');
    await rest.json(infer('identity_INT16'), { inputs: [{ name: 'INPUT', datatype: 'INT16', shape: [2, 1], data: [1, 2] }] });
    await rest.fails(400, ["'OTHER'"], infer('identity_INT16'), { inputs: [{ name: 'OTHER', datatype: 'INT16', shape: [2, 1], data: [1, 2] }] });
    assert.deepEqual(await counts('/v2/models/identity_INT16/versions/1/stats'), [rows + 2, successes + 1, failures + 1]);
    assert.ok((await rest.json('/v2/models/stats')).model_stats.some((stats) => stats.name === 'digits'));
  },

  // As text: a number of JavaScript holds 53 bits of an integer.
  async json_datatypes(rest) {
    for (const [datatype, { json }] of Object.entries(samples)) {
      const data = datatype === 'BYTES' ? JSON.stringify(json) : `[${json.map((value) => (Object.is(value, -0) ? '-0.0' : value))}]`;
      const answer = await rest.text(infer(`identity_${datatype}`),
                                     `{"inputs": [{"name": "INPUT", "datatype": "${datatype}", "shape": [2, 3], "data": ${data}}]}`);
      const [output] = JSON.parse(answer).outputs;
      assert.deepEqual([output.name, output.datatype, output.shape], ['OUTPUT', datatype, [2, 3]]);
      if (datatype === 'BYTES' || datatype === 'FP64') {
        assert.deepEqual(output.data, json, datatype);
      } else if (/^(FP|BF)/.test(datatype)) {
        assert.deepEqual(output.data.map(Math.fround), json, datatype);  // as few digits as a FP32 needs
      } else {
        assert.ok(answer.includes(`[${json}]`), answer);
      }
    }
  },

  async binary_datatypes(rest) {
    for (const [datatype, { raw }] of Object.entries(samples)) {
      const [output] = (await rest.binary(`identity_${datatype}`, [{ name: 'INPUT', datatype, shape: [2, 3], raw }])).outputs;
      assert.deepEqual([output.name, output.datatype, output.shape], ['OUTPUT', datatype, [2, 3]]);
      assert.deepEqual(output.raw, raw, datatype);
    }
  },

  async bytes_elements(rest) {
    const elements = [Buffer.alloc(0), Buffer.from([0, 255, 254]), Buffer.alloc(1_000_000, 'z')];
    const [output] = (await rest.binary('identity_BYTES', [{ name: 'INPUT', datatype: 'BYTES', shape: [1, 3], raw: packBytes(elements) }])).outputs;
    assert.deepEqual(unpackBytes(output.raw), elements);
    const base64 = { content_type: 'base64' };
    const input = { name: 'INPUT', datatype: 'BYTES', shape: [1, 1], parameters: base64, data: ['AP/+'] };
    const answer = await rest.json(infer('identity_BYTES'), { inputs: [input], outputs: [{ name: 'OUTPUT', parameters: base64 }] });
    assert.deepEqual(answer.outputs[0].data, ['AP/+']);
    await rest.fails(400, ["'OUTPUT'", 'UTF-8', 'base64'], infer('identity_BYTES'), { inputs: [input] });
  },

  async several_inputs(rest) {
    for (let i = 0; i < 100; i++) {
      const answer = await rest.json(infer('simple'), simple({ id: String(i) }));
      assert.equal(answer.id, String(i));
      expectSimple(answer);
    }
    const raw = [ones, counting].map((elements) => bytesOf(Int32Array.from(elements)));
    const inputs = ['INPUT1', 'INPUT0'].map((name, i) => ({ name, datatype: 'INT32', shape: [1, 16], raw: raw[i] }));
    const { outputs } = await rest.binary('simple', inputs);
    assert.deepEqual(outputs.map((output) => output.raw), [sums, differences].map((elements) => bytesOf(Int32Array.from(elements))));
  },

  async outputs_chosen(rest) {
    const answer = await rest.json(infer('simple'), simple({ outputs: [{ name: 'OUTPUT1' }] }));
    assert.deepEqual(answer.outputs.map((output) => [output.name, output.data]), [['OUTPUT1', differences]]);
    const mixed = await rest.send(infer('simple'), simple({ outputs: [{ name: 'OUTPUT1', parameters: { binary_data: true } }, { name: 'OUTPUT0' }] }));
    const bytes = Buffer.from(await mixed.arrayBuffer());
    const length = Number(mixed.headers.get('inference-header-content-length'));
    assert.deepEqual(JSON.parse(bytes.subarray(0, length)).outputs[1].data, sums);
    assert.deepEqual(bytes.subarray(length), bytesOf(Int32Array.from(differences)));
    await rest.fails(400, ["'OUTPUT9'", 'OUTPUT0'], infer('simple'), simple({ outputs: [{ name: 'OUTPUT9' }] }));
  },

  async id_and_version(rest) {
    const answer = await rest.json('/v2/models/simple/versions/1/infer', simple({ id: '\u00fc 42' }));
    assert.deepEqual([answer.model_name, answer.model_version, answer.id], ['simple', '1', '\u00fc 42']);
    await rest.fails(404, ["'simple' version 7"], '/v2/models/simple/versions/7/infer', simple());
  },

  async parameters(rest) {
    const parameters = { bool: true, integer: -5, string: 'text', double: 0.5, priority: 1, timeout: 60_000_000 };
    expectSimple(await rest.json(infer('simple'), simple({ parameters })));
    await rest.fails(400, ['triton_x'], infer('simple'), simple({ parameters: { triton_x: 1 } }));
  },

  async classification(rest) {
    const image = { name: 'image', datatype: 'FP32', shape: [1, 64], data: Array(64).fill(0) };
    const scores = (await rest.json(infer('digits'), { inputs: [image] })).outputs[0].data;
    const best = scores.indexOf(Math.max(...scores));
    const outputs = [{ name: 'scores', parameters: { classification: 2 } }];
    const [output] = (await rest.json(infer('digits'), { inputs: [image], outputs })).outputs;
    assert.deepEqual([output.datatype, output.shape], ['BYTES', [1, 2]]);
    const [score, index, label] = output.data[0].split(':');
    const labels = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];
    assert.deepEqual([Number(score), Number(index), label], [scores[best], best, labels[best]]);
  },

  async bare_bytes(rest) {
    const answer = await rest.send(infer('digits'), new Uint8Array(256), { headers: { 'Inference-Header-Content-Length': '0' } });
    const bytes = Buffer.from(await answer.arrayBuffer());
    assert.equal(answer.status, 200);
    const length = Number(answer.headers.get('inference-header-content-length'));
    assert.deepEqual([JSON.parse(bytes.subarray(0, length)).outputs[0].shape, bytes.length - length], [[1, 10], 40]);
  },

  async infer_errors(rest) {
    const wrong = (inputs, ...words) => rest.fails(400, words, infer('identity_INT32'), { inputs: [{ name: 'INPUT', ...inputs }] });
    await rest.fails(404, ["'nobody'"], infer('nobody'), simple());
    await rest.fails(400, ["'simple'", "'INPUT1'"], infer('simple'), { inputs: [int32('INPUT0', counting)] });
    await rest.fails(400, ["'INPUT0'", '[-1,16]', '[1,2]'], infer('simple'), { inputs: [int32('INPUT0', [1, 2]), int32('INPUT1', [1, 2])] });
    await wrong({ datatype: 'INT32', shape: [2, 3], data: [1] }, "'INPUT'", '6', '1');
    await wrong({ datatype: 'FP32', shape: [1, 1], data: [1] }, "'FP32'", "'INT32'");
    await wrong({ datatype: 'INT23', shape: [1, 1], data: [1] }, "'INT23'");
    await wrong({ datatype: 'INT32', shape: [1, 1], data: [2 ** 31] }, "'INPUT'", '2147483648');
    await wrong({ datatype: 'INT32', shape: [1, 1], data: ['a'] }, "'INPUT'", 'a string');
    await wrong({ datatype: 'INT32', shape: [-1, 1], data: [1] }, "'INPUT'");
    await rest.fails(400, ['JSON', 'byte 0'], infer('simple'), 'no json');
    await rest.fails(400, ['header', '5'], infer('simple'), 'x', { headers: { 'Inference-Header-Content-Length': '5' } });
    await rest.fails(501, ['text/event-stream'], infer('repeat'), repeat(1, 2));
    await rest.fails(404, ["'/nowhere'", '/v2/models'], '/nowhere');
    const refused = await rest.send('/v2', undefined, { method: 'DELETE' });
    assert.deepEqual([refused.status, refused.headers.get('allow')], [405, 'GET, HEAD']);
    expectSimple(await rest.json(infer('simple'), simple()));
  },

  async generate(rest) {
    assert.deepEqual(await rest.json('/v2/models/repeat/generate', { IN: 7, id: 'a' }),
                     { id: 'a', model_name: 'repeat', model_version: '1', OUT: 7, IDX: 0 });
    const { OUTPUT0 } = await rest.json('/v2/models/simple/generate', { INPUT0: counting, INPUT1: ones });
    assert.deepEqual(OUTPUT0, sums);
  },

  async generate_stream(rest) {
    const answer = await rest.send('/v2/models/repeat/generate_stream', { IN: [7, 8, 9], DELAY: [0, 20, 20] });
    assert.match(answer.headers.get('content-type'), /^text\/event-stream/);
    let text = '';
    for await (const part of answer.body.pipeThrough(new TextDecoderStream())) text += part;
    const events = text.trimEnd().split('\n\n').map((event) => JSON.parse(event.replace(/^data: /, '')));
    assert.deepEqual(events.map((event) => [event.OUT, event.IDX]), [[7, 0], [8, 1], [9, 2]]);
  },

  async infer_stream(rest) {
    const values = (lines) => lines.map((line) => JSON.parse(line).outputs[0].data[0]);
    const lines = await rest.text(infer('repeat'), repeat(7, 8), { headers: { Accept: 'application/x-ndjson' } });
    assert.deepEqual(values(lines.trimEnd().split('\n')), [7, 8]);
    const events = await rest.text(infer('repeat'), repeat(7, 8), { headers: { Accept: 'text/event-stream' } });
    assert.deepEqual(values(events.trimEnd().split('\n\n').map((event) => event.replace(/^data: /, ''))), [7, 8]);
  },

  async repository_index(rest) {
    const index = await rest.json('/v2/repository/index', { ready: true });
    assert.deepEqual(index.find((entry) => entry.name === 'simple'), { name: 'simple', version: '1', state: 'READY' });
    const ofExamples = await rest.json('/v2/repository/examples/index', '');
    assert.deepEqual(ofExamples.map((entry) => entry.name).sort(), ['digits', 'simple']);
  },

  async load_and_unload(rest) {
    const request = { inputs: [{ name: 'INPUT', datatype: 'UINT32', shape: [1, 1], data: [7] }] };
    assert.equal(await rest.json('/v2/repository/models/identity_UINT32/unload', ''), null);
    assert.equal((await rest.send('/v2/models/identity_UINT32/ready')).status, 400);
    while (await rest.stateOf('identity_UINT32') !== 'UNAVAILABLE') await new Promise(setImmediate);
    await rest.fails(503, ['identity_UINT32'], infer('identity_UINT32'), request);
    assert.equal(await rest.json('/v2/repository/models/identity_UINT32/load', ''), null);
    assert.deepEqual((await rest.json(infer('identity_UINT32'), request)).outputs[0].data, [7]);
  },

  async load_with_a_file(rest, { model }) {
    const parameters = { config: '{"backend": "onnxruntime"}', 'file:3/model.onnx': fs.readFileSync(model).toString('base64') };
    await rest.json('/v2/repository/models/adder/load', { parameters });
    const answer = await rest.json(infer('adder'), { inputs: [{ name: 'INPUT', datatype: 'INT32', shape: [2], data: [2, -50] }] });
    assert.deepEqual([answer.model_version, answer.outputs[0].data], ['3', [42, -10]]);
    await rest.json('/v2/repository/models/adder/unload', '');
    while (await rest.stateOf('adder') !== 'UNAVAILABLE') await new Promise(setImmediate);
  },

  async load_errors(rest) {
    await rest.fails(404, ["'nobody'", 'not found'], '/v2/repository/models/nobody/load', '');
    await rest.fails(400, ["'config'", 'JSON'], '/v2/repository/models/identity_INT64/load', { parameters: { config: 'not json' } });
    assert.equal((await rest.send('/v2/models/identity_INT64/ready')).status, 200);
  },

  async log_settings(rest) {
    const before = await rest.json('/v2/logging');
    assert.equal((await rest.json('/v2/logging', { log_verbose_level: 1 })).log_verbose_level, 1);
    assert.deepEqual(await rest.json('/v2/logging', { log_verbose_level: 0 }), before);
    await rest.fails(400, ["'log_nonsense'"], '/v2/logging', { log_nonsense: 1 });
  },

  async trace_settings(rest) {
    const before = await rest.json('/v2/trace/setting');
    assert.deepEqual(before.trace_level, ['OFF']);
    assert.equal((await rest.json('/v2/models/simple/trace/setting', { trace_rate: '7' })).trace_rate, '7');
    assert.deepEqual(await rest.json('/v2/trace/setting'), before);
    assert.deepEqual(await rest.json('/v2/models/simple/trace/setting', { trace_rate: null }), before);
    await rest.fails(400, ["'trace_nonsense'"], '/v2/trace/setting', { trace_nonsense: '1' });
  },

  async system_shared_memory(rest) {
    const key = `/inferd-test-javascript-rest-${process.pid}`;
    const path = `/dev/shm${key}`;
    const region = '/v2/systemsharedmemory/region/javascript_rest';
    fs.writeFileSync(path, Buffer.concat([bytesOf(Int32Array.from(counting)), Buffer.alloc(192)]), { mode: 0o600 });
    try {
      await rest.json(`${region}/register`, { key, offset: 0, byte_size: 256 });
      assert.deepEqual(await rest.json(`${region}/status`), [{ name: 'javascript_rest', key, offset: 0, byte_size: 256 }]);
      const place = (offset) => ({ shared_memory_region: 'javascript_rest', shared_memory_offset: offset, shared_memory_byte_size: 64 });
      const inputs = ['INPUT0', 'INPUT1'].map((name) => ({ name, datatype: 'INT32', shape: [1, 16], parameters: place(0) }));
      const answer = await rest.json(infer('simple'), { inputs, outputs: [{ name: 'OUTPUT0', parameters: place(64) }] });
      assert.deepEqual(answer.outputs, [{ name: 'OUTPUT0', datatype: 'INT32', shape: [1, 16] }]);
      assert.deepEqual(fs.readFileSync(path).subarray(64, 128), bytesOf(Int32Array.from(counting, (value) => 2 * value)));
      await rest.json(`${region}/unregister`, '');
      await rest.fails(404, ["'javascript_rest'"], `${region}/status`);
      await rest.fails(400, ['/inferd-test-none'], `${region}/register`, { key: '/inferd-test-none', byte_size: 4 });
    } finally {
      fs.unlinkSync(path);
    }
  },

  async cuda_shared_memory(rest) {
    assert.deepEqual(await rest.json('/v2/cudasharedmemory/status'), []);
    const region = { raw_handle: { b64: Buffer.alloc(64).toString('base64') }, device_id: 0, byte_size: 4 };
    await rest.fails(501, ["'gpu'"], '/v2/cudasharedmemory/region/gpu/register', region);
    assert.equal(await rest.json('/v2/cudasharedmemory/unregister', ''), null);
  },

  async cancel(rest) {
    const body = { inputs: [{ name: 'INPUT', datatype: 'INT32', shape: [1], data: [1] }] };
    await assert.rejects(rest.send(infer('endless'), body, { signal: AbortSignal.timeout(100) }), { name: 'TimeoutError' });
    const events = await rest.send('/v2/models/repeat/generate_stream', { IN: [1, 2], DELAY: [0, 60_000] });
    const reader = events.body.getReader();
    assert.match(Buffer.from((await reader.read()).value).toString(), /"OUT":1/);
    await reader.cancel();
    expectSimple(await rest.json(infer('simple'), simple()));
  },

  async large(rest) {
    const raw = bytesOf(Float32Array.from({ length: 4 << 20 }, (_, i) => i));
    const { outputs } = await rest.binary('identity_FP32', [{ name: 'INPUT', datatype: 'FP32', shape: [4, 1 << 20], raw }]);
    assert.ok(outputs[0].raw.equals(raw));
    const data = Array.from({ length: 500_000 }, (_, i) => i);
    assert.deepEqual((await rest.json(infer('identity_INT32'), { inputs: [int32('INPUT', data)] })).outputs[0].data, data);
  },

  async gzip(rest) {
    const data = Array.from({ length: 5000 }, (_, i) => (i * 7919) % 65521);
    const body = zlib.gzipSync(JSON.stringify({ inputs: [int32('INPUT', data)] }));
    const headers = { 'Content-Encoding': 'gzip', 'Accept-Encoding': 'gzip' };
    const answer = await rest.send(infer('identity_INT32'), body, { headers });
    assert.equal(answer.headers.get('content-encoding'), 'gzip');
    assert.deepEqual((await answer.json()).outputs[0].data, data);
    await rest.fails(400, ['gzip'], infer('identity_INT32'), Buffer.from('not gzip'), { headers });
    const zeros = { ...headers, 'Inference-Header-Content-Length': '0' };
    await rest.fails(413, ['--decompression-ratio-max 100'], infer('identity_UINT8'), zlib.gzipSync(Buffer.alloc(1_000_000)), { headers: zeros });
    await rest.fails(415, ['br'], infer('identity_INT32'), '{}', { headers: { 'Content-Encoding': 'br' } });
  },

  async body_without_length(rest) {
    const text = JSON.stringify(simple());
    const parts = [text.slice(0, 10), text.slice(10, 200), text.slice(200)].map((part) => new TextEncoder().encode(part));
    const body = new ReadableStream({ pull(stream) { parts.length ? stream.enqueue(parts.shift()) : stream.close(); } });
    expectSimple(await rest.json(infer('simple'), body, { duplex: 'half' }));
  },

  async headers(rest) {
    const answer = await rest.send('/v2', undefined, { headers: { 'X-Request-Id': 'javascript-1' } });
    assert.equal(answer.headers.get('x-request-id'), 'javascript-1');
    const head = await rest.send('/v2', undefined, { method: 'HEAD' });
    assert.deepEqual([head.status, await head.text()], [200, '']);
  },

  async many_at_once(rest) {
    const answers = await Promise.all(Array.from({ length: 200 }, (_, i) => rest.json(infer('simple'), simple({ id: String(i) }))));
    answers.forEach((answer, i) => {
      assert.equal(answer.id, String(i));
      expectSimple(answer);
    });
  },

  async scheduler_and_metrics(rest) {
    assert.equal((await rest.json('/v2/models/simple/scheduler')).model_name, 'simple');
    assert.match(await rest.text('/metrics'), /^inferd_http_requests_total\{code="200"\} [1-9]/m);
  },
};

for (const [name, test] of Object.entries(cases)) exports[`rest_${name}`] = (address, values) => test(new Rest(address, values), values);
