// The folder rules of docs/architecture.md: dependencies point down only.
const FEATURES = '^src/(submission|status|taxpayer|cancellation|dispatcher|health|cli)/';
const SERVICES = '^src/(accounts|audit|auth|tenants|credits|idempotency|authority|queue-operations)/';
// The second face of the features: it may use them all, and none of them knows it.
const DASHBOARD = '^src/dashboard-api/';
const ROWS = '^src/(entities|database)/';
const DOMAIN = '^src/documents/';
const LEAVES = '^src/(common|config)/';
// Modules and entry points of the processes, directly in src/.
const PROCESSES = '^src/[^/]+\\.ts$';
const OUTSIDE = '^(standalone|bench|test|simulator|dashboard)/';

const forbid = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

module.exports = {
  forbidden: [
    forbid('no-cycles', 'Two files that need each other are one thing, or hide a third.', {}, { circular: true }),
    forbid('no-unresolvable', 'Every import exists.', {}, { couldNotResolve: true }),
    forbid(
      'features-apart',
      'Features never import each other; what two share moves down.',
      { path: '^src/(submission|status|taxpayer|cancellation|dispatcher|health|cli)/' },
      { path: FEATURES, pathNot: '^src/$1/' },
    ),
    forbid(
      'services-know-no-feature',
      'Dependencies point down.',
      { path: SERVICES },
      { path: [FEATURES, DASHBOARD, PROCESSES] },
    ),
    forbid(
      'dashboard-above-features',
      'Only the API process knows the dashboard.',
      { path: '^src/', pathNot: [DASHBOARD, PROCESSES] },
      { path: DASHBOARD },
    ),
    forbid('dashboard-knows-no-process', 'Dependencies point down.', { path: DASHBOARD }, { path: PROCESSES }),
    forbid(
      'rows-at-their-level',
      'Dependencies point down.',
      { path: ROWS },
      { path: [FEATURES, SERVICES, PROCESSES] },
    ),
    forbid(
      'domain-is-pure',
      'documents/ needs no framework, no database and nothing above it.',
      { path: DOMAIN, pathNot: '\\.spec\\.ts$' },
      { path: [FEATURES, SERVICES, ROWS, PROCESSES, 'node_modules/(@nestjs|typeorm|pg|fastify)/'] },
    ),
    forbid(
      'leaves-at-the-bottom',
      'common/ and config/ know nothing of the service.',
      { path: LEAVES },
      { path: [FEATURES, SERVICES, ROWS, DOMAIN, PROCESSES] },
    ),
    forbid('features-know-no-process', 'Dependencies point down.', { path: FEATURES }, { path: PROCESSES }),
    forbid('product-stands-alone', 'src/ imports nothing from outside.', { path: '^src/' }, { path: OUTSIDE }),
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
      'bench-and-standalone-use-no-tests',
      'Tests are at the top.',
      { path: '^(standalone|bench)/' },
      { path: '^test/' },
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
