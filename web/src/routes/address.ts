/** Addresses live in the fragment ("#/jobs/job_1?state=failed"), so any static server can serve the
    pages and secrets of sign-in links never leave the browser. */
export interface Address {
  path: string;
  query: URLSearchParams;
}

export function parseAddress(hash: string): Address {
  const [path = '', query = ''] = hash.replace(/^#/, '').split('?', 2);
  return { path: `/${path.split('/').filter(Boolean).join('/')}`, query: new URLSearchParams(query) };
}

export function formatAddress({ path, query }: Address): string {
  const text = query.toString();
  return `#${path}${text && `?${text}`}`;
}

/** The parameters of `path` where it has the form of `pattern` ("/jobs/:id"), else null. */
export function matchPath(pattern: string, path: string): Record<string, string> | null {
  const wanted = pattern.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return null;
  const parameters: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const value = given[index]!;
    if (part.startsWith(':')) parameters[part.slice(1)] = decode(value);
    else if (part !== value) return null;
  }
  return parameters;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // A lone percent sign is taken literally.
  }
}
