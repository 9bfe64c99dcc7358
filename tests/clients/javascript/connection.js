// gRPC connections, and calls as promises.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const grpc = require('@grpc/grpc-js');
const loader = require('@grpc/proto-loader');

// Messages of any size, as programs that send tensors set it. The default limit of received messages is 4 MiB.
const anySize = { 'grpc.max_send_message_length': -1, 'grpc.max_receive_message_length': -1 };

function credentialsOf({ authority, certificate, key }) {
  if (!authority) return grpc.credentials.createInsecure();
  const read = (file) => (file ? fs.readFileSync(file) : null);
  return grpc.credentials.createSsl(read(authority), read(key), read(certificate));
}

// Loads a service of the folder proto, with 64-bit numbers as text and only the members of a oneof that are set.
function serviceOf(proto, file, name) {
  const definition = loader.loadSync(file, { includeDirs: [proto], keepCase: true, longs: String, enums: String, defaults: true, oneofs: true });
  return name.split('.').reduce((found, part) => found[part], grpc.loadPackageDefinition(definition));
}

// Returns a function that runs test(client) with a client of the service, and closes it.
function withClient(file, name, test, options = {}) {
  return async (address, values) => {
    const Service = serviceOf(values.proto, file, name);
    const client = new Service(address, credentialsOf(values), { ...anySize, ...options });
    try {
      await test(client, values);
    } finally {
      client.close();
    }
  };
}

const withInference = (test, options) => withClient('oip/grpc_service.proto', 'inference.GRPCInferenceService', test, options);

// Makes a unary call. The promise's value is the response, its error grpc-js's with code, details and metadata.
function call(client, method, request = {}, { metadata = new grpc.Metadata(), ...options } = {}) {
  return new Promise((resolve, reject) => {
    client[method](request, metadata, options, (error, response) => (error ? reject(error) : resolve(response)));
  });
}

// Expects an error of that code, whose text has all of these words.
async function fails(promise, code, ...words) {
  const error = await promise.then(() => null, (failure) => failure);
  assert.ok(error, `expected ${grpc.status[code]}, and it succeeded`);
  assert.equal(grpc.status[error.code], grpc.status[code], error.message);
  for (const word of words) assert.ok(error.details.includes(word), `no '${word}' in: ${error.details}`);
  return error;
}

// Reads a stream to its end.
async function readAll(stream) {
  const messages = [];
  for await (const message of stream) messages.push(message);
  return messages;
}

module.exports = { anySize, call, credentialsOf, fails, grpc, readAll, withClient, withInference };
