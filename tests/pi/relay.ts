// A Pi extension with a tool that calls another without arguments, as scripts do, and tells what it gets from it.

import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

export default function (pi: ExtensionAPI): void {
  pi.registerTool({
    name: "relay",
    label: "Relay",
    description: "Call another tool.",
    parameters: { type: "object", properties: { tool: { type: "string" } }, required: ["tool"] },
    execute: async (_callId, params, _signal, _onUpdate, ctx) => {
      const { tool } = params as { tool: string };
      const outputSchema = ctx.tools.find(({ name }) => name === tool)?.outputSchema;
      const outcome = await ctx.executeTool(tool, {});
      return { content: [{ type: "text", text: "relayed" }], details: { outputSchema, outcome } };
    },
  });
}
