// Model policies and comparisons: their page, the form that offers them, and reports by them.
import { makeJob, makeReport, makeResults, models } from '../fake/data.mjs';
import { compare, grouped } from '../fake/sentiment-reports.mjs';
import { desk, unused } from '../fake/policies.mjs';
import { fails, hangs, heading, loading, text } from './arrangements.mjs';

const withDesk = (server) => {
  server.policies = [desk];
  server.models = models;
};

const byPolicy = (server) => {
  const job = makeJob('job_p', { state: 'succeeded', finished_at: '2026-03-02T15:00:04.000Z', progress: { items_total: 40, items_done: 40, items_failed: 0, eta_seconds: null } });
  const [asked, other] = ['distilbert', 'finbert'];
  const hash = models.items[1].hash;
  const rows = makeResults(40).map((row, place) =>
    place % 3 === 0 ? { ...row, model: 'vader', model_asked: 'vader', model_reason: 'no rule matches' }
    : { ...row, model: other, model_asked: asked, model_reason: 'rule 2: market regular; no worker has distilbert' },
  );
  const report = makeReport(job, rows, other);
  report.summary = {
    ...report.summary, model: null, model_hash: null, policy: { id: 'desk', at: '2026-03-02T15:00:00.000Z' },
    choices: [
      { model: 'vader', model_hash: null, form: null, asked: 'vader', rule: null, fallback: null, items: 14 },
      { model: other, model_hash: hash, form: 'fp32', asked, rule: 2, fallback: 'no worker has distilbert', items: 26 },
    ],
  };
  server.add(job);
  server.results.set(job.id, rows);
  server.reports.set(job.id, report);
};

export const policyViews = [
  { name: 'policies', address: '/#/settings/policies', arrange: withDesk, ready: text('Next switch') },
  { name: 'policies-empty', address: '/#/settings/policies', ready: text('Your team has no policies yet') },
  { name: 'policies-loading', address: '/#/settings/policies', arrange: hangs('GET /v1/policies'), ready: loading },
  { name: 'policies-failed', address: '/#/settings/policies', arrange: fails('GET /v1/policies'), ready: text('Service unavailable') },
  {
    name: 'policies-unused',
    address: '/#/settings/policies',
    arrange: (server) => {
      withDesk(server);
      server.savings = unused;
    },
    ready: text('No texts were scored'),
  },
  { name: 'policies-use-failed', address: '/#/settings/policies', arrange: fails('GET /v1/policy-report'), ready: text('Service unavailable') },
  { name: 'policies-week-failed', address: '/#/settings/policies', arrange: fails('POST /v1/policy-previews'), ready: text('Service unavailable') },
  {
    name: 'policies-edit',
    address: '/#/settings/policies',
    arrange: withDesk,
    ready: async (page) => {
      await page.getByRole('button', { name: 'Edit desk' }).click();
      await page.getByRole('region', { name: 'Chosen models' }).getByText('Next switch').waitFor();
    },
  },
  {
    name: 'new-sentiment-policy',
    address: '/#/new/sentiment',
    arrange: withDesk,
    ready: async (page) => {
      await page.getByLabel('Model').selectOption('policy desk');
      await page.getByText('distilbert if the market is').waitFor();
    },
  },
  {
    name: 'new-sentiment-scored',
    address: '/#/new/sentiment',
    arrange: withDesk,
    ready: async (page) => {
      await page.getByRole('button', { name: 'Fill in five sample headlines' }).click();
      await page.getByLabel('Model').selectOption('model finbert');
      await page.getByRole('button', { name: 'Score now' }).click();
      await page.getByRole('list', { name: 'Scores' }).getByText('by finbert').first().waitFor();
    },
  },
  {
    name: 'new-sentiment-unscored',
    address: '/#/new/sentiment',
    arrange: (server) => {
      withDesk(server);
      server.unscored = 'The job did not finish within 10 s. It is next in line: every device of class cpu is busy with other work.';
    },
    ready: async (page) => {
      await page.getByRole('button', { name: 'Fill in five sample headlines' }).click();
      await page.getByRole('button', { name: 'Score now' }).click();
      await page.getByRole('list', { name: 'Scores' }).getByText('It is next in line').first().waitFor();
    },
  },
  {
    name: 'new-sentiment-compare',
    address: '/#/new/sentiment',
    arrange: withDesk,
    ready: async (page) => {
      await page.getByText('109 million parameters').waitFor();
      await page.getByLabel('Model', { exact: true }).selectOption('compare');
      await page.getByRole('group', { name: 'Models to compare' }).getByText('finbert (in use)').waitFor();
    },
  },
  {
    name: 'compare-models',
    address: '/#/new/sentiment/compare-models',
    arrange: (server) => {
      withDesk(server);
      compare(server);
    },
    ready: async (page) => {
      await page.getByRole('group', { name: 'Models to compare' }).getByText('finbert (in use)').waitFor();
      await page.getByRole('region', { name: 'Latest comparisons' }).getByRole('link').first().waitFor();
    },
  },
  { name: 'compare-models-alone', address: '/#/new/sentiment/compare-models', ready: text('No recent comparisons') },
  { name: 'compare-models-loading', address: '/#/new/sentiment/compare-models', arrange: hangs('GET /v1/jobs'), ready: loading },
  { name: 'compare-models-failed', address: '/#/new/sentiment/compare-models', arrange: fails('GET /v1/jobs'), ready: text('Service unavailable') },
  { name: 'report-sentiment-compared', address: '/#/jobs/job_c', arrange: compare, ready: text('the most accurate') },
  { name: 'report-sentiment-compared-unlabelled', address: '/#/jobs/job_c', arrange: (server) => compare(server, { given: false }), ready: text('No model is recommended') },
  { name: 'report-sentiment-groups', address: '/#/jobs/job_g', arrange: grouped, ready: heading('By group') },
  { name: 'report-sentiment-policy', address: '/#/jobs/job_p', arrange: byPolicy, ready: text('Rule 2') },
];
