// A program that embeds Pi: one session with one extension, one call, and then nothing more. It must end by itself,
// though disposing of a session tells extensions nothing, and their tools process still waits for calls.
//
// node embedded.mjs PROVIDER EXTENSION CALL

import { writeFileSync } from "node:fs";
import { createAgentSession, DefaultResourceLoader, SessionManager } from "@earendil-works/pi-coding-agent";

const [provider, extension, call] = process.argv.slice(2);
writeFileSync(process.env.PI_SCRIPT, JSON.stringify([{ calls: [JSON.parse(call)] }]));

const cwd = process.cwd();
const agentDir = process.env.PI_CODING_AGENT_DIR;
const resourceLoader = new DefaultResourceLoader({
  cwd,
  agentDir,
  noSkills: true,
  noThemes: true,
  noPromptTemplates: true,
  noContextFiles: true,
  additionalExtensionPaths: [provider, extension],
});
await resourceLoader.reload();
const { session } = await createAgentSession({ cwd, agentDir, resourceLoader, sessionManager: SessionManager.inMemory() });
await session.bindExtensions({});
await session.setModel(session.modelRuntime.getModel("scripted", "scripted-1"));
await session.prompt("go");
const results = session.messages.filter((message) => message.role === "toolResult");
console.log(results.map((message) => message.content[0].text).join("\n"));
session.dispose();
