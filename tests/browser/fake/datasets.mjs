// Datasets of the stand-in: it keeps the bytes, and reads them as far as the pages' tests need it.
import { user } from './data.mjs';

const mebibyte = 1024 * 1024;

export function makeDataset(id, fields = {}) {
  const self = `/v1/datasets/${id}`;
  return {
    id,
    name: 'headlines.csv',
    format: 'csv',
    state: 'ready',
    error: null,
    bytes_total: 96 * mebibyte,
    bytes_received: 96 * mebibyte,
    columns: ['key', 'headline', 'published'],
    records: 1_000_000,
    records_failed: 0,
    created_at: new Date(Date.now() - 3_600_000).toISOString(),
    submitter: { id: user.id, name: user.name },
    ...fields,
    links: { self, content: `${self}/content`, records: `${self}/records`, errors: `${self}/errors` },
  };
}

const wide = ['id', 'headline', 'desk', 'author', 'language', 'published', 'a_column_with_a_rather_long_name', 'revision'];

/** One in every state, newest first. */
export const everyDataset = () => [
  makeDataset('data_partial', { name: 'letters-2025.csv', state: 'uploading', bytes_received: 33 * mebibyte, records: 341_022, records_failed: 2 }),
  makeDataset('data_ready'),
  makeDataset('data_flawed', { name: 'Reviews of twelve shipping lines, with an unusually long name, exported from the archive.jsonl', format: 'jsonl', records: 48_211, records_failed: 43, bytes_total: 7_340_032, bytes_received: 7_340_032, columns: wide }),
  makeDataset('data_failed', { name: 'spreadsheet.csv', state: 'failed', error: 'The file has no header line.', records: 0, columns: [], bytes_total: 18_220 }),
];

const texts = ['Ferry operator beats forecasts as summer bookings soar', 'Storm damage closes the northern terminal for weeks, and nobody at the port authority can say when the cranes will be working again', 'Port authority publishes its timetable', 'Investors cheer a <b>brilliant</b> turnaround', 'Crew shortage threatens the season'];
const isBroken = (dataset, index) => dataset.records_failed > 0 && index % 5 === 3;
const complaint = (index) => `Line ${index + 2}: 2 fields, but the header has 3.`;

function record(dataset, index) {
  if (isBroken(dataset, index)) return { index, values: null, error: complaint(index) };
  const value = (name, place) =>
    name === 'headline' || name === 'text' ? texts[index % texts.length]
    : place === 0 ? `h-${index + 1}`
    : name === 'author' ? null
    : `${name.slice(0, 4)} ${index % 7}`;
  return { index, values: dataset.columns.map(value), error: null };
}

function withDataset(handler) {
  return (fake, context) => {
    const dataset = fake.datasets.find(({ id }) => id === context.parameters[0]);
    if (!dataset) return context.problem(context.response, 404, { title: 'Not found', detail: 'The dataset was not found.' });
    return handler(fake, context, dataset);
  };
}

function list(fake, { call, response, json }) {
  const from = Number(call.query.get('cursor') ?? 0);
  const next = from + fake.pageSize;
  json(response, 200, { items: fake.datasets.slice(from, next), next_cursor: next < fake.datasets.length ? String(next) : null });
}

function create(fake, { call, response, json }) {
  const { name, format, bytes } = call.body;
  const empty = { name, format, bytes_total: bytes, bytes_received: 0, records: 0, columns: [], state: 'uploading' };
  const dataset = makeDataset(`data_${fake.datasets.length + 1}new`, { ...empty, created_at: new Date().toISOString() });
  fake.datasets.unshift(dataset);
  json(response, 201, dataset);
}

/** Takes a part where the upload stands; the header is read of the first one, and a line is a record. */
function put(fake, { call, response, json, problem }, dataset) {
  const offset = Number(call.query.get('offset'));
  if (offset !== dataset.bytes_received) return problem(response, 409, { detail: `The upload continues at byte ${dataset.bytes_received}.` });
  const text = call.bytes.toString();
  if (offset === 0 && dataset.format === 'csv') dataset.columns = text.split('\n', 1)[0].trim().split(',');
  dataset.bytes_received += call.bytes.length;
  dataset.records += text.split('\n').length - 1 - (offset === 0 ? 1 : 0);
  if (dataset.bytes_received === dataset.bytes_total) dataset.state = 'ready';
  json(response, 200, dataset);
}

function records(_, { call, response, json }, dataset) {
  const first = Number(call.query.get('offset') ?? 0);
  const amount = Math.max(0, Math.min(Number(call.query.get('limit') ?? 50), dataset.records - first));
  json(response, 200, { columns: dataset.columns, items: Array.from({ length: amount }, (__, at) => record(dataset, first + at)) });
}

const errorsOf = (dataset) =>
  Array.from({ length: dataset.records_failed }, (_, at) => 3 + at * 5)
    .map((index) => ({ index, line: index + 2, error_code: 'wrong_field_count', error: complaint(index) }));

function errorsTable(_, { response }, dataset) {
  response.writeHead(200, { 'Content-Type': 'text/csv' });
  response.end(['index,line,error_code,error', ...errorsOf(dataset).map((item) => Object.values(item).join(','))].join('\n'));
}

function errors(_, { call, response, json }, dataset) {
  const items = errorsOf(dataset);
  const from = Number(call.query.get('cursor') ?? 0);
  const next = from + Number(call.query.get('limit') ?? 50);
  json(response, 200, { items: items.slice(from, next), next_cursor: next < items.length ? String(next) : null });
}

export const datasetRoutes = [
  [/^GET \/v1\/datasets$/, list],
  [/^POST \/v1\/datasets$/, create],
  [/^GET \/v1\/datasets\/([^/]+)$/, withDataset((_, { response, json }, dataset) => json(response, 200, dataset))],
  [/^DELETE \/v1\/datasets\/([^/]+)$/, withDataset((fake, { response, json }, dataset) => {
    fake.datasets = fake.datasets.filter((other) => other !== dataset);
    json(response, 204);
  })],
  [/^PUT \/v1\/datasets\/([^/]+)\/content$/, withDataset(put)],
  [/^GET \/v1\/datasets\/([^/]+)\/records$/, withDataset(records)],
  [/^GET \/v1\/datasets\/([^/]+)\/errors$/, withDataset(errors)],
  [/^GET \/v1\/datasets\/([^/]+)\/errors\.csv$/, withDataset(errorsTable)],
];
