/** The pages of README and `docs` as a static site with local search. Links that lead nowhere end the build. */

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

const page = (text, name) => ({ text, link: `/docs/${name}` });

export default defineConfig({
  title: 'rnic-verify',
  description: 'Constrained-random verification of RDMA NICs',
  // Copied there by build.mjs: pages are compiled to modules that import packages from beside this file.
  srcDir: 'pages',
  outDir: join(ROOT, 'out/site'),
  cacheDir: join(ROOT, 'out/site-cache'),
  rewrites: { 'README.md': 'index.md' },
  cleanUrls: false,
  lastUpdated: false,
  // Pages speak of <out> and {names}: text, and no tags of the generator.
  markdown: { html: false },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Run', link: '/docs/running' },
      { text: 'Checks', link: '/docs/checks' },
      { text: 'Plusargs', link: '/docs/parameters' },
      { text: 'Index', link: '/docs/find' },
      { text: 'Changes', link: '/CHANGELOG' },
    ],
    sidebar: [
      {
        text: 'Run and triage',
        items: [page('Running', 'running'), page('Shrinking', 'shrink'), page('Farms', 'farm'), page('Scale', 'scale')],
      },
      {
        text: 'Look up',
        items: [
          page('Plusargs', 'parameters'),
          page('Checks', 'checks'),
          page('Sequences', 'sequences'),
          page('Records', 'records'),
          page('Terms', 'glossary'),
          page('Index', 'find'),
        ],
      },
      {
        text: 'Write',
        items: [
          page('A sequence', 'writing-a-sequence'),
          page('A test', 'writing-a-test'),
          page('A covergroup', 'writing-a-covergroup'),
          page('A scenario file', 'scenario-file'),
          page('Faults', 'faults'),
        ],
      },
      {
        text: 'NICs',
        items: [
          page('Connect a DUT', 'connecting-a-dut'),
          page('HanGu', 'hangu-model'),
          page('blue-rdma', 'blue-rdma'),
          page('Memory on the card', 'card-memory'),
          page('Atomics', 'atomics'),
        ],
      },
      {
        text: 'How well it checks',
        items: [
          page('Conformance', 'conformance'),
          page('Planted bugs', 'detection'),
          page('Rules of the judge', 'mutation'),
        ],
      },
      {
        text: 'Measure',
        items: [page('perftest', 'perf'), page('Captures', 'captures'), page('Benchmarks', 'benchmarks')],
      },
      {
        text: 'The harness',
        items: [
          page('Architecture', 'architecture'),
          page('Kernel', 'uvm'),
          page('Package', 'package'),
          page('Sources', 'sources'),
        ],
      },
    ],
  },
});
