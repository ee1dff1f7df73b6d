// A Pi extension with a model that says what a script tells it to.
//
// `PI_SCRIPT` names a JSON file: an array of steps, one per request, over the life of the process. A step is
// `{"calls": [{"name", "arguments"}, ...]}` or `{"text": "..."}`; after the last one the model answers "done". The file is
// read at each request, so steps can be appended while Pi runs. `PI_RECORD` names a file that gets one JSON line per
// request: what the model would have seen.

import { appendFileSync, readFileSync } from "node:fs";
import {
  type AssistantMessage,
  fauxAssistantMessage,
  fauxProvider,
  fauxToolCall,
  getCurrentSystemPrompt,
  getCurrentTools,
  type TranscriptContext,
} from "@earendil-works/pi-ai";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

interface Step {
  calls?: { name: string; arguments: Parameters<typeof fauxToolCall>[1] }[];
  text?: string;
}

/** Survives a reload, which evaluates this module again. */
const surviving = globalThis as { scriptedSteps?: number };

export default function (pi: ExtensionAPI): void {
  const faux = fauxProvider({
    provider: "scripted",
    // Large enough for any result without a compaction.
    models: [{ id: "scripted-1", contextWindow: 1_000_000_000 }],
    // One event per block.
    tokenSize: { min: 1_000_000, max: 1_000_000 },
  });
  const answer = (context: TranscriptContext): AssistantMessage => {
    faux.appendResponses([answer]);
    record(context);
    return respond(nextStep());
  };
  faux.setResponses([answer]);
  pi.registerProvider(faux.provider);

  pi.registerCommand("switch", {
    description: "Open another session in place of this one, as /resume does",
    handler: async (path, ctx) => {
      await ctx.switchSession(path.trim());
    },
  });

  pi.registerCommand("goto", {
    description: "Move to an entry of the session tree, as /tree does",
    handler: async (entryId, ctx) => {
      await ctx.navigateTree(entryId.trim());
    },
  });
}

function record({ messages }: TranscriptContext): void {
  const tools = getCurrentTools(messages).map((tool) => {
    const { name, description, parameters, constrainedSampling } = tool;
    return { name, description, parameters, constrainedSampling };
  });
  const request = { systemPrompt: getCurrentSystemPrompt(messages), tools, messages };
  appendFileSync(fileNamedBy("PI_RECORD"), `${JSON.stringify(request)}\n`);
}

function nextStep(): Step {
  const steps = JSON.parse(readFileSync(fileNamedBy("PI_SCRIPT"), "utf8")) as Step[];
  const index = surviving.scriptedSteps ?? 0;
  surviving.scriptedSteps = index + 1;
  return steps[index] ?? { text: "done" };
}

function respond({ calls, text }: Step): AssistantMessage {
  if (calls === undefined) return fauxAssistantMessage(text ?? "");
  const blocks = calls.map((call) => fauxToolCall(call.name, call.arguments));
  return fauxAssistantMessage(blocks, { stopReason: "toolUse" });
}

function fileNamedBy(variable: string): string {
  const path = process.env[variable];
  if (path === undefined) throw new Error(`${variable} is not set`);
  return path;
}
