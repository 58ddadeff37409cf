// Writes src/api/options.json: of each kind's arguments those that have a control in its form (x-label in openapi.yaml).
import { readFileSync, writeFileSync } from 'node:fs';
import { load } from 'js-yaml';

const { schemas } = load(readFileSync('../openapi.yaml', 'utf8')).components;
const resolved = (schema) => (schema.$ref ? schemas[schema.$ref.split('/').pop()] : schema);

function* options(schema, pointer = '') {
  if (schema['x-label']) {
    yield {
      pointer,
      label: schema['x-label'],
      // Of a box, or of a text with a form of its own.
      hint: ['boolean', 'array'].includes(schema.type) ? schema['x-help'] : undefined,
      isToggle: schema.type === 'boolean',
      usual: schema.default === undefined ? '' : String(schema.default),
      words: schema.enum?.map((word, at) => [word, schema['x-labels']?.[at] ?? word]),
    };
  }
  for (const [name, member] of Object.entries(schema.properties ?? {})) yield* options(resolved(member), `${pointer}/${name}`);
}

const kinds = Object.entries(schemas).filter(([name]) => name.endsWith('Args')).map(([name, schema]) => [name, [...options(schema)]]);
writeFileSync('src/api/options.json', JSON.stringify(Object.fromEntries(kinds.filter(([, list]) => list.length > 0))));
