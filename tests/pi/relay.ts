// A Pi extension with a tool that calls another, as scripts do, and tells what it gets from it.

import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

export default function (pi: ExtensionAPI): void {
  pi.registerTool({
    name: "relay",
    label: "Relay",
    description: "Call another tool.",
    parameters: { type: "object", properties: { tool: { type: "string" }, arguments: { type: "object" } }, required: ["tool"] },
    execute: async (_callId, params, _signal, _onUpdate, ctx) => {
      const { tool, arguments: given = {} } = params as { tool: string; arguments?: Record<string, unknown> };
      const outputSchema = ctx.tools.find(({ name }) => name === tool)?.outputSchema;
      const outcome = await ctx.executeTool(tool, given);
      return { content: [{ type: "text", text: "relayed" }], details: { outputSchema, outcome } };
    },
  });
}
