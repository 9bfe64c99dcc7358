// ModelStreamInfer: order, errors, models with many responses, back-pressure, keep-alive.
'use strict';

const assert = require('node:assert/strict');
const { once } = require('node:events');
const { fails, grpc, readAll, withInference } = require('./connection');
const { counting, ones, sums } = require('./tensors');

const int32 = (name, elements, shape) => ({ name, datatype: 'INT32', shape, contents: { int_contents: elements } });
const simple = (id) => ({ model_name: 'simple', id: String(id), inputs: [int32('INPUT0', counting, [1, 16]), int32('INPUT1', ones, [1, 16])] });
const repeat = (elements, members = {}) => ({ model_name: 'repeat', inputs: [int32('IN', elements, [elements.length])], ...members });
const firstOf = (response) => response.raw_output_contents[0].readInt32LE(0);

const cases = {
  async order(client) {
    const stream = client.ModelStreamInfer();
    for (let i = 0; i < 2000; i++) stream.write(simple(i));
    stream.end();
    const answers = await readAll(stream);
    assert.deepEqual(answers.map((answer) => answer.infer_response.id), Array.from({ length: 2000 }, (_, i) => String(i)));
    for (const { error_message, infer_response } of answers) {
      assert.equal(error_message, '');
      assert.deepEqual(sums.map((_, i) => infer_response.raw_output_contents[0].readInt32LE(4 * i)), sums);
    }
  },

  async one_by_one(client) {
    const stream = client.ModelStreamInfer();
    for (let i = 0; i < 100; i++) {
      const answer = once(stream, 'data');
      stream.write(simple(i));
      assert.equal((await answer)[0].infer_response.id, String(i));
    }
    const end = once(stream, 'end');
    stream.end();
    await end;
  },

  async errors(client) {
    const stream = client.ModelStreamInfer();
    stream.write({ ...simple('wrong'), model_name: 'nobody' });
    stream.write(simple('right'));
    stream.end();
    const [wrong, right] = await readAll(stream);
    assert.ok(wrong.error_message.includes("'nobody'"), wrong.error_message);
    assert.equal(wrong.infer_response.id, 'wrong');
    assert.deepEqual([right.error_message, right.infer_response.id, firstOf(right.infer_response)], ['', 'right', sums[0]]);
  },

  async errors_as_status(client) {
    const metadata = new grpc.Metadata();
    metadata.set('triton_grpc_error', 'true');
    const stream = client.ModelStreamInfer(metadata);
    stream.write({ ...simple('wrong'), model_name: 'nobody' });
    await fails(readAll(stream), grpc.status.NOT_FOUND, "'nobody'");
  },

  async decoupled(client) {
    const stream = client.ModelStreamInfer();
    stream.write(repeat([7, 8, 9], { id: 'r', parameters: { triton_enable_empty_final_response: { bool_param: true } } }));
    stream.write(repeat([]));  // no response
    stream.end();
    const responses = (await readAll(stream)).map((answer) => answer.infer_response);
    assert.deepEqual(responses.map((response) => response.id), ['r', 'r', 'r', 'r']);
    assert.deepEqual(responses.map((response) => response.parameters.triton_final_response.bool_param), [false, false, false, true]);
    assert.deepEqual(responses.slice(0, 3).map(firstOf), [7, 8, 9]);
    assert.deepEqual(responses[3].outputs, []);
  },

  async back_pressure(client) {
    const elements = Array.from({ length: 20000 }, (_, i) => i);
    const stream = client.ModelStreamInfer();
    stream.write(repeat(elements));
    stream.end();
    let read = 0;
    for await (const answer of stream) {
      assert.equal(firstOf(answer.infer_response), read++);
      if (read % 1000 === 0) await new Promise(setImmediate);
    }
    assert.equal(read, elements.length);
  },

  async cancel(client) {
    const stream = client.ModelStreamInfer();
    const end = readAll(stream);
    stream.write({ model_name: 'endless', inputs: [int32('INPUT', [1], [1])] });
    stream.cancel();
    await fails(end, grpc.status.CANCELLED);
    const next = client.ModelStreamInfer();
    next.write(simple('next'));
    next.end();
    assert.equal((await readAll(next))[0].infer_response.id, 'next');
  },

  async deadline(client) {
    const stream = client.ModelStreamInfer(new grpc.Metadata(), { deadline: Date.now() + 100 });
    stream.write({ model_name: 'endless', inputs: [int32('INPUT', [1], [1])] });
    await fails(readAll(stream), grpc.status.DEADLINE_EXCEEDED);
  },
};

for (const [name, test] of Object.entries(cases)) exports[`stream_${name}`] = withInference(test);

// A ping every 20 ms while a response is due in half a second. The tests' server permits that; by default it takes one every 300 s.
exports.stream_keepalive = withInference(async (client) => {
  const stream = client.ModelStreamInfer();
  const delay = { name: 'DELAY', datatype: 'UINT32', shape: [1], contents: { uint_contents: [500] } };
  stream.write({ model_name: 'repeat', inputs: [int32('IN', [5], [1]), delay] });
  stream.end();
  assert.deepEqual((await readAll(stream)).map((answer) => firstOf(answer.infer_response)), [5]);
}, { 'grpc.keepalive_time_ms': 20, 'grpc.keepalive_timeout_ms': 10_000, 'grpc.keepalive_permit_without_calls': 1 });
