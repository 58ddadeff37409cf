import { counted } from '../../design/text/format';
import type { JobSpec } from '../../services/jobs';
import type { JobKind } from '../kind';

type Args = Extract<JobSpec, { kind: 'sentiment' }>['args'];

const columnNames = ['text', 'custom_id', 'source', 'time', 'label', 'group', 'keep'] as const;

/** What the server adds to the arguments of a job, or stores in a form of its own. */
const settled = new Set(['policy', 'models', 'model', 'model_hash', 'form', 'goal', 'proofs', 'accuracies', 'dataset', 'source', 'keep', 'given', 'asked']);

interface OnDataset extends Pick<Args, 'model'> {
  policy?: { id: string };
  models?: { name: string }[];
  dataset: string;
  source: NonNullable<Args['columns']>;
}

function again({ args }: { args: object }): Args | undefined {
  if (!('dataset' in args)) return undefined;
  const { policy, models, model, source, dataset } = args as OnDataset;
  const by = policy ? { policy: policy.id } : models ? { models: models.map(({ name }) => name) } : { model };
  const options = Object.fromEntries(Object.entries(args).filter(([name]) => !settled.has(name)));
  const columns = Object.fromEntries(columnNames.filter((name) => source[name]).map((name) => [name, source[name]]));
  return { ...by, ...options, dataset, columns } as Args;
}

export const kind: JobKind<'sentiment'> = {
  kind: 'sentiment',
  title: 'Sentiment',
  summary: 'Scores how positive or negative each of your texts is: headlines, reviews, messages.',
  items: ['text', 'texts'],
  takesDataset: true,
  again,
  variants: [
    {
      path: 'compare-models',
      title: 'Compare models',
      summary: 'Scores the same texts with several models: agreement, accuracy, calibration and speed side by side, and which one to use.',
    },
  ],
  guide: {
    title: 'Sentiment models',
    lead: 'Which models score texts, what scores mean, and how to install a model.',
    Content: () => import('./guide/Guide.svelte'),
  },
  settings: [
    { path: 'models', title: 'Models', Content: () => import('./registry/Models.svelte') },
    { path: 'policies', title: 'Model policies', Content: () => import('./policies/Policies.svelte') },
  ],
  Form: () => import('./SentimentForm.svelte'),
  Report: () => import('./SentimentReport.svelte'),
  sampleJob: () => import('./sample-job'),
  describe: (job) => counted(job.progress.items_total, 'text'),
};
