// A program with a session of Pi's SDK, whose tools are those of a bundle: it does the steps, prints what the tools
// answer, and must end by itself.
//
// node sdk.ts PROVIDER TOOLS SESSION STEPS
//
// A step is an array of calls, one message of the model, or the number of an answer to go back to.

import { readFileSync, writeFileSync } from "node:fs";
import { createAgentSession, DefaultResourceLoader, SessionManager } from "@earendil-works/pi-coding-agent";

type Step = number | { name: string; arguments: object }[];

const [provider = "", tools = "", file = "", json = ""] = process.argv.slice(2);
const { PI_SCRIPT: script = "", PI_CODING_AGENT_DIR: agentDir = "" } = process.env;
const { defineTools } = (await import(tools)) as typeof import("../../pi-tools/src/hosts/pi/extension.ts");
const steps = JSON.parse(json) as Step[];
const said = steps.flatMap((calls) => (Array.isArray(calls) ? [{ calls }, { text: "done" }] : []));
writeFileSync(script, JSON.stringify(said));

const cwd = process.cwd();
const resourceLoader = new DefaultResourceLoader({
  cwd,
  agentDir,
  noExtensions: true,
  noSkills: true,
  noThemes: true,
  noPromptTemplates: true,
  noContextFiles: true,
  additionalExtensionPaths: [provider],
});
await resourceLoader.reload();
const sessionManager = file ? SessionManager.open(file) : SessionManager.inMemory();
const customTools = await defineTools();
const { session } = await createAgentSession({ cwd, agentDir, resourceLoader, sessionManager, customTools });
await session.bindExtensions({});
const model = session.modelRuntime.getModel("scripted", "scripted-1");
if (!model) throw new Error("there is no scripted model");
await session.setModel(model);

/** Id and text of each result, in the order of the entries. */
function answers(): { id: string; text: unknown }[] {
  return sessionManager.getEntries().flatMap((entry) => {
    if (entry.type !== "message" || entry.message.role !== "toolResult") return [];
    const [block] = entry.message.content;
    return [{ id: entry.id, text: block?.type === "text" ? block.text : block }];
  });
}

for (const step of steps) {
  if (Array.isArray(step)) {
    const before = answers().length;
    await session.prompt("go");
    for (const { text } of answers().slice(before)) console.log(JSON.stringify(text));
  } else {
    await session.navigateTree(answers()[step]?.id ?? "");
  }
}
const custom = sessionManager.getEntries().filter((entry) => entry.type === "custom");
console.log(JSON.stringify(custom.map(({ customType, data }) => [customType, data])));
session.dispose();

if (!file) {
  // A program that goes on has no use for the tools' process.
  customTools[Symbol.dispose]();
  const end = Date.now() + 10_000;
  while (readFileSync(`/proc/self/task/${process.pid}/children`, "utf8").trim() !== "") {
    if (Date.now() > end) throw new Error("the tools' process goes on");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
