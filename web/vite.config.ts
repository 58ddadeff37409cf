import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';
import { budget } from './tools/budget';
import { sharedChunks } from './tools/chunks';
import { compress } from './tools/compress';
import { documents } from './tools/documents';
import { early } from './tools/early';

// During `npm run dev` the API is a `plimsoll serve` that is already running.
const server = process.env.PLIMSOLL_URL ?? 'http://127.0.0.1:7272';

// What the first page shows beyond the frame; every other part is loaded when it is shown.
const first = ['/src/routes/home/HomePage.svelte', '/src/jobs/training-config/home/FitAnswer.svelte'];

export default defineConfig({
  plugins: [
    svelte(),
    documents(),
    early({
      home: first,
      jobs: ['/src/routes/jobs/JobsPage.svelte'],
      job: ['/src/routes/jobs/JobPage.svelte'],
      queue: ['/src/routes/queue/QueuePage.svelte'],
      devices: ['/src/routes/devices/DevicesPage.svelte'],
      api: ['/src/routes/docs/ApiPage.svelte'],
      document: ['/src/routes/docs/NamedPage.svelte'],
    }),
    // Of 58.2 and 83.9 kB: a kind of one's own finds room, as tests/kind/example must.
    budget({ first, firstKilobytes: 61, partKilobytes: 87, styleKilobytes: 18.5 }),
    compress({ extensions: ['.js', '.css', '.csv', '.html', '.svg'] }),
  ],
  build: {
    target: 'es2022',
    // Nothing may be inlined as data: URLs; the content policy allows only this origin.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // One small style sheet for all pages: no page is ever shown without its styles.
    cssCodeSplit: false,
    // Many tiny files wait for one another's connections.
    rollupOptions: { output: { manualChunks: sharedChunks(first), experimentalMinChunkSize: 3_000 } },
  },
  server: {
    proxy: Object.fromEntries(['/v1', '/openapi'].map((path) => [path, { target: server, changeOrigin: true }])),
    // The pages show what lies there.
    fs: { allow: ['.', '../deploy', '../server/GLOSSARY.md', '../tests/bench/results.json'] },
  },
});
