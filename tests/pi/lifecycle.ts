// A Pi extension that does what a user does with sessions, and a tool that looks at a result too long to be told.

import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

export default function (pi: ExtensionAPI): void {
  pi.registerCommand("load-again", {
    description: "What /reload does",
    handler: async (_arguments, ctx) => {
      await ctx.reload();
    },
  });
  pi.registerTool({
    name: "weigh",
    label: "Weigh",
    description: "Call another tool, and say how long the text of its result is.",
    parameters: { type: "object", properties: { tool: { type: "string" }, arguments: { type: "object" } }, required: ["tool"] },
    execute: async (_callId, params, _signal, _onUpdate, ctx) => {
      const { tool, arguments: args } = params as { tool: string; arguments: object };
      const { result } = await ctx.executeTool(tool, args);
      const [block] = result.content;
      return { content: [{ type: "text", text: block?.type === "text" ? `${block.text.length}` : "no text" }], details: undefined };
    },
  });
}
