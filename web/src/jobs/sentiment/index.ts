import { counted } from '../../design/format';
import type { JobKind } from '../kind';

export const kind: JobKind<'sentiment'> = {
  kind: 'sentiment',
  title: 'Sentiment',
  summary: 'Scores how positive or negative each of your texts is: headlines, reviews, messages.',
  items: ['text', 'texts'],
  takesDataset: true,
  Form: () => import('./SentimentForm.svelte'),
  Report: () => import('./SentimentReport.svelte'),
  describe: (job) => counted(job.progress.items_total, 'text'),
};
