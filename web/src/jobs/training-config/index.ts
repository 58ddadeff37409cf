import { counted } from '../../design/text/format';
import type { JobSpec } from '../../services/jobs';
import type { JobKind } from '../kind';

type Args = Extract<JobSpec, { kind: 'training-config' }>['args'];

/** Without a correction that the server took from the team's measurements: next time it takes the newest. */
function again(job: { args: object }): Args {
  const { correction, ...args } = job.args as Args;
  return correction && correction.measurements.length === 0 ? { ...args, correction } : args;
}

/** "bert-base, 128 tokens, RTX 4090 and 3 more". */
function entitle({ args }: { args: object }): string {
  const { model, training, gpus } = args as Args;
  const name = model.preset ?? String((model.config as { model_type?: string } | undefined)?.model_type ?? model.dimensions?.family ?? 'a model');
  const length = training?.sequence_length;
  const special: Record<string, string> = { all: 'all GPUs', auto: 'largest GPU' };
  const cards = (gpus ?? []).map((id) => special[id] ?? id.replaceAll('_', ' ').toUpperCase());
  const most = 2;
  const where = cards.length > most ? `${cards[0]} and ${cards.length - 1} more` : cards.join(' and ');
  return [name, length && counted(length, 'token'), where].filter(Boolean).join(', ');
}

export const kind: JobKind<'training-config'> = {
  kind: 'training-config',
  title: 'Training memory',
  summary: 'Finds the largest batch that fits your GPU, and the settings to use.',
  items: ['GPU', 'GPUs'],
  again,
  Form: () => import('./form/TrainingForm.svelte'),
  Report: () => import('./report/TrainingReport.svelte'),
  sampleJob: () => import('./sample-job'),
  Answer: () => import('./home/FitAnswer.svelte'),
  guide: {
    title: 'Training advice',
    lead: 'Predicts the GPU memory of a training run before it starts: a worked example.',
    Content: () => import('./guide/Guide.svelte'),
  },
  settings: [{ path: 'gpu-profiles', title: 'GPU profiles', Content: () => import('./profiles/GpuProfiles.svelte') }],
  entitle,
  describe: (job) => counted(job.progress.items_total, 'GPU'),
};
