// The real `plimsoll serve` with a private database in a folder of its own, behind a proxy that holds every response to
// the contract.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { pages } from './views.mjs';

/** Starts it and waits until it says that it is ready. */
export async function startReal() {
  const folder = await mkdtemp(join(tmpdir(), 'plimsoll-browser-'));
  // As root the database runs as another user, who must be able to reach its folder.
  await chmod(folder, 0o755);
  const program = join(process.env.PLIMSOLL_BIN ?? 'build/release/bin', 'plimsoll');
  const options = ['serve', '--port', '0', '--data', join(folder, 'data'), '--http.web_directory', pages];
  const child = spawn(program, options, { stdio: ['ignore', 'pipe', 'pipe'] });
  const log = [];
  const server = { url: undefined, signInLink: undefined, stop };
  let proxy;
  const violations = [];

  async function stop() {
    if (proxy) {
      const ended = once(proxy, 'exit');
      proxy.stdin.end();
      await ended;
    }
    if (child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    }
    await rm(folder, { recursive: true, force: true });
    if (violations.length > 0) throw new Error(`responses that the contract does not allow:\n${violations.join('\n')}`);
  }

  /** The address of a proxy in front of the server. */
  async function checked(url) {
    proxy = spawn('tests/support/contract_proxy.py', [url], { stdio: ['pipe', 'pipe', 'inherit'] });
    return new Promise((resolve, reject) => {
      createInterface({ input: proxy.stdout }).on('line', (line) => {
        if (line.startsWith('ready ')) resolve(line.slice('ready '.length));
        else violations.push(line);
      });
      proxy.on('exit', () => reject(new Error('the proxy ended')));
      proxy.on('error', reject);
    });
  }

  await new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on('line', (line) => {
        log.push(line);
        const [word, address] = line.split(' ');
        if (word === 'ready') server.url = address;
        if (server.url) resolve();
      });
    }
    child.on('error', reject);
    child.on('exit', () => reject(new Error(`the server ended before it was ready:\n${log.join('\n')}`)));
  }).catch(async (error) => {
    await stop();
    throw error;
  });
  server.url = await checked(server.url);
  const asked = ['admin', '--data', join(folder, 'data'), 'sign-in-link', '--base-url', server.url];
  server.signInLink = (await promisify(execFile)(program, asked)).stdout.trim();
  return server;
}
