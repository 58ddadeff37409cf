import type { JobSpec } from '../../services/jobs';
import type { JobKind } from '../kind';

type Args = Extract<JobSpec, { kind: 'profile' }>['args'];

export const kind: JobKind<'profile'> = {
  kind: 'profile',
  title: 'Speed profile',
  summary: 'Measures a device and a model, and finds the smallest batch with nearly the best throughput.',
  items: ['measurement', 'measurements'],
  // A job stores what the server knew about the model; a new one only names it.
  again: ({ args }) => {
    const { sentiment_model: model, ...others } = args as Omit<Args, 'sentiment_model'> & { sentiment_model?: string | { name: string } };
    return { ...others, ...(model && { sentiment_model: typeof model === 'string' ? model : model.name }) };
  },
  Form: () => import('./ProfileForm.svelte'),
  Report: () => import('./ProfileReport.svelte'),
  sampleJob: () => import('./sample-job'),
  settings: [{ path: 'baselines', title: 'Baselines', Content: () => import('./Baselines.svelte') }],
  entitle: (job) => `Speed of ${kind.describe(job)}`,
  guide: {
    title: 'Speed profiles',
    lead: 'What a profile measures, an example, and how to read its report.',
    Content: () => import('./guide/Guide.svelte'),
  },
  describe: (job) => {
    const { mode } = job.args as { mode?: string };
    return mode === 'engine' ? 'a device' : mode === 'sentiment' ? 'a sentiment model' : mode === 'llm' ? 'a language model' : mode === 'pair' ? 'a sentiment and a language model at once' : 'a device and a model';
  },
};
