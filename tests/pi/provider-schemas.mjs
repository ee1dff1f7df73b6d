// What the real Pi makes of schemas: node provider-schemas.mjs FOLDER_WITH_NODE_MODULES <schemas.json
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const load = (name) => {
  const file = resolve(process.argv[2], "node_modules/@earendil-works/pi-ai/dist/api", `${name}.js`);
  return import(pathToFileURL(file));
};
const { convertTools } = await load("google-shared");
const { makeStrictJsonSchema } = await load("constrained-sampling");

const declared = (schema, useParameters) => {
  const tool = { name: "tool", description: "A tool.", parameters: schema };
  return convertTools([tool], useParameters)[0].functionDeclarations[0];
};

const strict = (schema) => {
  try {
    return { strict: makeStrictJsonSchema(schema) };
  } catch (error) {
    return { strict_error: error.message };
  }
};

const schemas = JSON.parse(readFileSync(0, "utf8"));
const converted = schemas.map((schema) => ({
  google: declared(schema, false).parametersJsonSchema,
  google_legacy: declared(schema, true).parameters,
  ...strict(schema),
}));
process.stdout.write(`${JSON.stringify(converted)}\n`);
