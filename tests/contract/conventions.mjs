// What every operation of openapi.yaml has in common: statuses, headers, names, and one way to page.
import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';

const document = load(readFileSync(process.argv[2], 'utf8'));
const problems = [];
const refuse = (place, rule) => problems.push(`${place}: ${rule}`);

const follow = (node) => {
    if (!node?.$ref) return node;
    return follow(node.$ref.split('/').slice(1).reduce((at, part) => at[part], document));
};
// Whether what is made there has an address of its own.
const hasItems = (path) => Object.keys(document.paths).some((other) => other !== path && other.replace(/(\/\{\w+\})+$/, '') === path);
const METHODS = ['get', 'put', 'post', 'delete', 'patch'];
// Read by place, since what they have is fixed once it is there.
const BY_OFFSET = ['getJobResults', 'getJobResultsCsv', 'getJobResultsJsonl', 'getLinkedResultsCsv', 'getLinkedResultsJsonl', 'listDatasetRecords', 'uploadDatasetContent'];
// Lists without pages, and why.
const WHOLE = {
    listJobEvents: 'a stream, which goes on after the number of its last event, as Last-Event-ID does',
    listDevices: 'one row a device of the pool',
    listModels: 'one row an installed model',
    listModelOperations: 'the last twenty',
    listGpuProfiles: 'a table that ships, and at most 24 of the team',
    getUsage: 'one table of sums, at most 400 days',
};
// Not edits of what is shown: a pin, a saved name, secrets, bytes, the team of the session.
const NO_EDITS = ['setJobBaseline', 'saveView', 'setMyPassword', 'offerMySecondFactor', 'confirmMySecondFactor', 'uploadDatasetContent', 'switchTeam'];
// Repeated, these change nothing more.
const REPEATABLE = ['cancelJob', 'redriveJob', 'cleanUpDevice', 'cancelModelOperation'];

function check(path, method, operation, parameters) {
    const id = operation.operationId;
    const says = (status) => status in operation.responses;
    const demand = (status, why) => says(status) || refuse(id, `${why}: document ${status}`);
    const response = (status) => follow(operation.responses[status]);
    const parameter = (name) => parameters.find((one) => one.name === name);
    const open = Array.isArray(operation.security) && operation.security.length === 0;

    for (const [status, reference] of Object.entries(operation.responses)) {
        const { headers = {}, content = {} } = follow(reference);
        const bad = status === 'default' || Number(status) >= 400;
        if (bad && Object.keys(content).join() !== 'application/problem+json') refuse(id, `${status} is not a problem`);
        if (['429', '503'].includes(status) && !headers['Retry-After'] && id !== 'getReadiness') refuse(id, `${status} without Retry-After`);
        if (status === '201' && hasItems(path) && !headers.Location) refuse(id, '201 without Location');
        if (status === '204' && Object.keys(content).length > 0) refuse(id, '204 with a body');
    }

    // Whoever edits can say what the edit is based on.
    const reads = document.paths[path].get;
    if (['put', 'patch'].includes(method) && !NO_EDITS.includes(id)) {
        if (!parameter('If-Match')) refuse(id, 'an edit without If-Match');
        const shown = follow(reads?.responses['200']) ?? response('200');
        if (!shown?.headers?.ETag) refuse(id, 'can be edited, and has no ETag');
        else if (!follow(shown.content['application/json'].schema).required.includes('version')) refuse(id, 'can be edited, and has no version');
    }
    if (operation.deprecated && !operation['x-deprecated-at']) refuse(id, 'deprecated without x-deprecated-at');
    if (parameter('If-None-Match') && method === 'get') demand('304', 'takes If-None-Match');
    if (parameter('If-None-Match') || parameter('If-Match')) {
        if (!response('200')?.headers?.ETag) refuse(id, 'compares versions, and answers without ETag');
    }
    if (parameter('Range')) demand('206', 'takes Range') && demand('416', 'takes Range');
    if (parameter('Idempotency-Key')) demand('422', 'takes Idempotency-Key');
    if (method === 'delete') demand('204', 'deletes');
    if (method === 'get' && operation.requestBody) refuse(id, 'a read has no body');

    // What makes something may be repeated safely.
    if (method === 'post' && ('201' in operation.responses || '202' in operation.responses) && !open) {
        if (!parameter('Idempotency-Key') && !REPEATABLE.includes(id)) refuse(id, 'makes something without Idempotency-Key');
    }
    if (operation['x-keeps-answer'] && !parameter('Idempotency-Key')) refuse(id, 'keeps answers without a key');

    // One way to page: cursor and limit in, items and next_cursor out.
    const properties = follow(response('200')?.content?.['application/json']?.schema)?.properties ?? {};
    const lists = method === 'get' && properties.items?.type === 'array';
    if (lists && !parameter('cursor') && !BY_OFFSET.includes(id) && !(id in WHOLE)) refuse(id, 'a list without pages');
    // One way to sort: each list has one order, and says which.
    if (lists && !/\b(newest|oldest|largest)( \w+)? first\b|\bin the order of\b|\bby (name|number|id|kind|page|memory|node|task)\b/i.test(`${operation.summary} ${operation.description ?? ''}`)) {
        refuse(id, 'a list that does not say its order');
    }
    // One way to filter by time: from a time, which is included, to one that is not.
    const query = parameters.filter(({ in: where }) => where === 'query');
    const times = query.filter(({ schema }) => follow(schema).format === 'date-time').map(({ name }) => name);
    if (times.length > 0 && times.sort().join() !== 'from,to') refuse(id, `filters by ${times.join(' and ')}, not by from and to`);
    for (const { name } of query) {
        if (['sort', 'order', 'order_by', 'sort_by', 'page', 'page_size', 'per_page', 'before', 'since', 'until'].includes(name)) refuse(id, `has another way to page, filter or sort: ${name}`);
    }
    if (parameter('offset') && !BY_OFFSET.includes(id)) refuse(id, 'pages by offset');
    if (parameter('cursor') && !parameter('limit')) refuse(id, 'a cursor without a limit');
    if (method === 'get' && Boolean(parameter('cursor')) !== Boolean(properties.next_cursor)) refuse(id, 'cursor and next_cursor go together');
    if (parameter('cursor') && !properties.items) refuse(id, 'a page has items');

    for (const segment of path.split('/').filter((part) => part && !part.startsWith('{'))) {
        if (!/^[a-z0-9.-]+$/.test(segment)) refuse(path, `${segment} is not in kebab-case`);
    }
    for (const { in: where, name } of parameters) {
        if (where !== 'header' && !/^[a-z][a-z0-9_]*$/.test(name)) refuse(id, `${name} is not in snake_case`);
    }
}

// A query parameter of one name has one type wherever it occurs.
const kinds = new Map();
function checkKinds(id, parameters) {
    for (const { in: where, name, schema } of parameters) {
        if (where !== 'query') continue;
        const { type } = follow(schema);
        const [kind, first] = kinds.get(name) ?? [type, id];
        kinds.set(name, [kind, first]);
        if (kind !== type) refuse(id, `${name} has a different type than in ${first}`);
    }
}

let operations = 0;
for (const [path, item] of Object.entries(document.paths)) {
    for (const method of METHODS.filter((name) => item[name])) {
        operations += 1;
        const parameters = [...(item.parameters ?? []), ...(item[method].parameters ?? [])].map(follow);
        check(path, method, item[method], parameters);
        checkKinds(item[method].operationId, parameters);
    }
}
for (const [name, { properties = {} }] of Object.entries(document.components.schemas)) {
    for (const property of Object.keys(properties)) {
        if (!/^[a-z][a-z0-9_]*$/.test(property)) refuse(name, `${property} is not in snake_case`);
    }
}

for (const problem of problems) console.error(problem);
console.log(`${operations} operations checked, ${problems.length} problems`);
process.exit(problems.length === 0 ? 0 : 1);
