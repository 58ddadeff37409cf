import { counted } from '../../design/text/format';
import type { JobSpec } from '../../services/jobs';
import type { JobKind } from '../kind';

type Args = Extract<JobSpec, { kind: 'training-config' }>['args'];

/** Without a correction that the server took from the team's measurements: next time it takes the newest. */
function again(job: { args: object }): Args {
  const { correction, ...args } = job.args as Args;
  return correction && correction.measurements.length === 0 ? { ...args, correction } : args;
}

export const kind: JobKind<'training-config'> = {
  kind: 'training-config',
  title: 'Training memory',
  summary: 'Finds the largest batch that fits your GPU, and the settings to use.',
  items: ['card', 'cards'],
  again,
  Form: () => import('./form/TrainingForm.svelte'),
  Report: () => import('./report/TrainingReport.svelte'),
  guide: {
    title: 'Training advice',
    lead: 'How much GPU memory a training run needs, predicted before it starts: one worked example.',
    Content: () => import('./guide/Guide.svelte'),
  },
  settings: { path: 'gpu-profiles', title: 'GPU profiles', Content: () => import('./profiles/GpuProfiles.svelte') },
  describe: (job) => counted(job.progress.items_total, 'card'),
};
