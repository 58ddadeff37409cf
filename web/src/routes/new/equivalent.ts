import type { JobSpec } from '../../services/jobs';

/** A command or program that does what the form does, and the file that it reads where that is too long to stand in it. */
export interface Equivalent {
  commands: string;
  file?: { name: string; content: unknown };
}

/** The longest value that is readable within a command. */
const longest = 3_000; // characters

export const written = (content: unknown): string => JSON.stringify(content, null, 2);

/** About as many characters as a value has as JSON, without writing megabytes of it at every key. */
function weight(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 4;
  return Object.entries(value).reduce((sum, [name, one]) => sum + name.length + weight(one), 0);
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** A call as curl makes it, with the settings that the samples of the documentation use. */
export function asCurl(path: string, body: unknown): Equivalent {
  const head = [
    `curl -sS --fail-with-body "$PLIMSOLL_SERVER${path}" \\`,
    '  -H "Authorization: Bearer $PLIMSOLL_TOKEN" \\',
    "  -H 'Content-Type: application/json' \\",
  ];
  if (weight(body) > longest) return { commands: [...head, '  --data-binary @body.json'].join('\n'), file: { name: 'body.json', content: body } };
  return { commands: [...head, "  --data-binary @- <<'END'", written(body), 'END'].join('\n') };
}

/** A job as `plimsoll submit` takes it. */
export function asCommand(spec: JobSpec): Equivalent {
  const flags = [
    spec.name && `--name ${quoted(spec.name)}`,
    ...Object.entries(spec.labels ?? {}).map(([name, value]) => `--label ${quoted(`${name}=${value}`)}`),
    spec.priority && `--priority ${spec.priority}`,
    spec.run_at && `--run-at ${spec.run_at}`,
    spec.deadline && `--deadline ${spec.deadline}`,
    spec.timeout_seconds && `--timeout ${spec.timeout_seconds}`,
    spec.unique && `--unique ${quoted(spec.unique.key)}`,
    '--watch',
  ].filter(Boolean);
  const submit = [`plimsoll submit ${spec.kind} args.json`, ...flags].join(' \\\n  ');
  if (weight(spec.args) > longest) return { commands: submit, file: { name: 'args.json', content: spec.args } };
  return { commands: ["cat > args.json <<'END'", written(spec.args), 'END', submit].join('\n') };
}

/** A value as Python writes it, indented like the JSON above. */
function literal(value: unknown, margin: string): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value !== 'object') return JSON.stringify(value);
  const inner = `${margin}    `;
  const [parts, [open, close]] = Array.isArray(value)
    ? [value.map((one) => literal(one, inner)), '[]']
    : [Object.entries(value).filter(([, one]) => one !== undefined).map(([name, one]) => `${JSON.stringify(name)}: ${literal(one, inner)}`), '{}'];
  return parts.length === 0 ? `${open}${close}` : `${open}\n${parts.map((part) => `${inner}${part},\n`).join('')}${margin}${close}`;
}

/** A job as a program with the package plimsoll (deploy/clients/python) submits it and waits for it. */
export function asPython({ kind, args, ...settings }: JobSpec): Equivalent {
  const long = weight(args) > longest;
  const margin = ' '.repeat(8);
  const parameters = [
    JSON.stringify(kind),
    long ? 'json.load(open("args.json"))' : literal(args, margin),
    ...Object.entries(settings).filter(([, value]) => value !== undefined).map(([name, value]) => `${name}=${literal(value, margin)}`),
  ];
  const commands = [
    ...(long ? ['import json'] : []),
    'import plimsoll',
    '',
    'with plimsoll.Client() as client:',
    '    job = client.submit(',
    ...parameters.map((one) => `${margin}${one},`),
    '    )',
    '    job = client.wait(job.id)',
    '    print(client.report(job.id))',
  ].join('\n');
  return long ? { commands, file: { name: 'args.json', content: args } } : { commands };
}
