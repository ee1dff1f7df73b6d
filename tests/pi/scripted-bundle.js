#!/usr/bin/env node
// The beginning of a bundle that a test writes: `serve` has its tools, and what it does with each line.
const { createInterface } = require("node:readline");

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const answer = (id, text) => send({ id, result: { content: [{ type: "text", text }] } });

function serve(tools, receive) {
  if (process.argv[2] === "manifest") {
    const usual = { label: "Scripted", description: "Do what a test says.", parameters: { type: "object", properties: {} } };
    const manifest = { protocolVersion: 1, name: "scripted", version: "1", tools: tools.map((tool) => ({ ...usual, ...tool })) };
    process.stdout.write(JSON.stringify(manifest));
  } else {
    createInterface({ input: process.stdin }).on("line", (line) => receive(JSON.parse(line)));
  }
}

