// The shape rules at the head of openapi.yaml, which keep generated clients compiling and reading.
import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';

const document = load(readFileSync(process.argv[2], 'utf8'));
const { schemas } = document.components;
const problems = [];
const refuse = (place, rule) => problems.push(`${place}: ${rule}`);

function visit(node, place) {
    if (node === null || typeof node !== 'object') return;
    if (typeof node.description === 'string' && node.description.includes('*/')) {
        refuse(place, 'its description ends the comments that generators put it into');
    }
    for (const [key, value] of Object.entries(node)) visit(value, `${place}/${key}`);
}
visit(document, '');

function visitSchema(schema, place, top) {
    if (schema.$ref) return;
    if (schema.allOf) refuse(place, 'allOf cannot add null, and generators disagree on it: write a component');
    if (!top && schema.properties) refuse(place, 'an object needs a name: write a component');
    for (const [name, property] of Object.entries(schema.properties ?? {})) visitSchema(property, `${place}.${name}`, false);
    if (schema.items) visitSchema(schema.items, `${place}[]`, false);
    if (typeof schema.additionalProperties === 'object') visitSchema(schema.additionalProperties, `${place}.*`, false);
    if (!schema.oneOf) return;
    const { propertyName, mapping } = schema.discriminator ?? {};
    for (const [value, reference] of Object.entries(mapping ?? {})) {
        const variant = schemas[reference.split('/').at(-1)];
        const values = variant.properties[propertyName].enum;
        if (values?.length !== 1 || values[0] !== value || !variant.required.includes(propertyName)) {
            refuse(place, `variant ${value} must require ${propertyName} to be an enum of that one value`);
        }
    }
    if (Object.keys(mapping ?? {}).length !== schema.oneOf.length) refuse(place, 'every variant needs its mapping');
}

// Every property says what it means.
for (const [name, schema] of Object.entries(schemas)) {
    for (const [property, { $ref, description }] of Object.entries(schema.properties ?? {})) {
        // A reference has none of its own: it says what its component says.
        if (property.endsWith('_ok') && property.slice(0, -3) in schema.properties) refuse(`${name}.${property}`, `is what Go calls the second reader of ${property.slice(0, -3)}`);
        if (!($ref === undefined ? description : schemas[$ref.split('/').at(-1)].description)) refuse(`${name}.${property}`, 'needs a description: meaning, unit, range, null');
    }
}
for (const [name, schema] of Object.entries(schemas)) {
    visitSchema(schema, name, true);
    // Go calls a constructor NewThing and an optional value NullableThing.
    for (const prefix of ['New', 'Nullable']) {
        if (name.startsWith(prefix) && schemas[name.slice(prefix.length)]) refuse(name, `is what generators make of ${name.slice(prefix.length)}`);
    }
}

// Go's constants have no prefix, so components that are enums share no value.
const owners = new Map();
for (const [name, { enum: values }] of Object.entries(schemas)) {
    for (const value of values ?? []) {
        if (owners.has(value)) refuse(name, `shares the value ${value} with ${owners.get(value)}: write one of them in its place of use`);
        owners.set(value, name);
    }
}

for (const [path, item] of Object.entries(document.paths)) {
    for (const method of ['get', 'put', 'post', 'delete', 'patch'].filter((name) => item[name])) {
        const operation = item[method];
        for (const [status, response] of Object.entries(operation.responses)) {
            const types = Object.keys(response.content ?? {}).filter((type) => type !== 'text/event-stream');
            if (status.startsWith('2') && types.length > 1) refuse(operation.operationId, `${status} has several media types: a file is an operation of its own`);
        }
        for (const { in: where, name, schema } of operation.parameters ?? []) {
            if (where === 'query' && !['string', 'integer', 'boolean'].includes(schema.type)) refuse(`${operation.operationId}?${name}`, 'must be a plain value');
        }
        for (const reference of [...(item.parameters ?? []), ...(operation.parameters ?? [])]) {
            const { name, required, schema } = reference.$ref ? document.components.parameters[reference.$ref.split('/').at(-1)] : reference;
            if (required && schema.format === 'date-time' && ('maxLength' in schema || 'minLength' in schema)) {
                refuse(`${operation.operationId}?${name}`, 'is a time, whose length Go cannot measure: leave its length open');
            }
        }
    }
}

for (const problem of problems) console.error(problem);
console.log(`${Object.keys(schemas).length} schemas checked, ${problems.length} problems`);
process.exit(problems.length === 0 ? 0 : 1);
