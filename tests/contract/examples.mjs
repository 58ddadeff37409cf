// Every operation's request and success answer must have an example, and the example must satisfy
// its schema. The schemas are read as OpenAPI 3.0 means them: `nullable` beside a type.
import { readFileSync } from 'node:fs';
import Ajv from 'ajv';
import addFormats from 'ajv-formats';
import { load } from 'js-yaml';

const document = load(readFileSync(process.argv[2], 'utf8'));
const ajv = new Ajv({ strict: false, allErrors: true, formats: { int64: true } });
addFormats(ajv);
ajv.addSchema(document, 'contract');

const resolve = (node) =>
    node?.$ref ? node.$ref.slice(2).split('/').reduce((at, key) => at[key], document) : node;
const escape = (key) => key.replaceAll('~', '~0').replaceAll('/', '~1');

const problems = [];
let checked = 0;

function check(pointer, content) {
    for (const [type, media] of Object.entries(content ?? {})) {
        if (media.example === undefined) {
            problems.push(`${pointer}: no example for ${type}`);
            continue;
        }
        const validate = ajv.getSchema(`contract#${pointer}/${escape(type)}/schema`);
        if (!validate(media.example)) {
            problems.push(`${pointer} ${type}: ${ajv.errorsText(validate.errors)}`);
        }
        checked += 1;
    }
}

const methods = ['get', 'put', 'post', 'delete', 'patch'];
for (const [path, item] of Object.entries(document.paths)) {
    for (const method of methods.filter((name) => item[name])) {
        const operation = item[method];
        const pointer = `/paths/${escape(path)}/${method}`;
        if (operation.requestBody) check(`${pointer}/requestBody/content`, operation.requestBody.content);
        for (const [status, response] of Object.entries(operation.responses)) {
            if (!response.$ref) check(`${pointer}/responses/${status}/content`, response.content);
        }
        for (const parameter of [...(item.parameters ?? []), ...(operation.parameters ?? [])].map(resolve)) {
            if (parameter.in === 'path' && parameter.example === undefined) {
                problems.push(`${pointer}: no example for the path parameter ${parameter.name}`);
            }
        }
    }
}
for (const name of Object.keys(document.components.responses)) {
    check(`/components/responses/${name}/content`, document.components.responses[name].content);
}

for (const problem of problems) console.error(problem);
console.log(`${checked} examples checked, ${problems.length} problems`);
process.exit(problems.length === 0 ? 0 : 1);
