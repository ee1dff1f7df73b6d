// What a client in TypeScript does with the bundles `lab` and `outside`, whatever SDK it is written with. Each step gives
// a line of JSON: `{"step", "result"}` or `{"step", "thrown"}`. What it should be is for the test to say.
//
// The argument of the program is JSON: `lab` and `outside`, each `{"command", "args"}` or `{"url", "token"}`; `era`, as
// the SDK calls it; `folder`, an empty one.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const { lab, outside, era, folder } = JSON.parse(process.argv[2]);

async function step(name, action) {
  let saw;
  try {
    saw = { result: await action() };
  } catch (error) {
    saw = { thrown: { code: error.code, message: `${error.name}: ${error.message}` } };
  }
  console.log(JSON.stringify({ step: name, ...saw }));
}

async function until(condition) {
  for (const end = Date.now() + 10_000; Date.now() < end; await sleep(10)) if (condition()) return true;
  return false;
}

function runs(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** A call that lasts until something ends it: by then its process, whose id it leaves in the file, should be gone. */
async function ended(name, call) {
  const file = join(folder, name);
  const calling = call({ command: `echo $$ > ${file}.new; mv ${file}.new ${file}; exec sleep 100` }, () => until(() => existsSync(file)));
  const outcome = await calling.then(
    (result) => ({ result }),
    (error) => ({ message: `${error.name}: ${error.message}` }),
  );
  const pid = Number(readFileSync(file, "utf8"));
  return { ...outcome, gone: await until(() => !runs(pid)) };
}

/** The process of a server is gone when its client has closed, also when a call is left. */
async function closed(client, leave) {
  const { _meta } = await client.call("whoami", {});
  const { pid } = _meta["io.github.pi-tools/details"];
  const left = leave?.().catch(() => {});
  if (left) await sleep(200);
  const start = performance.now();
  await client.close();
  await left;
  return { milliseconds: performance.now() - start, gone: await until(() => !runs(pid)) };
}

/**
 * `connect({server, era, answer})` gives `{revision, tools, call, close}`. `answer` takes what the user is asked; a client
 * without it cannot ask.
 */
export async function run(connect) {
  const client = await connect({ server: lab, era });
  await step("revision", () => client.revision());
  await step("list", () => client.tools());
  await step("call", () => client.call("greeting", { name: "Ada" }));
  await step("structured", () => client.call("chart", {}));
  await step("refused", () => client.call("greeting", { nane: "Ada" }));
  await step("unknown", () => client.call("greetign", {}));
  await step("error", () => client.call("soft_failure", {}));
  await step("panic", () => client.call("panics", { secret: "hunter2" }));
  await step("progress", async () => {
    const told = [];
    const onprogress = ({ progress, message }) => told.push({ progress, message });
    const result = await client.call("shell", { command: "for n in 1 2 3; do echo $n; sleep 0.2; done" }, { onprogress });
    return { told, result };
  });
  await step("cancel", () =>
    ended("cancel", async (command, started) => {
      const controller = new AbortController();
      const call = client.call("shell", command, { signal: controller.signal });
      started().then(() => controller.abort(new Error("no longer needed")));
      return call;
    }),
  );
  await step("timeout", () => ended("timeout", (command) => client.call("shell", command, { timeout: 1500 })));
  // Each waits for all, so they end only if they run at the same time.
  await step("parallel", () => {
    const meet = (name) => `touch ${folder}/meet-${name}; until [ $(ls ${folder} | grep -c meet-) = 4 ]; do sleep 0.02; done; echo ${name}`;
    return Promise.all(["a", "b", "c", "d"].map((name) => client.call("shell", { command: meet(name) }, { timeout: 10_000 })));
  });

  let answer;
  const asking = await connect({ server: outside, era, answer: (question) => answer(question) });
  const asked = async (tool, args, action, content) => {
    const questions = [];
    answer = ({ message, requestedSchema }) => {
      questions.push({ message, requestedSchema });
      const [field] = Object.keys(requestedSchema.properties);
      return action === "accept" ? { action, content: { [field]: content } } : { action };
    };
    return { questions, result: await asking.call(tool, args) };
  };
  await step("confirm", () => asked("ask", { kind: "confirm" }, "accept", true));
  await step("select", () => asked("ask", { kind: "select" }, "accept", "green"));
  await step("input", () => asked("ask", { kind: "input" }, "decline"));
  await step("editor", () => asked("ask", { kind: "editor" }, "cancel"));
  await step("allowed", () => asked("remove", { path: "a" }, "accept", true));
  await step("forbidden", () => asked("remove", { path: "a" }, "decline"));
  await asking.close();

  const other = await connect({ server: outside, era });
  await step("cannot ask", () => other.call("ask", { kind: "confirm" }));
  await step("not allowed", () => other.call("remove", { path: "a" }));
  await other.close();

  if (lab.command) {
    await step("close", () => closed(client));
    const busy = await connect({ server: lab, era });
    await step("close while a call runs", () => closed(busy, () => busy.call("stubborn", {})));
  } else {
    await client.close();
    await step("no token", () => connect({ server: { ...lab, token: "wrong" }, era }));
    // The connections that `fetch` keeps would keep the process.
    process.exit();
  }
}
