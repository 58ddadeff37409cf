// Every page in each of its states, for the checks that all of them must pass.
import { fileURLToPath } from 'node:url';
import { makeReport, makeResults, manyJobs, models } from '../fake/data.mjs';
import { everyDataset } from '../fake/datasets.mjs';
import { noBatch, noDevice } from '../fake/profile.mjs';
import { FakeServer } from '../fake/server.mjs';
import { measurement, tooSmall, trainingJob, trainingReport } from '../fake/training.mjs';
import { manySymbols, noSymbol, wavesJob, wavesReport } from '../fake/waves.mjs';
import { fails, full, hangs, heading, loading, opened, profile, profileCompared, queue, text, viewer } from './arrangements.mjs';
import { jobViews } from './job-views.mjs';
import { modelViews } from './model-views.mjs';
import { policyViews } from './policy-views.mjs';
import { queueViews } from './queue-views.mjs';
import { settingsViews } from './settings-views.mjs';

export const pages = process.env.PLIMSOLL_WEB ?? fileURLToPath(new URL('../../../web/dist', import.meta.url));

/** The stand-in server, set up for one view. */
export async function startFake({ arrange } = {}) {
  const server = new FakeServer(pages);
  arrange?.(server);
  return server.start();
}

const datasets = (server) => (server.datasets = everyDataset());
const datasetsFail = (call, fault = 503) => (server) => {
  datasets(server);
  server.faults.set(call, fault);
};

const training = (server) => server.add(trainingJob());
const memoryCall = 'POST /v1/jobs/job_training0000/memory-comparisons';
const recordedRun = (name, shown, arrange) => ({
  name: `report-training-${name}`,
  address: '/#/jobs/job_training0000',
  arrange: (server) => {
    training(server);
    arrange?.(server);
  },
  ready: async (page) => {
    const panel = page.getByRole('region', { name: 'A recorded run' });
    await panel.locator('input[type=file]').setInputFiles({ name: 'snapshot.pickle', mimeType: '', buffer: Buffer.from([0x80, 4, 0x2e]) });
    await panel.getByText(shown).first().waitFor();
  },
});
const trainingMeasured = (server) => {
  const job = training(server);
  const slower = { id: 'meas_0000000000005', source: 'probe', ratio: 0.97, accumulation: 1, measured: { peak_reserved_bytes: 17_400_000_000, step_seconds: 2.2, max_batch: 19 } };
  server.measurements = [measurement(job), measurement(job, slower)];
  const correction = { factor: 1.02, measurements: [{ id: 'meas_0000000000004', gpu: 'NVIDIA GeForce RTX 4090', gpu_id: 'rtx_4090', step_seconds: 2.2, model: 'naics-4ch', batch: 16, predicted_bytes: 17_943_232_512, measured_bytes: 18_302_097_162, created_at: job.created_at }] };
  server.reports.set(job.id, trainingReport(job, { correction }));
};
const trainingTooSmall = (server) => {
  const job = training(server);
  server.reports.set(job.id, trainingReport(job, tooSmall()));
};
const trainingRefused = (server) =>
  server.faults.set('POST /v1/estimates', {
    status: 422,
    title: 'Unprocessable content',
    errors: [
      { pointer: '/args/training/sequence_length', detail: 'The sequence length 1024 exceeds the model\'s 512 positions.' },
      { pointer: '/args/model', detail: 'Exactly one of "preset", "config" and "dimensions" must be given.' },
    ],
  });

/** Chooses a file for the upload of the page that is shown. */
const uploadLetters = (page) =>
  page.locator('input[type=file]').setInputFiles({ name: 'letters.csv', mimeType: 'text/csv', buffer: Buffer.from(`id,text\n${'1,Calm seas\n'.repeat(100_000)}`) });

const waves = (fields) => (server) => {
  const job = server.add(wavesJob());
  server.reports.set(job.id, wavesReport(job, fields));
};
const wavesFailing = (server) => {
  waves()(server);
  server.faults.set('GET /v1/jobs/job_waves0000000/results.jsonl', 503);
};
const wavesLoading = (server) => {
  waves()(server);
  server.faults.set('GET /v1/jobs/job_waves0000000/results.jsonl', 'hang');
};
const profileWithout = (fault) => (server) => {
  profile()(server);
  server.faults.set('GET /v1/jobs/job_profile000000/report', fault);
};
/** The same when retention has dropped the earlier job. */
const profileOutlived = (server) => {
  profileCompared(server);
  server.jobs = server.jobs.filter(({ id }) => id !== 'job_profile000001');
};
const profileBaseline = (fault) => (server) => {
  profile()(server);
  server.faults.set('GET /v1/jobs/job_profile000000/baseline', fault);
};
/** The report of a job by a published model, some of whose texts were longer than it reads. */
const byModel = (server) => {
  full(server);
  const job = server.jobs.find(({ id }) => id === done);
  server.results.set(done, makeResults(job.progress.items_total, { tokens: 640, truncated: true }));
  server.reports.set(done, makeReport(job, server.results.get(done), 'finbert'));
};
const withModels = (server) => (server.models = models);
const profileAt = '/#/jobs/job_profile000000';

const wavesReportAt = '/#/jobs/job_waves0000000';

const [, , done, , , unnamed] = manyJobs(7).map(({ id }) => id);

export const views = [
  { name: 'sign-in', address: '/', signedOut: true, ready: heading('Plimsoll') },
  { name: 'sign-in-provider', address: '/?error=access_denied&state=state', signedOut: true, arrange: (server) => (server.provider = 'Example Login'), ready: text('did not sign you in') },
  { name: 'sign-in-spent', address: '/#/sign-in/plm_signin_spent', signedOut: true, ready: text('has already been used or has expired') },
  { name: 'starting', address: '/#/jobs', arrange: hangs('GET /v1/users/me'), ready: (page) => page.getByRole('heading', { name: 'Plimsoll' }).waitFor() },
  ...jobViews,
  { name: 'report-full', address: `/#/jobs/${done}`, arrange: full, ready: text('Ferry operator') },
  { name: 'report-by-model', address: `/#/jobs/${done}`, arrange: byModel, ready: heading('Least certain') },
  { name: 'report-results-failed', address: `/#/jobs/${unnamed}`, arrange: fails(`GET /v1/jobs/${unnamed}/results.jsonl`), ready: text('Service unavailable') },
  { name: 'report-loading', address: `/#/jobs/${done}`, arrange: hangs(`GET /v1/jobs/${done}/report`), ready: loading },
  { name: 'report-results-loading', address: `/#/jobs/${done}`, arrange: hangs(`GET /v1/jobs/${done}/results.jsonl`), ready: heading('Most positive') },
  { name: 'report-failed', address: `/#/jobs/${done}`, arrange: fails(`GET /v1/jobs/${done}/report`), ready: text('Service unavailable') },
  ...queueViews,
  { name: 'new', address: '/#/new', ready: heading('New job') },
  { name: 'new-sentiment', address: '/#/new/sentiment', ready: (page) => page.getByLabel('Texts', { exact: true }).waitFor() },
  { name: 'new-sentiment-models', address: '/#/new/sentiment', arrange: withModels, ready: text('109 million parameters') },
  { name: 'new-sentiment-dataset', address: '/#/new/sentiment?dataset=data_ready', arrange: datasets, ready: text('CSV with 1,000,000 records') },
  {
    name: 'new-sentiment-no-dataset',
    address: '/#/new/sentiment',
    ready: async (page) => {
      await page.getByRole('radio', { name: 'Dataset' }).check();
      await page.getByRole('combobox', { name: 'Dataset' }).waitFor();
      await page.getByRole('button', { name: 'Submit job' }).click();
      await page.getByText('Choose a dataset first.').waitFor();
    },
  },
  {
    name: 'new-sentiment-uploading',
    address: '/#/new/sentiment',
    arrange: (server) => server.faults.set('PUT /v1/datasets/data_1new/content', 'hang'),
    ready: async (page) => {
      await page.getByRole('radio', { name: 'Dataset' }).check();
      await uploadLetters(page);
      await page.getByRole('button', { name: 'Pause' }).waitFor();
    },
  },
  { name: 'new-training', address: '/#/new/training-config', ready: text('up to date') },
  { name: 'new-training-refused', address: '/#/new/training-config', arrange: trainingRefused, ready: text('exceeds the model') },
  { name: 'new-training-no-cards', address: '/#/new/training-config', arrange: fails('GET /v1/gpu-profiles'), ready: text('Service unavailable') },
  { name: 'report-training', address: '/#/jobs/job_training0000', arrange: training, ready: text('No run has reported back yet') },
  { name: 'report-training-measured', address: '/#/jobs/job_training0000', arrange: trainingMeasured, ready: text('+2.0 %') },
  { name: 'report-training-too-small', address: '/#/jobs/job_training0000', arrange: trainingTooSmall, ready: text('No run has reported back yet') },
  recordedRun('recorded', 'After 36 equal allocations they part'),
  recordedRun('recorded-refused', 'cut off or damaged', (server) => server.faults.set(memoryCall, { status: 422, title: 'Unreadable file', detail: 'The snapshot is cut off or damaged.' })),
  recordedRun('recorded-reading', 'is being read', (server) => server.faults.set(memoryCall, 'hang')),
  { name: 'new-profile', address: '/#/new/profile', ready: (page) => page.getByLabel('Largest batch').waitFor() },
  {
    name: 'new-profile-refused',
    address: '/#/new/profile',
    ready: async (page) => {
      await page.getByLabel('Largest batch').fill('0');
      await page.getByRole('button', { name: 'Submit job' }).click();
      await page.getByText('Enter a whole number from 1 to 65,536.').waitFor();
    },
  },
  { name: 'report-profile', address: profileAt, arrange: profile(), ready: heading('How it was measured') },
  { name: 'report-profile-loading', address: profileAt, arrange: profileWithout('hang'), ready: loading },
  { name: 'report-profile-failed', address: profileAt, arrange: profileWithout(503), ready: text('Service unavailable') },
  { name: 'report-profile-no-device', address: profileAt, arrange: profile(noDevice), ready: text('This worker has no OpenCL device') },
  { name: 'report-profile-no-batch', address: profileAt, arrange: profile(noBatch()), ready: text('No batch is within the limits') },
  { name: 'report-profile-compared', address: profileAt, arrange: profileCompared, ready: text('+100.0 %') },
  { name: 'report-profile-outlived', address: profileAt, arrange: profileOutlived, ready: text('its job was deleted') },
  { name: 'report-profile-baseline', address: '/#/jobs/job_profile000001', arrange: profileCompared, ready: text('is your team\'s baseline') },
  { name: 'report-profile-baseline-loading', address: profileAt, arrange: profileBaseline('hang'), ready: heading('How it was measured') },
  { name: 'report-profile-baseline-failed', address: profileAt, arrange: profileBaseline(503), ready: text('Service unavailable') },
  { name: 'new-waves', address: '/#/new/waves', ready: (page) => page.getByLabel('Prices', { exact: true }).waitFor() },
  {
    name: 'new-waves-refused',
    address: '/#/new/waves',
    ready: async (page) => {
      await page.getByRole('button', { name: 'Submit job' }).click();
      await page.getByText('Paste prices, or fill in the sample.').waitFor();
    },
  },
  { name: 'report-waves', address: wavesReportAt, arrange: waves(), ready: heading('Significance of the score') },
  {
    name: 'report-waves-check',
    address: wavesReportAt,
    arrange: waves(),
    ready: async (page) => {
      await page.getByText('Check a count of your own').click();
      await page.getByRole('button', { name: 'Start from the count above' }).click();
      await page.getByText(/satisfies every rule|Every rule is satisfied so far/).waitFor();
    },
  },
  {
    name: 'report-waves-replay',
    address: wavesReportAt,
    arrange: waves(),
    ready: async (page) => {
      await page.getByRole('button', { name: 'Replay', exact: true }).click();
      await page.getByText(/^Bar 20 of 20/).waitFor();
    },
  },
  { name: 'report-waves-loading', address: wavesReportAt, arrange: wavesLoading, ready: heading('Symbols by patterns') },
  { name: 'report-waves-failed', address: wavesReportAt, arrange: wavesFailing, ready: text('Service unavailable') },
  { name: 'report-waves-many', address: wavesReportAt, arrange: waves(manySymbols(90)), ready: heading('Significance of the score') },
  { name: 'report-waves-capped', address: wavesReportAt, arrange: waves({ complete: false, omissions: ['8 windows were cut by max_combinations.'] }), ready: text('8 windows were cut') },
  { name: 'report-waves-none', address: wavesReportAt, arrange: waves(noSymbol), ready: text('No symbol could be searched') },
  { name: 'new-unknown', address: '/#/new/juggling', ready: text('Job kind not found') },
  { name: 'datasets-full', address: '/#/datasets', arrange: datasets, ready: text('headlines.csv') },
  { name: 'datasets-empty', address: '/#/datasets', ready: text('No datasets yet') },
  { name: 'datasets-loading', address: '/#/datasets', arrange: datasetsFail('GET /v1/datasets', 'hang'), ready: text('Loading datasets') },
  { name: 'datasets-failed', address: '/#/datasets', arrange: datasetsFail('GET /v1/datasets'), ready: text('Service unavailable') },
  { name: 'datasets-viewer', address: '/#/datasets', arrange: viewer, ready: text('Files that your team uploads') },
  {
    name: 'datasets-refused',
    address: '/#/datasets',
    arrange: datasets,
    ready: async (page) => {
      await page.locator('input[type=file]').setInputFiles({ name: 'prices.csv', mimeType: 'text/csv', buffer: Buffer.alloc(0) });
      await page.getByText('This file was not uploaded').waitFor();
    },
  },
  { name: 'dataset-ready', address: '/#/datasets/data_ready', arrange: datasets, ready: text('Ferry operator') },
  {
    name: 'dataset-flawed',
    address: '/#/datasets/data_flawed',
    arrange: datasets,
    ready: async (page) => {
      await page.getByText('6 of 8 columns shown').click();
      await page.getByRole('button', { name: 'Show more' }).waitFor();
    },
  },
  { name: 'dataset-incomplete', address: '/#/datasets/data_partial', arrange: datasets, ready: text('Continue the upload') },
  { name: 'dataset-failed', address: '/#/datasets/data_failed', arrange: datasets, ready: text('no header line') },
  { name: 'dataset-missing', address: '/#/datasets/data_nowhere', ready: text('The dataset was not found') },
  { name: 'dataset-loading', address: '/#/datasets/data_ready', arrange: datasetsFail('GET /v1/datasets/data_ready', 'hang'), ready: text('Loading the dataset') },
  { name: 'dataset-records-failed', address: '/#/datasets/data_ready', arrange: datasetsFail('GET /v1/datasets/data_ready/records'), ready: text('Service unavailable') },
  {
    name: 'dataset-uploading',
    address: '/#/datasets',
    arrange: (server) => server.faults.set('PUT /v1/datasets/data_1new/content', 'hang'),
    ready: async (page) => {
      await uploadLetters(page);
      await page.getByRole('button', { name: 'Pause' }).waitFor();
    },
  },
  {
    name: 'dataset-waiting',
    address: '/#/datasets',
    arrange: (server) => server.faults.set('PUT /v1/datasets/data_1new/content', 503),
    ready: async (page) => {
      await uploadLetters(page);
      await page.getByText('Service unavailable').waitFor();
    },
  },
  {
    name: 'dataset-paused',
    address: '/#/datasets',
    arrange: (server) => server.faults.set('PUT /v1/datasets/data_1new/content', 'hang'),
    ready: async (page) => {
      await uploadLetters(page);
      await page.getByRole('button', { name: 'Pause' }).click();
      await page.getByRole('button', { name: 'Resume' }).waitFor();
    },
  },
  {
    name: 'dataset-delete',
    address: '/#/datasets/data_ready',
    arrange: datasets,
    ready: async (page) => {
      await page.getByText('Ferry operator').first().waitFor();
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('dialog').getByText('cannot be undone').waitFor();
    },
  },
  { name: 'devices-full', address: '/#/devices', ready: text('crane-7') },
  {
    name: 'devices-details',
    address: '/#/devices',
    ready: async (page) => {
      await page.getByText('crane-7').first().waitFor();
      for (const summary of await page.getByText('Details').all()) await summary.click();
      await page.getByText('bf16 on tensor cores').waitFor();
      await page.evaluate(() => scrollTo(0, 0)); // back from the last one: nothing lies below the bar
    },
  },
  { name: 'devices-held', address: '/#/devices', arrange: queue, ready: text('A fan is replaced.') },
  { name: 'devices-empty', address: '/#/devices', arrange: (server) => (server.devices = []), ready: text('No devices yet') },
  { name: 'devices-loading', address: '/#/devices', arrange: hangs('GET /v1/devices'), ready: loading },
  { name: 'devices-failed', address: '/#/devices', arrange: fails('GET /v1/devices'), ready: text('Service unavailable') },
  ...settingsViews,
  ...modelViews,
  ...policyViews,
  { name: 'docs-training', address: '/#/docs/guides/training-config', ready: text('fits on RTX 4090') },
  { name: 'docs', address: '/#/docs', ready: heading('Job kinds') },
  { name: 'docs-api', address: '/#/docs/api', ready: heading('Authentication') },
  { name: 'docs-quick-start', address: '/#/docs/quick-start', ready: heading('A first job') },
  { name: 'docs-commands', address: '/#/docs/commands', ready: heading('Exit status') },
  { name: 'docs-operating', address: '/#/docs/operating', ready: heading('TLS and proxies') },
  { name: 'docs-settings', address: '/#/docs/settings', ready: heading('Variables without effect') },
  { name: 'docs-troubleshooting', address: '/#/docs/troubleshooting', ready: heading('A job does not start') },
  { name: 'docs-problems', address: '/#/docs/problems/not-found', ready: heading('404 Not found') },
  { name: 'docs-from-the-guides', address: '/#/docs/from-the-guides', ready: heading('Wave guide') },
  { name: 'docs-glossary', address: '/#/docs/glossary', ready: heading('Sharing') },
  { name: 'docs-measured', address: '/#/docs/measured', ready: heading('Not measured') },
  { name: 'docs-operation', address: '/#/docs/createJob', ready: heading('With curl') },
  {
    name: 'docs-opened',
    address: '/#/docs/createJob',
    ready: async (page) => {
      await page.getByText('Members of args').click();
      await page.getByText('The body is valid JSON but does not match its schema').click();
      await page.getByText('/args/items/3/text').waitFor();
    },
  },
  { name: 'docs-many-answers', address: '/#/docs/getJobResults', signedOut: true, ready: heading('With curl') },
  { name: 'docs-schema', address: '/#/docs/schemas/SentimentReport', ready: heading('Used by') },
  { name: 'docs-clients', address: '/#/docs/clients', ready: heading('Other languages') },
  { name: 'docs-sentiment', address: '/#/docs/guides/sentiment', ready: heading('Scores by region, by source, over time') },
  { name: 'docs-profile', address: '/#/docs/guides/profile', ready: heading('How to read a report') },
  { name: 'docs-waves', address: '/#/docs/guides/waves', ready: heading('What significance means') },
  { name: 'docs-unknown', address: '/#/docs/juggle', ready: text('Operation not found') },
  { name: 'docs-loading', address: '/#/docs/api', arrange: hangs('GET /openapi.json'), ready: loading },
  { name: 'docs-failed', address: '/#/docs/api', arrange: fails('GET /openapi.json'), ready: text('Service unavailable') },
  { name: 'nowhere', address: '/#/nowhere', ready: text('Page not found') },
  { name: 'forbidden', address: '/#/new', arrange: viewer, ready: text('Your role has no access to this page') },
  { name: 'server-down', address: '/#/jobs', arrange: fails('GET /v1/users/me'), ready: text('Service unavailable') },
];
