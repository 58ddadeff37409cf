import { counted } from '../../design/text/format';
import type { JobSpec } from '../../services/jobs';
import type { JobKind } from '../kind';

type Args = Extract<JobSpec, { kind: 'sentiment' }>['args'];

/** What a job keeps of its arguments when it is on a dataset. */
interface OnDataset {
  model?: string;
  policy?: { id: string };
  batch_size?: number;
  dataset: string;
  source: { text: string; custom_id?: string; source?: string; time?: string };
}

function again({ args }: { args: object }): Args | undefined {
  if (!('dataset' in args)) return undefined;
  const { model, policy, batch_size, dataset, source } = args as OnDataset;
  const columns = {
    text: source.text,
    ...(source.custom_id && { custom_id: source.custom_id }),
    ...(source.source && { source: source.source }),
    ...(source.time && { time: source.time }),
  };
  return { ...(policy ? { policy: policy.id } : { model }), ...(batch_size && { batch_size }), dataset, columns } as Args;
}

export const kind: JobKind<'sentiment'> = {
  kind: 'sentiment',
  title: 'Sentiment',
  summary: 'Scores how positive or negative each of your texts is: headlines, reviews, messages.',
  items: ['text', 'texts'],
  takesDataset: true,
  again,
  guide: {
    title: 'Sentiment models',
    lead: 'Which models score texts, what their scores mean, and how a model is installed.',
    Content: () => import('./guide/Guide.svelte'),
  },
  settings: { path: 'policies', title: 'Model policies', Content: () => import('./policies/Policies.svelte') },
  Form: () => import('./SentimentForm.svelte'),
  Report: () => import('./SentimentReport.svelte'),
  describe: (job) => counted(job.progress.items_total, 'text'),
};
