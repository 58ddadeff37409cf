import { counted } from '../../design/format';
import type { JobKind } from '../kind';

export const kind: JobKind<'training-config'> = {
  kind: 'training-config',
  title: 'Training config',
  summary: 'Predicts how much of a GPU a training run will take before it runs, and says what to set.',
  items: ['card', 'cards'],
  Form: () => import('./TrainingForm.svelte'),
  Report: () => import('./TrainingReport.svelte'),
  describe: (job) => counted(job.progress.items_total, 'card'),
};
