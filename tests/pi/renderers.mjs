// What an extension registers to draw with, called as Pi calls it: node renderers.mjs EXTENSION <cases.json
//
// A case is `{"tool", "args"}` for a call, with a `result` for a result, or `{"entry", "data"}`. It gets the lines that are
// drawn, painted by a theme that writes its styles out; none where nothing is registered.

import { readFileSync } from "node:fs";
import { createAgentSession, DefaultResourceLoader, SessionManager } from "@earendil-works/pi-coding-agent";

const cwd = process.cwd();
const agentDir = process.env.PI_CODING_AGENT_DIR;
const resourceLoader = new DefaultResourceLoader({ cwd, agentDir, noThemes: true, additionalExtensionPaths: [process.argv[2]] });
await resourceLoader.reload();
const { session } = await createAgentSession({ cwd, agentDir, resourceLoader, sessionManager: SessionManager.inMemory() });
await session.bindExtensions({});

const names = (style) => Object.entries(style).map(([key, value]) => (value === true ? key : value));
const themes = {
  named: { style: (text, style) => `<${names(style).join(" ")}>${text}</>` },
  plain: { style: (text) => text },
  poor: {
    style: () => {
      throw new Error("Unknown theme color");
    },
  },
};

function draw({ tool, args, result, isError = false, isPartial = false, entry, data, expanded = false, theme = "named", width = 200 }) {
  const keyHint = (key, text) => `[${key} ${text}]`;
  const painter = themes[theme];
  const { renderCall, renderResult } = (tool && session.getToolDefinition(tool)) ?? {};
  const context = { args, isError, isPartial, expanded, keyHint, state: {} };
  let component;
  if (entry) component = session.extensionRunner.getEntryRenderer(entry)?.({ data }, { expanded, keyHint }, painter);
  else if (result === undefined) component = renderCall?.(args, painter, context);
  else component = renderResult?.(result, { expanded, isPartial }, painter, context);
  return component ? component.render(width).map((line) => line.trimEnd()) : null;
}

const cases = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(`${JSON.stringify(cases.map(draw))}\n`);
session.dispose();
