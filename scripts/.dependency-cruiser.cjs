// The folder rules of docs/architecture.md: dependencies point down only.
const LOOPS = ['submit', 'poll', 'cancel', 'reconcile', 'held-notes', 'credentials', 'housekeeping', 'monitoring'];
const FEATURES = [
  'submission',
  'status',
  'taxpayer',
  'cancellation',
  ...LOOPS.map((loop) => `dispatcher/${loop}`),
  'health',
  'cli',
];
/** The folders of src/, from the top down: none imports from a layer above its own. A folder that is not here is refused. */
const LAYERS = [
  ['processes'],
  // They may import every feature, and no feature imports them.
  ['dashboard-api', 'extensions'],
  FEATURES,
  [
    'accounts',
    'audit',
    'auth',
    'tenants',
    'credits',
    'idempotency',
    'authority',
    'dispatcher/operations',
    'dispatcher/queue',
    'dispatcher/releases',
    'recovery',
    'process-reports',
    'document-events',
    'rate-limits',
    'paper',
    'evidence',
  ],
  ['entities', 'database'],
  ['documents'],
  ['validation', 'http'],
  ['errors'],
  ['common', 'config', 'failpoints', 'loops', 'signing', 'tracing'],
];
const foldersOf = (...layers) => `^src/(${layers.flat().join('|')})/`;
const KNOWN = foldersOf(...LAYERS);
// Start the whole service with the extension.
const EXTENSION_SPECS = '^src/extensions/.+\\.spec\\.ts$';
const OUTSIDE = '^(standalone|bench|test|docs/examples|simulator|dashboard|clients|sandbox-suite|site)/';

const UNKNOWN_FOLDER = 'A file of src/ is in a folder of a layer: add a new folder to LAYERS.';

const forbid = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

module.exports = {
  forbidden: [
    forbid('no-cycles', 'Two files that need each other are one thing, or hide a third.', {}, { circular: true }),
    forbid('no-unresolvable', 'Every import exists.', {}, { couldNotResolve: true }),
    forbid(
      'features-apart',
      'Features, and the loops of the dispatcher, never import each other; what two share moves down.',
      { path: foldersOf(FEATURES) },
      { path: foldersOf(FEATURES), pathNot: '^src/$1/' },
    ),
    forbid(
      'loops-import-the-queue-only',
      "A loop and the dispatcher's core queue/ know nothing of the operators' decisions.",
      { path: foldersOf('dispatcher/queue', ...LOOPS.map((loop) => `dispatcher/${loop}`)) },
      { path: foldersOf('dispatcher/releases', 'dispatcher/operations') },
    ),
    ...LAYERS.slice(1).map((layer, index) =>
      forbid(
        `${layer[0]}-and-its-layer-point-down`,
        'Dependencies point down.',
        { path: foldersOf(layer), pathNot: EXTENSION_SPECS },
        { path: foldersOf(...LAYERS.slice(0, index + 1)) },
      ),
    ),
    forbid(
      'domain-is-pure',
      'documents/ needs no framework and no database.',
      { path: foldersOf('documents'), pathNot: '\\.spec\\.ts$' },
      { path: 'node_modules/(@nestjs|typeorm|pg|fastify)/' },
    ),
    // Three rules, because a folder may import, be imported, or do neither.
    forbid('folder-has-a-layer', UNKNOWN_FOLDER, { path: '^src/', pathNot: KNOWN }, {}),
    forbid('folder-imported-has-a-layer', UNKNOWN_FOLDER, {}, { path: '^src/', pathNot: KNOWN }),
    forbid('folder-alone-has-a-layer', UNKNOWN_FOLDER, { orphan: true, path: '^src/', pathNot: KNOWN }, {}),
    forbid(
      'product-stands-alone',
      'src/ imports nothing from outside.',
      { path: '^src/', pathNot: EXTENSION_SPECS },
      { path: OUTSIDE },
    ),
    forbid(
      'simulator-stands-alone',
      'The stand-in shares no code with the service.',
      { path: '^simulator/' },
      { path: '^(src|standalone|bench|test)/' },
    ),
    forbid(
      'dashboard-stands-alone',
      'The dashboard knows the service by its OpenAPI document only.',
      { path: '^dashboard/' },
      { path: '^(src|simulator|standalone|bench|test)/' },
    ),
    forbid(
      'clients-stand-alone',
      'A client of the service has its own code only, and no dependency.',
      { path: '^clients/', pathNot: '\\.spec\\.ts$' },
      { pathNot: '^clients/' },
    ),
    forbid(
      'sandbox-suite-stands-alone',
      'The suite knows a deployment by its address and keys, and the interface by openapi.json.',
      { path: '^sandbox-suite/' },
      { path: '^(src|simulator|standalone|bench|test|docs/examples|dashboard|clients)/' },
    ),
    forbid(
      'site-knows-the-errors-only',
      'The docs site is made from openapi.json and from the table of errors.',
      { path: '^site/' },
      {
        path: '^(src|simulator|standalone|bench|test|docs/examples|dashboard|clients|sandbox-suite)/',
        pathNot: '^src/errors/',
      },
    ),
    forbid(
      'pages-apart',
      'Pages of the dashboard never import each other; what two share moves to its parts.',
      { path: '^dashboard/src/pages/([^/]+)/' },
      { path: '^dashboard/src/pages/', pathNot: '^dashboard/src/pages/$1/' },
    ),
    forbid(
      'parts-know-no-page',
      'Dependencies point down.',
      { path: '^dashboard/src/(parts|api)/' },
      { path: '^dashboard/src/(pages|shell)/|^dashboard/src/[^/]+$' },
    ),
    forbid(
      'traces-off-load-no-sdk',
      "OpenTelemetry's SDK is loaded with src/tracing/open-telemetry.ts, and only if traces are configured.",
      { path: '^src/', pathNot: '^src/tracing/open-telemetry\\.ts$' },
      { path: 'node_modules/@opentelemetry/(?!api/)' },
    ),
    forbid(
      'traces-off-load-no-exporter',
      'It is imported by `await import(…)`.',
      { path: '^src/' },
      { path: '^src/tracing/open-telemetry\\.ts$', dynamic: false },
    ),
    forbid('standalone-uses-no-tests', 'Tests are at the top.', { path: '^standalone/' }, { path: '^test/' }),
    forbid(
      'bench-uses-the-harness-only',
      'What starts programs and databases is one thing for tests and bench.',
      { path: '^bench/' },
      { path: '^test/', pathNot: '^test/support/(program|processes|postgres|ports)\\.ts$' },
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
