import type { Contract, Header, Media, Method, Parameter, Reference, Response, Schema } from '../../services/contract';

/** One operation with its references followed. */
export interface Call {
  id: string;
  method: Method;
  path: string;
  tag: string;
  summary: string;
  description: string | undefined;
  /** Whether it can be called without a token or session. */
  open: boolean;
  scope: string | undefined;
  maxBodyBytes: number | undefined;
  parameters: readonly Parameter[];
  body: readonly Content[];
  answers: readonly Answer[];
  /** Everything that a search looks into, in lower case. */
  words: string;
}

export interface Content extends Media {
  type: string;
}

export interface Answer {
  status: string;
  description: string;
  headers: readonly (Header & { name: string })[];
  contents: readonly Content[];
}

/** As the examples of the contract have it. */
interface Problem {
  type: string;
}

const methods: readonly Method[] = ['get', 'post', 'put', 'patch', 'delete'];
/** What the type of every problem begins with. */
export const problemPrefix = '/docs/problems/';
const schemaPrefix = '#/components/schemas/';

export class ApiReference {
  readonly calls: readonly Call[];
  readonly schemaNames: readonly string[];

  constructor(readonly contract: Contract) {
    this.calls = Object.entries(contract.paths).flatMap(([path, item]) =>
      methods.filter((method) => item[method]).map((method) => this.#call(path, method)),
    );
    this.schemaNames = Object.keys(contract.components.schemas).sort();
  }

  /** The operations of each tag, in the contract's order, that hold all of the words. */
  find(search: string): readonly { name: string; description: string; calls: readonly Call[] }[] {
    const wanted = search.toLowerCase().split(/\s+/).filter(Boolean);
    return this.contract.tags
      .map(({ name, description }) => ({
        name,
        description,
        calls: this.calls.filter((call) => call.tag === name && wanted.every((word) => call.words.includes(word))),
      }))
      .filter(({ calls }) => calls.length > 0);
  }

  /** The schemas whose names, together with those of their members, hold all of the words. */
  findSchemas(search: string): readonly string[] {
    const wanted = search.toLowerCase().split(/\s+/).filter(Boolean);
    return this.schemaNames.filter((name) => {
      const words = [name, ...Object.keys(this.contract.components.schemas[name]!.properties ?? {})].join(' ').toLowerCase();
      return wanted.every((word) => words.includes(word));
    });
  }

  /** Every problem once, by status, with its type's name. */
  failures(): readonly { status: string; name: string; description: string }[] {
    const found = new Map<string, { status: string; name: string; description: string }>();
    for (const { status, description, contents } of this.calls.flatMap(({ answers }) => answers)) {
      const problem = contents.find((content) => content.type === 'application/problem+json')?.example as Problem | undefined;
      if (problem) found.set(`${status} ${description}`, { status, name: problem.type.replace(problemPrefix, ''), description });
    }
    return [...found.values()].sort((one, other) => one.status.localeCompare(other.status));
  }

  call(id: string): Call | undefined {
    return this.calls.find((call) => call.id === id);
  }

  schema(name: string): Schema | undefined {
    return this.contract.components.schemas[name];
  }

  /** The operations whose body or responses use the schema, directly or indirectly. */
  usersOf(name: string): readonly Call[] {
    return this.calls.filter((call) =>
      [...call.body, ...call.answers.flatMap(({ contents }) => contents)].some(({ schema }) => this.#names(schema).has(name)),
    );
  }

  /** The resolved schema: the target of a reference, or itself. */
  resolve(schema: Schema): Schema {
    return schema.$ref === undefined ? schema : this.#follow<Schema>({ $ref: schema.$ref });
  }

  #names(schema: Schema, found = new Set<string>()): Set<string> {
    const name = nameOf(schema);
    if (name !== undefined) {
      if (found.has(name)) return found;
      found.add(name);
    }
    const meant = this.resolve(schema);
    const parts = [...(meant.oneOf ?? []), ...(meant.anyOf ?? []), ...(meant.allOf ?? []), ...Object.values(meant.properties ?? {})];
    if (meant.items) parts.push(meant.items);
    if (typeof meant.additionalProperties === 'object') parts.push(meant.additionalProperties);
    for (const part of parts) this.#names(part, found);
    return found;
  }

  #follow<T>(node: T | Reference): T {
    if (typeof node !== 'object' || node === null || !('$ref' in node)) return node as T;
    const steps = node.$ref.slice(2).split('/');
    return steps.reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], this.contract) as T;
  }

  #call(path: string, method: Method): Call {
    const item = this.contract.paths[path]!;
    const operation = item[method]!;
    const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map((node) => this.#follow<Parameter>(node));
    const tag = operation.tags[0]!;
    return {
      id: operation.operationId,
      method,
      path,
      tag,
      summary: operation.summary,
      description: operation.description,
      open: operation.security?.length === 0,
      scope: operation['x-scope'],
      maxBodyBytes: operation['x-max-body-bytes'],
      parameters,
      body: contentsOf(operation.requestBody?.content),
      answers: Object.entries(operation.responses).map(([status, node]) => this.#answer(status, node)),
      words: [operation.operationId, method, path, tag, operation.summary, operation.description, ...parameters.map(({ name }) => name)]
        .join(' ')
        .toLowerCase(),
    };
  }

  #answer(status: string, node: Response | Reference): Answer {
    const { description, headers, content } = this.#follow<Response>(node);
    return {
      status,
      description,
      headers: Object.entries(headers ?? {}).map(([name, header]) => ({ name, ...this.#follow<Header>(header) })),
      contents: contentsOf(content),
    };
  }
}

function contentsOf(content: Readonly<Record<string, Media>> | undefined): Content[] {
  return Object.entries(content ?? {}).map(([type, media]) => ({ type, ...media }));
}

/** The name of the schema that a reference leads to. */
export function nameOf(schema: Schema): string | undefined {
  return schema.$ref?.startsWith(schemaPrefix) ? schema.$ref.slice(schemaPrefix.length) : undefined;
}

/** What a schema allows beyond its type, as short sentences. */
export function rulesOf(schema: Schema): string[] {
  const { minimum, maximum, default: usual, enum: choices } = schema;
  const rules = [
    choices && `one of ${choices.join(', ')}`,
    range(minimum, maximum, '', schema),
    range(schema.minLength, schema.maxLength, ' characters'),
    range(schema.minItems, schema.maxItems, ' elements'),
    range(schema.minProperties, schema.maxProperties, ' members'),
    schema['x-message'] ?? (schema.pattern && `must match ${schema.pattern}`),
    usual !== undefined && `default: ${JSON.stringify(usual)}`,
    schema.properties && schema.additionalProperties === false && 'no other members',
  ];
  return rules.filter((rule) => typeof rule === 'string' && rule !== '') as string[];
}

function range(least: number | undefined, most: number | undefined, unit: string, { exclusiveMinimum = false, exclusiveMaximum = false } = {} as Schema) {
  const low = least !== undefined && `${exclusiveMinimum ? 'more than' : 'at least'} ${least.toLocaleString('en')}`;
  const high = most !== undefined && `${exclusiveMaximum ? 'less than' : 'at most'} ${most.toLocaleString('en')}`;
  if (low && high && !exclusiveMinimum && !exclusiveMaximum) {
    return least === most ? `${least}${unit}` : `${least.toLocaleString('en')} to ${most.toLocaleString('en')}${unit}`;
  }
  return low ? `${low}${unit}` : high ? `${high}${unit}` : '';
}
