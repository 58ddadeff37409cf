import createClient from 'openapi-fetch';
import type { paths } from '../api/schema';
import { Problem } from './problem';

/** The session's data for calls: the CSRF token, and a callback for the session's end. */
export const credentials = {
  csrfToken: null as string | null,
  /** The secret of the link whose report is shown. */
  reportLink: null as string | null,
  onExpired: () => {},
};

const reads = new Set(['GET', 'HEAD']);

/** Answers that public/early.js asked for while this code was on its way, by address. */
const early = (globalThis as { plimsollEarly?: Map<string, Promise<Response>> }).plimsollEarly;
const earlyFor = 10_000; // milliseconds since the start of the page: then they are old

/** The early answer to this request, at most once. */
function takeEarly({ method, url }: Request): Promise<Response> | undefined {
  const answer = method === 'GET' && performance.now() < earlyFor ? early?.get(url) : undefined;
  early?.delete(url);
  return answer;
}

/** One call with the session's cookie. Throws a Problem unless the response is a success. */
export async function send(request: Request): Promise<Response> {
  // Whether this call, when it was sent, had a session that its answer can end: a 401 to signing in
  // ends none, nor does one that comes after somebody has signed in meanwhile.
  const { csrfToken } = credentials;
  if (credentials.reportLink !== null && new URL(request.url).pathname.startsWith('/v1/linked-report')) {
    request.headers.set('X-Report-Link', credentials.reportLink);
  }
  if (!reads.has(request.method) && csrfToken !== null) request.headers.set('X-CSRF-Token', csrfToken);
  let response: Response;
  try {
    response = await (takeEarly(request) ?? fetch(request));
  } catch (failure) {
    if (request.signal.aborted) throw failure;
    throw Problem.unreachable();
  }
  if (response.ok || response.status === 304) return response;
  if (response.status === 401 && csrfToken !== null && csrfToken === credentials.csrfToken) credentials.onExpired();
  throw await Problem.from(response);
}

/** Changes only what has this version: refused with 412 if somebody else was faster. */
export const ifMatch = (version: string) => ({ 'If-Match': `"${version}"` });

/** Only creates: refused with 412 if there is one already. */
export const ifAbsent = { 'If-None-Match': '*' } as const;

/** The typed client. Its calls either give `data` or throw a Problem. */
export const api = createClient<paths>({ baseUrl: location.origin, fetch: send });

/** What a call gave. */
export const dataOf = async <T>(call: Promise<{ data?: T }>): Promise<T> => (await call).data!;
