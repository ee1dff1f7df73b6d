// A Pi extension that measures: the same tool in Pi's own JavaScript, with an echo from another process on top, in the
// bundle, and behind Pi's MCP client, called in turn as scripts call tools. It writes the microseconds of each call into the file that `PI_COMPARE` names.

import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import type { ExtensionAPI, ExtensionToolContext } from "@earendil-works/pi-coding-agent";

/** So many calls of one tool stand together: the processor and its caches get used to it, as in a script. */
const CALLS = 10;
const WARM_UP_ROUNDS = 30;

const number = { type: "integer" };
const parameters = { type: "object", properties: { a: number, b: number }, required: ["a", "b"], additionalProperties: false };

export default function (pi: ExtensionAPI): void {
  pi.registerTool({
    name: "add_javascript",
    label: "Add",
    description: "Add two numbers.",
    parameters,
    execute: async (_callId, params) => {
      const { a, b } = params as { a: number; b: number };
      return { content: [{ type: "text", text: String(a + b) }], details: undefined };
    },
  });
  const echo = startEcho(pi);
  pi.registerTool({
    name: "add_echo",
    label: "Add",
    description: "Add two numbers, once another process has given them back.",
    parameters,
    execute: async (_callId, params) => {
      const { a, b } = JSON.parse(await echo(JSON.stringify(params))) as { a: number; b: number };
      return { content: [{ type: "text", text: String(a + b) }], details: undefined };
    },
  });
  pi.registerTool({
    name: "compare",
    label: "Compare",
    description: "Measure what a call costs.",
    parameters: { type: "object", properties: { rounds: { type: "integer" } }, required: ["rounds"] },
    execute: async (_callId, params, _signal, _onUpdate, ctx) => {
      const { rounds } = params as { rounds: number };
      const names = ["add_javascript", "add_echo", "add", "mcp__bench__add"];
      const times: Record<string, number[]> = Object.fromEntries(names.map((name) => [name, []]));
      for (let round = -WARM_UP_ROUNDS; round < rounds; round++) {
        // Another one begins in each round.
        const turn = Math.abs(round) % names.length;
        for (const name of [...names.slice(turn), ...names.slice(0, turn)]) {
          const taken = await measure(ctx, name);
          if (round >= 0) times[name]?.push(...taken);
        }
      }
      writeFileSync(process.env.PI_COMPARE ?? "", JSON.stringify(times));
      return { content: [{ type: "text", text: "measured" }], details: undefined };
    },
  });
}

/** One line at a time, which is short enough to come in one piece. */
function startEcho(pi: ExtensionAPI): (line: string) => Promise<string> {
  const child = spawn(process.env.PI_COMPARE_ECHO ?? "", ["echo"]);
  let received = (_line: string) => {};
  child.stdout.on("data", (chunk: Buffer) => received(chunk.toString()));
  pi.on("session_shutdown", () => void child.stdin.end());
  return (line) =>
    new Promise((resolve) => {
      received = resolve;
      child.stdin.write(`${line}\n`);
    });
}

async function measure(ctx: ExtensionToolContext, name: string): Promise<number[]> {
  const taken: number[] = [];
  for (let call = 0; call < CALLS; call++) {
    const begin = performance.now();
    const { result, isError } = await ctx.executeTool(name, { a: call, b: 1 });
    taken.push((performance.now() - begin) * 1000);
    const [block] = result.content;
    const text = block?.type === "text" ? block.text : undefined;
    if (isError || text !== String(call + 1)) throw new Error(`${name} answered ${JSON.stringify(result)}`);
  }
  return taken;
}
