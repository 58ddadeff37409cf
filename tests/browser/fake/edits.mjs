/** Whether the page only creates, and there is one already; then it is refused. */
export function exists({ call, response, problem }, found) {
  if (found === undefined || call.headers['if-none-match'] !== '*') return false;
  problem(response, 412, { title: 'Precondition failed', detail: 'A resource with this ID already exists.' });
  return true;
}

/** Whether a page's edit is of a version other than the present one, or names none; then it is refused. */
export function stale({ call, response, problem }, { version }) {
  if (call.headers['if-match'] === `"${version}"`) return false;
  problem(response, 412, { title: 'Precondition failed', detail: 'It has been changed or deleted since you opened it. Open it again to see the current version.' });
  return true;
}

/** Changes the entry that the page has seen. */
export function edit(context, found, change) {
  if (stale(context, found)) return;
  Object.assign(found, change, { version: String(Number(found.version) + 1) });
  context.json(context.response, 200, found);
}
