// The JavaScript client of the tests: gRPC by @grpc/grpc-js, REST by Node's own fetch.
//
//   node main.js [--authority FILE] [--certificate FILE] [--key FILE] [--proto FOLDER] [--model FILE] ADDRESS CASE...
//
// Runs the cases one after the other. Prints `ok CASE`, or `failed CASE: what is wrong`, one line per case. ADDRESS is the server's
// host:port, for cases `rest_...` that of HTTP. --proto is the tree's folder proto, --model an ONNX model of INT32, OUTPUT = INPUT + 40.
'use strict';

const { parseArgs } = require('node:util');

const caseTime = 60_000;  // ms

async function withTimeout(promise) {
  let timer;
  const late = new Promise((_, reject) => { timer = setTimeout(() => reject(new Error(`no end after ${caseTime} ms`)), caseTime); });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function main() {
  const text = { type: 'string' };
  const { values, positionals } = parseArgs({
    options: { authority: text, certificate: text, key: text, proto: text, model: text }, allowPositionals: true });
  const [address, ...names] = positionals;
  const cases = { ...require('./echo_cases'), ...require('./grpc_cases'), ...require('./stream_cases'), ...require('./rest_cases') };
  for (const name of names) {
    try {
      if (!(name in cases)) throw new Error('no such case');
      await withTimeout(cases[name](address, values));
      console.log(`ok ${name}`);
    } catch (error) {
      console.log(`failed ${name}: ${String(error.stack ?? error).replaceAll('\n', ' | ')}`);
    }
  }
}

main().then(() => process.exit(0));
