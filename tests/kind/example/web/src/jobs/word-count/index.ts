import { counted } from '../../design/text/format';
import type { JobKind } from '../kind';

export const kind: JobKind<'word-count'> = {
  kind: 'word-count',
  title: 'Word count',
  summary: 'Counts the words of texts.',
  items: ['text', 'texts'],
  takesDataset: true,
  Form: () => import('./WordCountForm.svelte'),
  Report: () => import('./WordCountReport.svelte'),
  sampleJob: () => import('./sample-job'),
  describe: (job) => counted(job.progress.items_total, 'text'),
};
