import type { Call } from './model';

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** The call as a line for a shell, with the contract's example values; the token comes from $PLIMSOLL_TOKEN. */
export function curlOf({ method, path, open, parameters, body }: Call, origin: string): string {
  const value = (name: string) => String(parameters.find((parameter) => parameter.name === name)?.example ?? name.toUpperCase());
  const address = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(value(name)));
  const required = parameters.filter((parameter) => parameter.required);
  const query = required.filter((parameter) => parameter.in === 'query').map(({ name }) => `${name}=${encodeURIComponent(value(name))}`);
  const headers = required.filter((parameter) => parameter.in === 'header').map(({ name }) => `${name}: ${value(name)}`);
  const content = body.find(({ type }) => type === 'application/json') ?? body[0];
  if (content) headers.push(`Content-Type: ${content.type}`);
  const parts = [`curl -sS${usual(method, content !== undefined) ? '' : ` -X ${method.toUpperCase()}`} ${quoted(origin + address + (query.length ? `?${query.join('&')}` : ''))}`];
  if (!open) parts.push('-H "Authorization: Bearer $PLIMSOLL_TOKEN"');
  parts.push(...headers.map((header) => `-H ${quoted(header)}`));
  if (content) parts.push(content.type === 'application/json' ? `-d ${quoted(JSON.stringify(content.example, null, 2))}` : '--data-binary @FILE');
  return parts.join(' \\\n  ');
}

/** Whether curl uses this method by default. */
const usual = (method: Call['method'], hasBody: boolean) => method === (hasBody ? 'post' : 'get');
