// The page of models, with a pull that runs, and what is asked before a model goes.
import { everyScope, models } from '../fake/data.mjs';
import { operation } from '../fake/models.mjs';
import { fails, hangs, loading, text } from './arrangements.mjs';

const withModels = (server) => {
  server.models = models;
};
const pulling = (server) => {
  withModels(server);
  const done = { state: 'succeeded', action: 'verify', source: null, stage: 'Verifying finbert', finished_at: '2026-05-04T09:29:04.000Z' };
  const failed = { state: 'failed', model: 'desk', error: 'huggingface.co has no model "desk", or the model has no such revision.', finished_at: '2026-05-04T09:29:01.000Z' };
  server.modelOperations = [operation({ model: 'roberta', stage: 'Fetching cardiffnlp/twitter-roberta-base-sentiment-latest' }), operation({ id: 'modelop_2', ...done }), operation({ id: 'modelop_3', ...failed })];
};
const address = '/#/settings/models';

export const modelViews = [
  { name: 'models', address, arrange: withModels, ready: text('418 MiB') },
  { name: 'models-pulling', address, arrange: pulling, ready: text('Fetching cardiffnlp') },
  { name: 'models-empty', address, ready: text('No models besides vader yet') },
  { name: 'models-loading', address, arrange: hangs('GET /v1/models'), ready: loading },
  { name: 'models-failed', address, arrange: fails('GET /v1/models'), ready: text('Service unavailable') },
  {
    name: 'models-read-only',
    address,
    arrange: (server) => {
      withModels(server);
      server.scopes = everyScope.filter((scope) => scope !== 'sys:admin');
    },
    ready: text('fp32, int8'),
  },
  {
    name: 'models-details',
    address,
    arrange: withModels,
    ready: async (page) => {
      await page.getByText('Details of finbert').click();
      await page.getByText('labels match fp32').first().waitFor();
    },
  },
  {
    name: 'models-pull',
    address,
    arrange: withModels,
    ready: async (page) => {
      await page.getByRole('button', { name: 'Pull a model' }).click();
      await page.getByRole('dialog').getByLabel('Revision').waitFor();
    },
  },
  {
    name: 'models-remove',
    address,
    arrange: (server) => {
      withModels(server);
      server.modelUses.set('finbert', 'The model finbert is used by the policy desk.');
    },
    ready: async (page) => {
      await page.getByRole('button', { name: 'Remove finbert' }).click();
      await page.getByRole('dialog').getByText('used by the policy desk').waitFor();
    },
  },
];
