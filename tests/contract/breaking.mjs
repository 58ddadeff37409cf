// Whether the contract still is what it was: a client of the kept document must be able to go on.
//
//     node breaking.mjs OPENAPI KEPT            fail on every breaking change
//     node breaking.mjs OPENAPI KEPT --keep     keep the document's shape as it is now
//
// KEPT is the document of the last release without its words: operations with parameters, bodies, answers and schemas.
// Without one, nothing was released and nothing is compared. Additions are no breaks; a member, value, operation or answer
// that goes is, and so is one more thing that callers must send.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { load } from 'js-yaml';

const [, , source, kept, flag] = process.argv;

// What decides whether a client breaks; names of members, operations and so on stand below these.
const NAMED = ['paths', 'properties', 'responses', 'schemas', 'parameters', 'content'];
const SAID = ['components', 'get', 'put', 'post', 'patch', 'delete', 'operationId', 'x-scope', 'requestBody', 'schema', 'type', 'enum',
    'nullable', 'required', 'items', 'oneOf', 'anyOf', 'allOf', 'additionalProperties', '$ref', 'name', 'in', ...NAMED];

function strip(node, named = false) {
    if (Array.isArray(node)) return node.map((one) => strip(one));
    if (typeof node !== 'object' || node === null) return node;
    return Object.fromEntries(
        Object.entries(node)
            .filter(([key]) => named || SAID.includes(key))
            .map(([key, value]) => [key, strip(value, !named && NAMED.includes(key))]),
    );
}

let document;
const follow = (node) => (node?.$ref ? follow(node.$ref.split('/').slice(1).reduce((at, part) => at[part], document)) : node);

/** Path of each member -> what it may be: "string", "string?" where null, "enum a|b", "string!" where required. */
function shapeOf(node, place = '', seen = [], shape = {}, required = false) {
    const schema = follow(node);
    if (!schema || seen.includes(schema)) return shape;
    const within = [...seen, schema];
    const values = schema.enum ? ` ${[...schema.enum].sort().join('|')}` : '';
    shape[place || '.'] = `${schema.type ?? 'any'}${schema.nullable ? '?' : ''}${required ? '!' : ''}${values}`;
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
        shapeOf(property, `${place}/${name}`, within, shape, (schema.required ?? []).includes(name));
    }
    if (schema.items) shapeOf(schema.items, `${place}/[]`, within, shape);
    if (typeof schema.additionalProperties === 'object') shapeOf(schema.additionalProperties, `${place}/*`, within, shape);
    for (const list of ['oneOf', 'anyOf', 'allOf']) {
        for (const variant of schema[list] ?? []) {
            const name = variant.$ref?.split('/').pop() ?? '';
            // What must be sent is the member; a further variant of it is one more choice.
            if (list === 'allOf') shapeOf(variant, place, within, shape, required);
            else shapeOf(variant, `${place}<${name}>`, within, shape);
        }
    }
    return shape;
}

function operationsOf(whole) {
    document = whole;
    const operations = {};
    for (const [path, item] of Object.entries(document.paths)) {
        for (const method of ['get', 'put', 'post', 'patch', 'delete'].filter((name) => item[name])) {
            const operation = item[method];
            const parameters = {};
            for (const { name, in: where, required, schema } of [...(item.parameters ?? []), ...(operation.parameters ?? [])].map(follow)) {
                parameters[`${where} ${name}`] = shapeOf(schema, '', [], {}, required)['.'];
            }
            const answers = {};
            for (const [status, response] of Object.entries(operation.responses)) {
                for (const [type, { schema }] of Object.entries(follow(response).content ?? { none: {} })) {
                    // Problems have one shape, which the first operation's tells.
                    if (type === 'application/problem+json') continue;
                    answers[`${status} ${type}`] = schema ? shapeOf(schema) : {};
                }
            }
            const bodies = Object.entries(follow(operation.requestBody)?.content ?? {});
            operations[operation.operationId] = {
                at: `${method} ${path}`,
                scope: operation['x-scope'] ?? '',
                parameters,
                body: Object.fromEntries(bodies.map(([type, { schema }]) => [type, shapeOf(schema)])),
                answers,
            };
        }
    }
    return operations;
}

const stripped = strip(load(readFileSync(source, 'utf8')));
if (flag === '--keep') {
    const lines = (part) => Object.entries(part).map(([name, one]) => `${JSON.stringify(name)}: ${JSON.stringify(one)}`).join(',\n');
    const components = Object.entries(stripped.components).map(([name, part]) => `"${name}": {\n${lines(part)}\n}`).join(',\n');
    writeFileSync(kept, `{"paths": {\n${lines(stripped.paths)}\n},\n"components": {\n${components}\n}}\n`);
    process.exit(0);
}

if (!existsSync(kept)) {
    console.log('No document was kept: there is no release yet.');
    process.exit(0);
}

const breaks = [];
const told = (place, what) => breaks.push(`${place}: ${what}`);
const parts = (text) => {
    const [, type, nullable, required, values] = /^([^?! ]*)(\??)(!?)(?: (.*))?$/.exec(text);
    return { type, nullable: nullable !== '', required: required !== '', values: values?.split('|') };
};

/** What callers read: nothing goes, nothing becomes null, no new value of an enum that clients know by heart. */
function compareAnswer(place, before, after) {
    for (const [member, text] of Object.entries(before)) {
        if (!(member in after)) {
            told(place, `${member} is gone`);
            continue;
        }
        const [was, is] = [parts(text), parts(after[member])];
        if (was.type !== is.type) told(place, `${member} is ${is.type}, was ${was.type}`);
        if (!was.nullable && is.nullable) told(place, `${member} may be null now`);
        if (was.required && !is.required) told(place, `${member} may be missing now`);
    }
}

/** What callers send: all of it is taken still, and nothing more is wanted. */
function compareSent(place, before, after) {
    for (const [member, text] of Object.entries(before)) {
        if (!(member in after)) {
            told(place, `${member} is not taken any more`);
            continue;
        }
        const [was, is] = [parts(text), parts(after[member])];
        if (was.type !== is.type) told(place, `${member} must be ${is.type}, was ${was.type}`);
        if (was.nullable && !is.nullable) told(place, `${member} may not be null any more`);
        for (const value of was.values ?? []) {
            if (is.values && !is.values.includes(value)) told(place, `${member} may not be ${value} any more`);
        }
        if (!was.values && is.values) told(place, `${member} takes only some values now`);
        if (!was.required && is.required) told(place, `${member} is required now`);
    }
    for (const [member, text] of Object.entries(after)) {
        // What stands in something new is wanted only of those who send that.
        const known = !member.includes('/') || (member.replace(/\/[^/]*$/, '') || '.') in before;
        if (!(member in before) && parts(text).required && known) told(place, `${member} is required now`);
    }
}

const before = operationsOf(JSON.parse(readFileSync(kept, 'utf8')));
const now = operationsOf(stripped);
for (const [id, was] of Object.entries(before)) {
    const is = now[id];
    if (!is) {
        told(id, 'is gone');
        continue;
    }
    if (is.at !== was.at) told(id, `is ${is.at}, was ${was.at}`);
    if (is.scope !== was.scope) told(id, `needs the scope ${is.scope || '(none)'}, was ${was.scope || '(none)'}`);
    compareSent(`${id} parameters`, was.parameters, is.parameters);
    for (const type of Object.keys(was.body)) {
        if (type in is.body) compareSent(`${id} body`, was.body[type], is.body[type]);
        else told(id, `takes no ${type} any more`);
    }
    for (const answer of Object.keys(was.answers)) {
        if (answer in is.answers) compareAnswer(`${id} ${answer}`, was.answers[answer], is.answers[answer]);
        else told(id, `does not answer ${answer} any more`);
    }
}

for (const line of breaks) console.error(line);
console.log(`${Object.keys(before).length} operations compared, ${breaks.length} breaking changes`);
process.exit(breaks.length === 0 ? 0 : 1);
