// A Pi extension with a tool that tells what Pi knows of all tools, and a command that reloads the extensions.

import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

export default function (pi: ExtensionAPI): void {
  pi.registerTool({
    name: "inspect",
    label: "Inspect",
    description: "Tell what is registered, active, and callable from other tools.",
    parameters: { type: "object", properties: {} },
    execute: async (_callId, _params, _signal, _onUpdate, ctx) => {
      const callable = ctx.tools.map(({ name, label, executionMode }) => ({ name, label, executionMode }));
      const known = { registered: pi.getAllTools(), active: pi.getActiveTools(), callable };
      // Some have functions, which a session cannot keep.
      return { content: [{ type: "text", text: "inspected" }], details: JSON.parse(JSON.stringify(known)) };
    },
  });

  pi.registerCommand("reload-all", {
    description: "Reload the extensions, as /reload does",
    handler: async (_arguments, ctx) => {
      await ctx.reload();
    },
  });
}
