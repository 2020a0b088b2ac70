// Enforces the layers of docs/architecture.md.
const LOOPS = ['submit', 'poll', 'cancel', 'reconcile', 'held-notes', 'credentials', 'housekeeping', 'monitoring'];
const FEATURES = [
  'submission',
  'status',
  'taxpayer',
  'cancellation',
  ...LOOPS.map((loop) => `dispatcher/${loop}`),
  'observability/health',
  'cli',
];
/** Layers of src/ from top to bottom. No folder imports from a higher layer, and every folder must be listed here. */
const LAYERS = [
  ['processes'],
  // These folders may import every feature, but no feature may import them.
  ['dashboard-api', 'extensions'],
  FEATURES,
  [
    'accounts',
    'tenants',
    'credits',
    'idempotency',
    'authority',
    'dispatcher/operations',
    'dispatcher/queue',
    'dispatcher/releases',
    'recovery',
    'observability/process-reports',
    'document-events',
    'rate-limits',
    'paper',
  ],
  ['entities', 'database'],
  ['documents'],
  ['http'],
  ['errors'],
  ['common', 'config', 'observability/tracing'],
];
const foldersOf = (...layers) => `^src/(${layers.flat().join('|')})/`;
const KNOWN = foldersOf(...LAYERS);
// These specs start the whole service, so they may import from any layer.
const EXTENSION_SPECS = '^src/extensions/.+\\.spec\\.ts$';
const OUTSIDE = '^(standalone|bench|test|docs/examples|simulator|dashboard|clients|sandbox-suite|site)/';

const from = (folders) => ({ path: `^(${folders})/` });
const SERVICE = 'src|simulator|standalone|bench|test';
/** Folders with few dependencies: the reason and the forbidden imports. */
const STANDALONE = {
  simulator: ['The simulator must not share code with the service.', from('src|standalone|bench|test')],
  dashboard: ['The dashboard may depend only on the OpenAPI document of the service.', from(SERVICE)],
  clients: ['A client must not import other folders or packages.', { pathNot: '^clients/' }],
  'sandbox-suite': [
    'The suite may depend only on openapi.json and on the address and keys of a deployment.',
    from(`${SERVICE}|docs/examples|dashboard|clients`),
  ],
  site: [
    'The docs site may depend only on openapi.json and on the table of errors.',
    { ...from(`${SERVICE}|docs/examples|dashboard|clients|sandbox-suite`), pathNot: '^src/errors/' },
  ],
};

const UNKNOWN_FOLDER = 'Every folder of src/ must have a layer: add new folders to LAYERS.';

const forbid = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

module.exports = {
  forbidden: [
    forbid('no-cycles', 'Break the cycle: merge the files or extract the shared part.', {}, { circular: true }),
    forbid('no-unresolvable', 'Every import must resolve.', {}, { couldNotResolve: true }),
    forbid(
      'features-apart',
      'Features and dispatcher loops must not import each other. Move shared code to a lower layer.',
      { path: foldersOf(FEATURES) },
      { path: foldersOf(FEATURES), pathNot: '^src/$1/' },
    ),
    forbid(
      'loops-import-the-queue-only',
      "Loops and the dispatcher's core queue/ must not depend on operators' decisions.",
      { path: foldersOf('dispatcher/queue', ...LOOPS.map((loop) => `dispatcher/${loop}`)) },
      { path: foldersOf('dispatcher/releases', 'dispatcher/operations') },
    ),
    ...LAYERS.slice(1).map((layer, index) =>
      forbid(
        `${layer[0]}-and-its-layer-point-down`,
        'A folder must not import from a higher layer.',
        { path: foldersOf(layer), pathNot: EXTENSION_SPECS },
        { path: foldersOf(...LAYERS.slice(0, index + 1)) },
      ),
    ),
    forbid(
      'domain-is-pure',
      'documents/ must not depend on a framework or a database.',
      { path: foldersOf('documents'), pathNot: '\\.spec\\.ts$' },
      { path: 'node_modules/(@nestjs|typeorm|pg|fastify)/' },
    ),
    // Three rules cover folders that import, folders that are imported, and isolated folders.
    forbid('folder-has-a-layer', UNKNOWN_FOLDER, { path: '^src/', pathNot: KNOWN }, {}),
    forbid('folder-imported-has-a-layer', UNKNOWN_FOLDER, {}, { path: '^src/', pathNot: KNOWN }),
    forbid('folder-alone-has-a-layer', UNKNOWN_FOLDER, { orphan: true, path: '^src/', pathNot: KNOWN }, {}),
    forbid(
      'product-stands-alone',
      'src/ must not import from other folders.',
      { path: '^src/', pathNot: EXTENSION_SPECS },
      { path: OUTSIDE },
    ),
    ...Object.entries(STANDALONE).map(([folder, [comment, to]]) =>
      forbid(`${folder}-stands-alone`, comment, { path: `^${folder}/`, pathNot: '\\.spec\\.ts$' }, to),
    ),
    forbid(
      'pages-apart',
      'Pages of the dashboard must not import each other. Move shared code to dashboard/src/parts.',
      { path: '^dashboard/src/pages/([^/]+)/' },
      { path: '^dashboard/src/pages/', pathNot: '^dashboard/src/pages/$1/' },
    ),
    forbid(
      'parts-know-no-page',
      'Parts of the dashboard must not import pages.',
      { path: '^dashboard/src/(parts|api)/' },
      { path: '^dashboard/src/(pages|shell)/|^dashboard/src/[^/]+$' },
    ),
    forbid(
      'traces-off-load-no-sdk',
      "OpenTelemetry's SDK is loaded with src/observability/tracing/open-telemetry.ts, and only if traces are configured.",
      { path: '^src/', pathNot: '^src/observability/tracing/open-telemetry\\.ts$' },
      { path: 'node_modules/@opentelemetry/(?!api/)' },
    ),
    forbid(
      'traces-off-load-no-exporter',
      'The exporter must be imported with `await import(…)`.',
      { path: '^src/' },
      { path: '^src/observability/tracing/open-telemetry\\.ts$', dynamic: false },
    ),
    forbid(
      'standalone-uses-no-tests',
      'standalone/ must not import tests.',
      { path: '^standalone/' },
      { path: '^test/' },
    ),
    forbid(
      'bench-uses-the-harness-only',
      'bench/ may import only the test helpers that start programs and databases.',
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
