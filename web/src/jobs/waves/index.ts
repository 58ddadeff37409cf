import { counted } from '../../design/format';
import type { JobSpec } from '../../services/jobs';
import type { JobKind } from '../kind';

type Args = Extract<JobSpec, { kind: 'waves' }>['args'];

export const kind: JobKind<'waves'> = {
  kind: 'waves',
  title: 'Waves',
  summary: 'Finds every Elliott-wave count of your price series, and says how often chance finds as good a one.',
  items: ['symbol', 'symbols'],
  takesDataset: true,
  again: ({ args }) => ('dataset' in args ? (args as Args) : undefined),
  Form: () => import('./WavesForm.svelte'),
  Report: () => import('./WavesReport.svelte'),
  describe: (job) => counted(job.progress.items_total, 'symbol'),
};
