// What breaking.mjs calls a break, by a small document and changes of it.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const make = () => ({
    paths: {
        '/v1/things': {
            post: {
                operationId: 'createThing',
                'x-scope': 'jobs:write',
                parameters: [{ name: 'dry', in: 'query', schema: { type: 'boolean' } }],
                requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/NewThing' } } } },
                responses: { 201: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } } } },
            },
        },
    },
    components: {
        schemas: {
            NewThing: {
                type: 'object',
                required: ['name', 'form'],
                properties: { name: { type: 'string' }, kind: { type: 'string', enum: ['a', 'b'] }, form: { oneOf: [{ $ref: '#/components/schemas/Round' }] } },
            },
            Round: { type: 'object', required: ['radius'], properties: { radius: { type: 'number' } } },
            Square: { type: 'object', required: ['side'], properties: { side: { type: 'number' } } },
            Thing: { type: 'object', required: ['id'], properties: { id: { type: 'string' }, parts: { type: 'array', items: { $ref: '#/components/schemas/Thing' } } } },
        },
    },
});

const operation = (document) => document.paths['/v1/things'].post;
const { NewThing, Thing } = { NewThing: (d) => d.components.schemas.NewThing, Thing: (d) => d.components.schemas.Thing };
const cases = [
    ['nothing', 0, () => {}],
    ['a new member of an answer', 0, (d) => (Thing(d).properties.size = { type: 'integer' })],
    ['a new member that may be sent', 0, (d) => (NewThing(d).properties.size = { type: 'integer' })],
    ['a new value that may be sent', 0, (d) => NewThing(d).properties.kind.enum.push('c')],
    ['a new variant of a member that must be sent', 0, (d) => NewThing(d).properties.form.oneOf.push({ $ref: '#/components/schemas/Square' })],
    ['a variant that may not be sent any more', 1, (d) => (NewThing(d).properties.form.oneOf = [{ $ref: '#/components/schemas/Square' }])],
    ['a new operation', 0, (d) => (d.paths['/v1/others'] = { get: { operationId: 'listOthers', responses: { 200: {} } } })],
    ['an operation that goes', 1, (d) => delete d.paths['/v1/things']],
    ['an operation that moves', 1, (d) => ((d.paths['/v1/items'] = d.paths['/v1/things']), delete d.paths['/v1/things'])],
    ['another scope', 1, (d) => (operation(d)['x-scope'] = 'sys:admin')],
    ['a parameter that goes', 1, (d) => (operation(d).parameters = [])],
    ['a parameter that is required', 1, (d) => operation(d).parameters.push({ name: 'why', in: 'query', required: true, schema: { type: 'string' } })],
    ['a member of an answer that goes', 1, (d) => delete Thing(d).properties.id],
    ['a member of an answer that may be null', 1, (d) => (Thing(d).properties.id.nullable = true)],
    ['a member of an answer that may be missing', 1, (d) => (Thing(d).required = [])],
    ['a member of an answer of another type', 1, (d) => (Thing(d).properties.id.type = 'integer')],
    ['a member that may not be sent any more', 1, (d) => delete NewThing(d).properties.kind],
    ['a member that must be sent', 1, (d) => NewThing(d).required.push('kind')],
    ['a new member that must be sent', 1, (d) => ((NewThing(d).properties.size = { type: 'integer' }), NewThing(d).required.push('size'))],
    ['a value that may not be sent any more', 1, (d) => NewThing(d).properties.kind.enum.pop()],
    ['an answer that goes', 1, (d) => (operation(d).responses = { 202: operation(d).responses[201] })],
];

const folder = mkdtempSync(join(tmpdir(), 'breaking-'));
const run = (...more) => spawnSync(process.execPath, ['breaking.mjs', ...more], { encoding: 'utf8' });
const [was, is, kept] = ['was.yaml', 'is.yaml', 'kept.json'].map((name) => join(folder, name));
writeFileSync(was, JSON.stringify(make()));
if (run(was, kept).status !== 0) throw new Error('Without a kept document there is nothing to compare.');
run(was, kept, '--keep');
let wrong = 0;
for (const [name, status, change] of cases) {
    const document = make();
    change(document);
    writeFileSync(is, JSON.stringify(document));
    const done = run(is, kept);
    if (done.status === status) continue;
    wrong += 1;
    console.error(`${name}: expected ${status}, was ${done.status}\n${done.stdout}${done.stderr}`);
}
rmSync(folder, { recursive: true });
console.log(`${cases.length} changes told, ${wrong} wrongly`);
process.exit(wrong === 0 ? 0 : 1);
