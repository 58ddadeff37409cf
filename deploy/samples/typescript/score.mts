// Scores a few headlines with a typed client and prints the best news first.
import createClient from 'openapi-fetch';
import type { components, paths } from './plimsoll.d.ts';

type Job = components['schemas']['Job'];
type Problem = components['schemas']['Problem'];

const headlines = new Map([
  ['h-1', 'Shares soar after a brilliant quarter!'],
  ['h-2', 'The harbour strike is a disaster for exporters.'],
  ['h-3', 'The ferry leaves at nine.'],
]);
const ended: Job['state'][] = ['succeeded', 'failed', 'cancelled'];

const api = createClient<paths>({
  baseUrl: process.env.PLIMSOLL_SERVER,
  headers: { Authorization: `Bearer ${process.env.PLIMSOLL_TOKEN}` },
});

/** The answer's data, unless it says what went wrong (RFC 9457). */
function must<Data>({ data, error }: { data?: Data; error?: Problem }): Data {
  if (data !== undefined) return data;
  for (const { pointer, parameter, detail } of error?.errors ?? []) console.error(pointer ?? parameter, detail);
  throw new Error(`${error?.status} ${error?.title}: ${error?.detail} (${error?.request_id})`);
}

const items = [...headlines].map(([custom_id, text]) => ({ custom_id, text }));
let job = must(await api.POST('/v1/jobs', { body: { kind: 'sentiment', args: { items } } }));
while (!ended.includes(job.state)) {
  const path = { job_id: job.id };
  job = must(await api.GET('/v1/jobs/{job_id}', { params: { path, query: { wait: 60 } } }));
}
if (job.state !== 'succeeded') throw new Error(`${job.id} ${job.state}: ${job.error}`);

const answer = await api.GET('/v1/jobs/{job_id}/results', {
  params: { path: { job_id: job.id } },
});
const results = must(answer) as components['schemas']['SentimentResults'];
for (const { compound, custom_id } of results.items.sort((a, b) => (b.compound ?? 0) - (a.compound ?? 0))) {
  console.log(`${compound! < 0 ? '' : '+'}${compound!.toFixed(4)}  ${custom_id}  ${headlines.get(custom_id!)}`);
}
