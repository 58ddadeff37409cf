// The real contract: the pages that show it are tested with nothing less, and the stand-in says nothing else.
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const require = createRequire(new URL('../../contract/package.json', import.meta.url));
const Ajv = require('ajv');
const { load } = require('js-yaml'); // the package yaml takes a second more, in every file of tests

export const contract = load(readFileSync(new URL('../../../openapi.yaml', import.meta.url), 'utf8'));
/** As the server sends it to browsers. */
export const packedContract = gzipSync(JSON.stringify(contract));

const ajv = new Ajv({ strict: false, formats: { int64: true }, code: { optimize: false } });
require('ajv-formats')(ajv);
ajv.addSchema(contract, 'contract');

const escape = (key) => key.replaceAll('~', '~0').replaceAll('/', '~1');
const templates = Object.keys(contract.paths).map((path) => [path, new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+').replaceAll('.', '\\.')}$`)]);
const templateOf = (path) => (path in contract.paths ? path : templates.find(([, pattern]) => pattern.test(path))?.[0]);

/** Why the contract forbids this JSON answer to a call, named "METHOD /path"; undefined where it does not. */
export function violation(name, status, body) {
  const [method, path] = name.split(' ');
  const template = templateOf(path);
  const operation = contract.paths[template]?.[method.toLowerCase()];
  if (!operation) return 'no such operation';
  const response = operation.responses[status];
  if (!response) return `no response ${status}`;
  const pointer = response.$ref?.slice(1) ?? `/paths/${escape(template)}/${method.toLowerCase()}/responses/${status}`;
  const known = response.$ref ? contract.components.responses[response.$ref.split('/').at(-1)] : response;
  if (!known.content) return body === undefined ? undefined : `a response ${status} without a body`;
  const validate = ajv.getSchema(`contract#${pointer}/content/application~1json/schema`);
  if (!validate) return `no JSON response ${status}`;
  return validate(body) ? undefined : ajv.errorsText(validate.errors);
}
