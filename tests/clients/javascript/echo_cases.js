// Calls of grpc_echo (tests/support/grpc_echo_service.h), whose messages are any bytes.
'use strict';

const assert = require('node:assert/strict');
const { once } = require('node:events');
const { anySize, credentialsOf, fails, grpc } = require('./connection');

const sizes = [0, 1, 1000, 16384, 16385, 1_000_000];
const same = (bytes) => bytes;
const text = (value) => Buffer.from(String(value));
// Compresses to no less than a fifth.
const numbers = (count) => text(Array.from({ length: count }, (_, i) => (i * 7919) % 65521).join(' '));

function pattern(size) {
  const bytes = Buffer.allocUnsafe(size);
  for (let i = 0; i < size; i++) bytes[i] = (i * 31) >> 3;
  return bytes;
}

class Echo {
  constructor(address, values, options) { this.client = new grpc.Client(address, credentialsOf(values), { ...anySize, ...options }); }

  unary(message, { method = 'Unary', metadata = new grpc.Metadata(), ...options } = {}) {
    let seen;
    const answer = new Promise((resolve, reject) => {
      seen = this.client.makeUnaryRequest(`/inferd.test.Echo/${method}`, same, same, message, metadata, options,
                                          (error, response) => (error ? reject(error) : resolve(response)));
    });
    answer.call = seen;
    return answer;
  }
  serverStream(message) { return this.client.makeServerStreamRequest('/inferd.test.Echo/ServerStream', same, same, message); }
  bidi(options = {}) { return this.client.makeBidiStreamRequest('/inferd.test.Echo/Bidi', same, same, new grpc.Metadata(), options); }

  async expect(message, options) { assert.ok((await this.unary(message, options)).equals(message), 'the message came back changed'); }
}

function delayed() {
  const metadata = new grpc.Metadata();
  metadata.set('delay-ms', '20000');
  return metadata;
}

async function exchange(call, message) {
  const answer = once(call, 'data');
  call.write(message);
  assert.deepEqual((await answer)[0], message);
}

// The error with which the call ends.
const errorOf = (call) => new Promise((resolve, reject) => {
  call.on('error', reject);
  call.on('end', resolve);
  call.resume();
});

const cases = {
  async unary(echo) { for (const size of sizes) await echo.expect(pattern(size)); },

  async server_stream(echo) {
    for (const count of [0, 1, 200]) {
      const message = Buffer.concat([Buffer.from([count, 0, 0, 0]), pattern(20000)]);
      let read = 0;
      for await (const answer of echo.serverStream(message)) {
        assert.deepEqual(answer, message);
        read++;
      }
      assert.equal(read, count);
    }
  },

  async client_stream(echo) {
    for (const count of [0, 1, 1000]) {
      const answer = await new Promise((resolve, reject) => {
        const call = echo.client.makeClientStreamRequest('/inferd.test.Echo/ClientStream', same, same,
                                                         (error, response) => (error ? reject(error) : resolve(response)));
        for (let i = 0; i < count; i++) call.write(text(i));
        call.end();
      });
      assert.equal(String(answer), Array.from({ length: count }, (_, i) => i).join(''));
    }
  },

  async bidi(echo) {
    const call = echo.bidi();
    for (const size of sizes) await exchange(call, pattern(size));
    const end = once(call, 'end');
    call.end();
    await end;
  },

  async bidi_many(echo) {
    const call = echo.bidi();
    for (let i = 0; i < 5000; i++) call.write(text(i));
    call.end();
    let read = 0;
    for await (const answer of call) assert.equal(String(answer), String(read++));
    assert.equal(read, 5000);
  },

  async large(echo) { await echo.expect(pattern(100_000_000)); },

  async many(echo) { await Promise.all(Array.from({ length: 1000 }, (_, i) => echo.expect(text(i)))); },

  async metadata(echo) {
    const metadata = new grpc.Metadata();
    metadata.set('echo-text', 'plain text');
    metadata.set('echo-bytes-bin', Buffer.from([0, 1, 255, 254]));
    const answer = echo.unary(text('m'), { metadata });
    const [initial, status] = await Promise.all([once(answer.call, 'metadata'), once(answer.call, 'status'), answer]);
    for (const received of [initial[0], status[0].metadata]) {
      assert.deepEqual(received.get('echo-text'), ['plain text']);
      assert.deepEqual(received.get('echo-bytes-bin'), [Buffer.from([0, 1, 255, 254])]);
    }
  },

  async status_details(echo) {
    for (let code = 1; code <= 16; code++) {
      const metadata = new grpc.Metadata();
      metadata.set('fail-with', String(code));
      const error = await fails(echo.unary(text('x'), { metadata }), code);
      assert.equal(error.details, '\u00e9%\n');
      const [details] = error.metadata.get('grpc-status-details-bin');
      assert.deepEqual(details, Buffer.from([8, code, 0x12, 4, 0xc3, 0xa9, 0x25, 10, 0x1a, 5, 0x12, 3, 0, 1, 255]));
    }
    await echo.expect(text('on'));
  },

  async unknown_method(echo) {
    await fails(echo.unary(text('x'), { method: 'Nothing' }), grpc.status.UNIMPLEMENTED);
    await echo.expect(text('on'));
  },

  async deadline(echo) {
    await fails(echo.unary(text('x'), { metadata: delayed(), deadline: Date.now() + 100 }), grpc.status.DEADLINE_EXCEEDED);
    await fails(errorOf(echo.bidi({ deadline: Date.now() + 100 })), grpc.status.DEADLINE_EXCEEDED);
    await echo.expect(text('on'));
  },

  async cancel(echo) {
    const call = echo.bidi();
    await exchange(call, text('x'));
    const end = errorOf(call);
    call.cancel();
    await fails(end, grpc.status.CANCELLED);
    const single = echo.unary(text('x'), { metadata: delayed() });
    setImmediate(() => single.call.cancel());
    await fails(single, grpc.status.CANCELLED);
    await echo.expect(text('on'));
  },

  async compression(echo, address, values) {
    const packing = new Echo(address, values, { 'grpc.default_compression_algorithm': grpc.compressionAlgorithms.gzip });
    try {
      await packing.expect(numbers(20000));
      const call = packing.bidi();
      for (const message of [numbers(20000), Buffer.alloc(0), numbers(20000)]) await exchange(call, message);
      call.cancel();
      call.on('error', () => {});
    } finally {
      packing.client.close();
    }
  },

  async is_unavailable(echo) { await fails(echo.unary(text('x')), grpc.status.UNAVAILABLE); },
};

for (const [name, test] of Object.entries(cases)) {
  exports[`echo_${name}`] = async (address, values) => {
    const echo = new Echo(address, values);
    try {
      await test(echo, address, values);
    } finally {
      echo.client.close();
    }
  };
}
