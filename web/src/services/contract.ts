import { api } from './client';

/** The part of OpenAPI 3.0 that the contract uses. */
export interface Schema {
  $ref?: string;
  type?: string;
  format?: string;
  description?: string;
  nullable?: boolean;
  enum?: readonly string[];
  default?: unknown;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: boolean;
  exclusiveMaximum?: boolean;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  minProperties?: number;
  maxProperties?: number;
  pattern?: string;
  /** The pattern's rule in words that complete "<field> …". */
  'x-message'?: string;
  required?: readonly string[];
  properties?: Readonly<Record<string, Schema>>;
  items?: Schema;
  additionalProperties?: boolean | Schema;
  oneOf?: readonly Schema[];
  anyOf?: readonly Schema[];
  allOf?: readonly Schema[];
  discriminator?: { propertyName: string; mapping?: Readonly<Record<string, string>> };
}

export interface Reference {
  $ref: string;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  description?: string;
  example?: unknown;
  schema: Schema;
}

export interface Header {
  description?: string;
  schema: Schema;
}

export interface Media {
  schema: Schema;
  example?: unknown;
}

export interface Response {
  description: string;
  headers?: Readonly<Record<string, Header | Reference>>;
  content?: Readonly<Record<string, Media>>;
}

export interface Operation {
  operationId: string;
  tags: readonly string[];
  summary: string;
  description?: string;
  parameters?: readonly (Parameter | Reference)[];
  requestBody?: { required?: boolean; content: Readonly<Record<string, Media>> };
  responses: Readonly<Record<string, Response | Reference>>;
  security?: readonly unknown[];
  'x-scope'?: string;
  'x-max-body-bytes'?: number;
}

export type Method = 'get' | 'put' | 'post' | 'delete' | 'patch';

export interface Contract {
  info: { title: string; version: string; description: string };
  tags: readonly { name: string; description: string }[];
  paths: Readonly<Record<string, Readonly<Partial<Record<Method, Operation>>> & { parameters?: readonly (Parameter | Reference)[] }>>;
  components: {
    schemas: Readonly<Record<string, Schema>>;
    securitySchemes: Readonly<Record<string, { description: string }>>;
  };
}

/** openapi.yaml as this server has it. */
export async function readContract(signal?: AbortSignal): Promise<Contract> {
  const { data } = await api.GET('/openapi.json', { signal });
  return data as unknown as Contract;
}
