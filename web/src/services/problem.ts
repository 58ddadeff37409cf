import type { components } from '../api/schema';

type Body = components['schemas']['Problem'];

/** Why a call failed: the server's problem (RFC 9457), or no response. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly title: string;
  /** 0 without a response. */
  readonly status: number;
  readonly detail: string | undefined;
  readonly requestId: string | undefined;
  /** Messages by JSON pointer into the body that was sent. */
  readonly fields: ReadonlyMap<string, string>;

  constructor(status: number, body: Partial<Body>) {
    const title = body.title ?? `The server responded with ${status}`;
    super(title);
    this.title = title;
    this.status = status;
    this.detail = body.detail;
    this.requestId = body.request_id;
    this.fields = new Map(
      (body.errors ?? []).flatMap(({ pointer, detail }) =>
        pointer === undefined ? [] : [[pointer, detail] as const],
      ),
    );
  }

  static unreachable(): Problem {
    return new Problem(0, {
      title: 'The server does not respond',
      detail: 'It may be restarting, or the connection is down.',
    });
  }

  static async from(response: Response): Promise<Problem> {
    const type = response.headers.get('Content-Type') ?? '';
    const body = type.includes('json') ? ((await response.json().catch(() => ({}))) as Partial<Body>) : {};
    return new Problem(response.status, body);
  }
}

/** Turns a caught error into a Problem; rethrows programming errors. */
export function asProblem(caught: unknown): Problem {
  if (caught instanceof Problem) return caught;
  throw caught;
}
