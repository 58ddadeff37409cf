// graphile-worker and pg-boss at their best documented settings, one measurement a run:
//
//     node peers.mjs PEER MEASUREMENT COUNT        with PEERS_DATABASE_URL; prints one line of JSON
//
// work     COUNT no-op jobs that wait: from the first job's start until the last is recorded
// bulk     COUNT jobs in calls of 1,000 on 4 connections
// single   COUNT jobs, one a call, 8 calls in flight
// road     COUNT jobs, one a call, 8 calls in flight, while they are worked off: from the first call until the last is
//          recorded
// pick_up  COUNT jobs one after the other on an idle queue: from the call, and from its acknowledgement, to the handler's
//          start, which may come before the acknowledgement has arrived
//
// graphile-worker: its own performance test's settings (perfTest/graphile.config.js). pg-boss: batches of 1,000 in two
// loops that go on while a batch was full; LISTEN/NOTIFY for the pick-up.
import { createRequire } from 'node:module';
import { once, EventEmitter } from 'node:events';
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';

const modules = path.resolve(process.env.PEERS_MODULES);
const require = createRequire(path.join(modules, 'index.js'));
const connectionString = process.env.PEERS_DATABASE_URL;
const [, , peer, measurement, given] = process.argv;
const count = Number(given);
const name = `noop_${measurement}`;
const now = () => performance.timeOrigin + performance.now();

// The jobs' payload: as short as ours.
const payload = (n) => ({ n });

async function inParallel(width, total, call) {
  let next = 0;
  const lane = async () => { while (next < total) await call(next++); };
  await Promise.all(Array.from({ length: width }, lane));
}

class Graphile {
  constructor() { this.handled = 0; this.heard = new EventEmitter(); }

  async open() {
    const { makeWorkerUtils, run } = require('graphile-worker');
    this.pool = new (require('pg').Pool)({ connectionString, max: 25 });
    this.pool.on('error', console.error).on('connect', (client) => client.on('error', console.error));
    this.utils = await makeWorkerUtils({ pgPool: this.pool });
    await this.utils.migrate();
    this.run = run;
  }

  async one(n) { await this.utils.addJob(name, payload(n)); }

  async many(first, size) {
    await this.utils.addJobs(Array.from({ length: size }, (_, i) => ({ identifier: name, payload: payload(first + i) })));
  }

  async start(many) {
    const { Logger } = require('graphile-worker');
    this.runner = await this.run({
      connectionString, noHandleSignals: true, logger: new Logger(() => () => {}),
      preset: { worker: {
        concurrentJobs: 24, maxPoolSize: 25, pollInterval: 2000,
        ...(many ? { localQueue: { size: 500, refetchDelay: { durationMs: 10 } }, completeJobBatchDelay: 0, failJobBatchDelay: 0 } : {}),
      } },
      taskList: { [name]: () => this.handle() },
    });
  }

  handle() {
    this.first ??= now();
    this.handled++;
    this.heard.emit('job', now());
  }

  async left() { return Number((await this.pool.query('select count(*) n from graphile_worker._private_jobs')).rows[0].n); }

  async close() { await this.runner?.stop(); await this.utils.release(); await this.pool.end(); }
}

class Boss {
  constructor() { this.handled = 0; this.heard = new EventEmitter(); }

  async open() {
    const { PgBoss } = await import(pathToFileURL(require.resolve('pg-boss')));
    this.pool = new (require('pg').Pool)({ connectionString, max: 2 });
    this.boss = new PgBoss({ connectionString, max: 10, useListenNotify: true });
    this.boss.on('error', (error) => { console.error(error); process.exitCode = 1; });
    await this.boss.start();
    await this.boss.createQueue(name, { notify: measurement === 'pick_up' });
  }

  async one(n) { await this.boss.send(name, payload(n)); }

  async many(first, size) {
    await this.boss.insert(name, Array.from({ length: size }, (_, i) => ({ data: payload(first + i) })));
  }

  async start(many) {
    const options = many ? { batchSize: 1000, localConcurrency: 2, burstWhenBatchFull: true, pollingIntervalSeconds: 0.5 } : { pollingIntervalSeconds: 0.5 };
    await this.boss.work(name, options, async (jobs) => {
      this.first ??= now();
      this.handled += jobs.length;
      this.heard.emit('job', now());
    });
  }

  async left() { return Number((await this.pool.query("select count(*) n from pgboss.job where name = $1 and state < 'completed'", [name])).rows[0].n); }

  async close() { await this.boss.stop({ graceful: false }); await this.pool.end(); }
}

const measurements = {
  async work(queue) {
    for (let first = 0; first < count; first += 1000) await queue.many(first, Math.min(1000, count - first));
    await queue.pool.query('analyze');
    await queue.start(true);
    while (queue.handled < count) await once(queue.heard, 'job');
    while (await queue.left()) await new Promise((resume) => setTimeout(resume, 1));
    return { per_second: count / (now() - queue.first) * 1000 };
  },

  async bulk(queue) {
    const start = now();
    await inParallel(4, count / 1000, (n) => queue.many(n * 1000, 1000));
    return { per_second: count / (now() - start) * 1000 };
  },

  async single(queue) {
    await inParallel(8, 50, (n) => queue.one(n));
    const start = now();
    await inParallel(8, count, (n) => queue.one(n));
    return { per_second: count / (now() - start) * 1000 };
  },

  async road(queue) {
    await queue.start(true);
    const start = now();
    await inParallel(8, count, (n) => queue.one(n));
    while (queue.handled < count) await once(queue.heard, 'job');
    while (await queue.left()) await new Promise((resume) => setTimeout(resume, 1));
    return { per_second: count / (now() - start) * 1000 };
  },

  async pick_up(queue) {
    await queue.start(false);
    const calls = [];
    const acknowledgements = [];
    for (let n = 0; n < count + 5; ++n) {
      const started = once(queue.heard, 'job');
      const called = now();
      await queue.one(n);
      const acknowledged = now();
      const [at] = await started;
      if (n >= 5) {
        calls.push(at - called);
        acknowledgements.push(at - acknowledged);
      }
      // Idle: everything that the last job left behind is done.
      await new Promise((resume) => setTimeout(resume, 30));
    }
    const place = (times, share) => times.sort((a, b) => a - b)[Math.min(count - 1, Math.floor(count * share))];
    return {
      p50_ms: place(acknowledgements, 0.5), p99_ms: place(acknowledgements, 0.99),
      call_p50_ms: place(calls, 0.5), call_p99_ms: place(calls, 0.99),
    };
  },
};

const queue = peer === 'graphile-worker' ? new Graphile() : new Boss();
await queue.open();
console.log(JSON.stringify(await measurements[measurement](queue)));
await queue.close();
process.exit();
