/** Who may import whom: section 2 of the architecture, as rules. `scripts/checks/check-architecture.mjs` runs them. */

const { kindsBelow } = require('./scripts/start/nicKinds.cjs');

const OURS = '^(agents|api|bench|bin|config|coverage|dut-model|env|files|rdma|regress|scoreboard|sequences|tests|uvm)/';

/** Modules of a folder may import our own modules from the given places only, directly. */
function only(name, from, allowed) {
  return {
    name,
    severity: 'error',
    comment: `${from} may import only ${allowed.join(', ')}`,
    from: { path: from },
    to: { path: OURS, pathNot: allowed },
  };
}

/** Modules of a folder may not reach others, not even through a third. */
function never(name, from, to) {
  return { name, severity: 'error', from: { path: from }, to: { path: to, reachable: true } };
}

/** Everything of a kind of NIC; `dut-model/roce` is what kinds share. */
const CONCRETE_MODEL = '^dut-model/(?!nic(Knob)?\\.ts$)';
/** Of `uvm`, what a NIC may use: it is handed all else. */
const FOR_MODELS = ['^uvm/kernel/scheduler\\.ts$', '^uvm/random/', '^uvm/bytes/'];

/** Who may import whom within the folder of a kind, and what it may use of the kind that its entry names as its base. */
function wallsOf({ folder, base }) {
  const own = (...parts) => parts.map((part) => `^dut-model/${folder}/${part}/`);
  const ofBase = (...parts) =>
    base === undefined ? [] : parts.map((part) => `^dut-model/${base}/${part}/index\\.ts$`);
  const wall = (part, ...allowed) => only(`${part}-of-${folder}`, own(part)[0], [...own(part), '^rdma/', ...allowed]);
  const nic = '^dut-model/nic(Knob)?\\.ts$';
  const around = ['^env/', '^agents/', '^uvm/', '^scoreboard/model/(profile|transportChoices)\\.ts$'];
  const parts = ['layout', 'model', 'driver'];
  return [
    wall('layout', ...ofBase('layout')),
    wall('model', nic, '^dut-model/roce/', ...own('layout'), ...ofBase('layout', 'model'), ...FOR_MODELS),
    wall('driver', nic, ...own('layout'), ...ofBase('layout', 'driver'), ...around),
    wall('judge', ...own('layout'), '^scoreboard/', '^agents/', '^uvm/'),
    wall('bugs', nic, '^dut-model/roce/', ...own(...parts), ...ofBase(...parts), ...around),
    only(`entry-of-${folder}`, `^dut-model/${folder}/entry\\.ts$`, [
      nic,
      ...own(...parts, 'judge', 'bugs'),
      ...ofBase(...parts),
      '^env/',
      '^rdma/',
      '^uvm/',
    ]),
    only(`index-of-${folder}`, `^dut-model/${folder}/index\\.ts$`, [
      `^dut-model/${folder}/(${parts.join('|')})/index\\.ts$`,
    ]),
    {
      name: 'a-kind-has-five-rooms',
      severity: 'error',
      comment: 'a kind is the folders layout, model, driver, judge, bugs, its entry.ts and its index.ts',
      from: { path: `^dut-model/${folder}/(?!(layout|model|driver|judge|bugs)/|(entry|index)\\.ts$)` },
      to: {},
    },
  ];
}

/** From the top. Rooms of one floor are kept apart by the walls; of a kind, what models need lies below the agents. */
const FLOORS = [
  '^(api|bin|bench)/',
  '^(tests/[^/]+\\.ts$|regress/|sequences/)',
  '^config/',
  '^dut-model/((nicCatalog|index|kindParts)\\.ts$|[^/]+/((driver|judge|bugs)/|(entry|index)\\.ts$))',
  '^env/',
  '^(scoreboard|coverage)/',
  '^agents/',
  '^dut-model/(nic(Knob)?\\.ts$|roce/|[^/]+/(layout|model)/)',
  '^(rdma|files)/',
  '^uvm/',
];

/** Nothing is imported from a floor above one's own. */
function arrowsUp() {
  return FLOORS.slice(1).map((floor, i) => ({
    name: 'no-arrow-up',
    severity: 'error',
    comment: `${floor} is below ${FLOORS.slice(0, i + 1).join(', ')}`,
    from: { path: floor },
    to: { path: FLOORS.slice(0, i + 1) },
  }));
}

module.exports = {
  forbidden: [
    only('files-imports-nothing', '^files/', ['^files/']),
    only('rdma-imports-nothing', '^rdma/', ['^rdma/']),
    only('uvm-imports-nothing', '^uvm/', ['^uvm/']),
    only('what-kinds-share-sees-little', '^dut-model/(roce/|nic(Knob)?\\.ts$)', [
      '^dut-model/(roce/|nic(Knob)?\\.ts$)',
      '^rdma/',
      ...FOR_MODELS,
    ]),
    only('the-catalog-holds-entries', '^dut-model/nicCatalog\\.ts$', [
      '^dut-model/[^/]+/entry\\.ts$',
      '^env/nicKind\\.ts$',
    ]),
    only('the-index-for-kinds-elsewhere-names-indexes', '^dut-model/(index|kindParts)\\.ts$', [
      '^dut-model/kindParts\\.ts$',
      '^dut-model/(nic|nicKnob)\\.ts$',
      '^dut-model/roce/',
      '^dut-model/[^/]+/index\\.ts$',
      '^(env|scoreboard/model|agents|rdma|uvm)/',
    ]),
    ...kindsBelow(process.cwd()).flatMap(wallsOf),
    ...arrowsUp(),
    only('agents-see-no-model', '^agents/', ['^agents/', '^files/', '^uvm/', '^rdma/', '^dut-model/nic\\.ts$']),
    only('judges-see-transactions', '^(scoreboard|coverage)/', [
      '^scoreboard/',
      '^coverage/',
      '^uvm/',
      '^rdma/',
      '^agents/',
    ]),
    only('env-builds', '^env/', [
      '^files/',
      '^env/',
      '^agents/',
      '^scoreboard/',
      '^coverage/',
      '^uvm/',
      '^rdma/',
      '^dut-model/nic(Knob)?\\.ts$',
    ]),
    only('sequences-see-the-host-api', '^sequences/', [
      '^files/',
      '^sequences/',
      '^config/',
      '^env/',
      '^agents/',
      '^uvm/',
      '^rdma/',
    ]),
    only('config-reads-parameters', '^config/', [
      '^files/',
      '^config/',
      '^env/',
      // The languages of fault rules and of packets to be injected, which are typed as parameters are.
      '^agents/link/faults/',
      '^agents/link/inject/injectRule\\.ts$',
      '^agents/pcie/faults/',
      // Names of the rows of the judge, which are typed too.
      '^scoreboard/model/judgeRows\\.ts$',
      // Words for requests and packets, as a scenario has them.
      '^agents/verbs/verbsItems\\.ts$',
      '^agents/wire/packetTexts\\.ts$',
      '^uvm/',
      '^rdma/',
    ]),
    only('tests-choose', '^tests/[^/]+\\.ts$', [
      '^files/',
      '^tests/[^/]+\\.ts$',
      '^sequences/',
      '^config/',
      '^env/',
      '^agents/',
      '^scoreboard/',
      '^coverage/',
      '^uvm/',
      '^rdma/',
      '^dut-model/nic\\.ts$',
    ]),
    only('regress-looks-into-no-run', '^regress/', [
      '^files/',
      '^regress/',
      '^uvm/cmdline/(nearest|shellQuote)\\.ts$',
      '^uvm/kernel/time\\.ts$',
      '^uvm/report/(counted|visibleText)\\.ts$',
      '^uvm/base/(glob|wildcard)\\.ts$',
      // What there is to cover and how much of it is: plain data, and nothing that samples.
      '^uvm/coverage/(model|score|binSpec)\\.ts$',
      // What closure draws.
      '^uvm/random/',
    ]),
    never('scoreboard-reaches-no-model', '^(scoreboard|coverage)/', CONCRETE_MODEL),
    never('scoreboard-reaches-no-stimulus', '^(scoreboard|coverage)/', '^(sequences|env)/'),
    {
      name: 'models-are-named-by-registries',
      severity: 'error',
      comment: 'only bin, registries and the benchmarks name a concrete NIC model',
      from: { path: OURS, pathNot: '^(bin|bench|dut-model|tests/spec)/' },
      to: { path: CONCRETE_MODEL },
    },
    {
      name: 'specs-are-for-specs',
      severity: 'error',
      from: { path: OURS, pathNot: '^tests/spec/' },
      to: { path: '^tests/spec/' },
    },
    {
      name: 'nothing-imports-bin',
      severity: 'error',
      from: { path: OURS, pathNot: '^(bin|bench|tests/spec)/' },
      to: { path: '^bin/' },
    },
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'no-development-packages-at-run-time',
      severity: 'error',
      from: { path: OURS, pathNot: '^tests/spec' },
      // What is there only for those who install it is a development package here.
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only', 'npm-peer'] },
    },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
