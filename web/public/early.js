// Runs before the first paint, while the pages' own code is on its way: sets the chosen theme, so that none flashes, and
// asks for what the page of this address needs first. tools/early.ts fills in its scripts; src/services/client.ts takes
// the answers.
{
  const kept = (name) => {
    try {
      return localStorage.getItem(`plimsoll.${name}`);
    } catch {
      return null; // storage may be forbidden
    }
  };

  // The key and values are those of src/design/tokens/theme.svelte.ts; without one, the system's preference holds.
  const theme = kept('theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;

  // Addresses with what their pages read first, exactly as they ask for it.
  const pages = [
    [/^(#\/(home)?)?$/, 'home', ['/v1/gpu-profiles', '/v1/devices', '/v1/queue']],
    [/^#\/jobs$/, 'jobs', ['/v1/jobs?limit=200']],
    [/^#\/jobs\/(\w+)$/, 'job', ['/v1/jobs/$1']],
    [/^#\/queue$/, 'queue', ['/v1/queue']],
    [/^#\/devices$/, 'devices', ['/v1/devices']],
    [/^#\/docs\/api$/, 'api', ['/openapi.json']],
    // The name of an operation has a capital letter, that of a document has none.
    [/^#\/docs\/[a-z]+[A-Z]\w*$/, 'document', ['/openapi.json']],
    [/^#\/docs\/[a-z-]+$/, 'document', []],
  ];
  const scripts = {};

  // Only for a browser with a session (src/services/session.svelte.ts): others would be refused.
  const page = kept('session') === 'in' && pages.find(([pattern]) => pattern.test(location.hash));
  if (page) {
    const [pattern, name, reads] = page;
    const preload = (part) => {
      for (const href of scripts[part] ?? []) {
        document.head.append(Object.assign(document.createElement('link'), { rel: 'modulepreload', href }));
      }
    };
    const answers = (globalThis.plimsollEarly = new Map());
    const read = (path) => {
      const url = new URL(path, location.origin).href;
      const answer = fetch(url);
      answer.catch(() => undefined); // whoever takes it sees that it failed
      answers.set(url, answer);
      return answer;
    };
    preload(name);
    const [, ...asked] = ['/v1/users/me', ...reads].map((path) => read(path.replace('$1', location.hash.replace(pattern, '$1'))));
    // The page of a job that succeeded is its report.
    if (name === 'job') {
      asked[0]
        .then((answer) => answer.clone().json())
        .then(({ id, kind, state }) => {
          if (state !== 'succeeded') return;
          preload(`report of ${kind}`);
          read(`/v1/jobs/${id}/report`);
        })
        .catch(() => undefined); // the page asks itself
    }
  }
}
