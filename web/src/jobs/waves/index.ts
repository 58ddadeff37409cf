import { counted } from '../../design/text/format';
import type { JobSpec } from '../../services/jobs';
import type { JobKind } from '../kind';

type Args = Extract<JobSpec, { kind: 'waves' }>['args'];

export const kind: JobKind<'waves'> = {
  kind: 'waves',
  title: 'Waves',
  summary: 'Finds every Elliott-wave count in your price series, and how often random series score as high.',
  items: ['symbol', 'symbols'],
  takesDataset: true,
  again: ({ args }) => ('dataset' in args ? (args as Args) : undefined),
  Form: () => import('./form/WavesForm.svelte'),
  Report: () => import('./report/WavesReport.svelte'),
  sampleJob: () => import('./sample-job'),
  guide: {
    title: 'Counting waves',
    lead: 'Which prices a waves job reads, what it finds, and how its counts compare with chance.',
    Content: () => import('./guide/Guide.svelte'),
  },
  describe: (job) => counted(job.progress.items_total, 'symbol'),
};
