import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { BOUNDARIES, type Boundary } from '../../src/common/failpoints/boundaries.js';

// Types with which a class can open database transactions or call other systems. They are constructor parameters, so
// that every use has the form `this.NAME`.
const MEANS: ReadonlySet<string> = new Set([
  'DataSource',
  'EntityManager',
  'Repository',
  'TenantTransactions',
  'HttpService',
]);
// Functions that need no such parameter.
const BARE_CALLS: ReadonlySet<string> = new Set(['fetch', 'createDataSource', 'axios']);

/** Statements and functions that only read. A crash around them has no effect. */
const READS: Readonly<Record<string, string>> = {
  findQueuedWork: 'asks whether a tenant queue has work',
  hasDuePoll: 'asks whether a submission is due',
  readForSubmit: 'reads what a submit is decided on',
  readForCancel: 'reads what a cancel is decided on',
  hasDueCancellation: 'asks whether a cancellation is due',
  findUnknownQueue: 'asks which tenant has unknown calls',
  readOverdueCalls: 'reads the calls that no dispatcher works on',
  readFollowed: 'reads the documents of a submission',
  readDocumentLocations: 'reads what an error can point to',
  readUuidOwners: 'asks which uuids are held',
  readIdentity: 'reads what an attempt was built as',
  toTenant: 'asks for the names of columns',
  readBudget: 'reads the call budget of a service without limits',
  readReason: 'reads what stops the calls of an API',
  readProbe: 'asks whether a login is to probe',
  findLoginProbe: 'asks whom a login that probes is made for',
  readSearchTimes: "reads the differences of the authority's clock",
  readServiceNow: 'reads the clock',
  READ_STATUS: 'reads a status',
  FIND_OTHER_PROCESSES: 'asks which other processes run',
};

/** Folders, files and methods outside the two processes, or whose caller has the failpoints. */
const EXEMPT: Readonly<Record<string, string>> = {
  'src/database/lazy-data-source.ts': 'opens and closes a pool',
  'src/database/connection-role.ts': 'reads what a role may do, before a process begins',
  'src/database/in-tenant.ts': 'opens what its callers have between their failpoints',
  'src/authority/transport.ts send': 'is the step of request()',
  'src/authority/token-store.ts findRecentLogins': 'reads who has logged in',
  'src/authority/token-store.ts requireSharedKey': 'reads the settings of running processes',
  'src/dispatcher/reconcile/submitted-documents.ts findDisputedUuids': 'reads what two documents say',
  'src/dispatcher/queue/outcome-reader.ts isOwnOriginal': 'reads whose a document is',
  'src/processes/migrate.ts': 'is a process of its own, one transaction',
  'src/observability/health/health.service.ts': 'reads what is missing',
  'src/dispatcher/monitoring/monitoring-pool.ts': 'reads figures and readiness',
  'src/accounts/api-keys/key.service.ts find': 'reads a key',
  'src/status/status-reader.ts read': 'reads a status within a share',
  'src/submission/submit-reader.ts read': 'reads what a submit is decided on within a share',
  'src/cancellation/cancellation.service.ts read': 'reads what a cancel is decided on within a share',
  'src/tenants/tenant.service.ts': "is the operator's, but for what is given a transaction",
  'src/credits/credit-audit.ts': 'reads what deviates',
  'src/credits/credit-ledger.ts': "is the operator's",
  'src/document-events/consumers.loop.ts onApplicationBootstrap': 'is made again at every start',
  'src/observability/process-reports/report.loop.ts onApplicationShutdown':
    'forgets a process, which a day does otherwise',
  'src/dispatcher/releases/submission-release.service.ts': "is an operator's command",
  'src/recovery/recovery.service.ts': "is an operator's command",
  'src/recovery/found-documents.ts': "is an operator's command",
  'src/accounts/': 'people and their sessions: one transaction each, nothing leaves the machine',
  'src/dashboard-api/': 'reads, and changes of one transaction each; what is accepted goes through the features',
};

interface Finding {
  /** `FILE:LINE` and the source text. */
  readonly location: string;
  readonly usedEntries: readonly string[];
  readonly isCovered: boolean;
}

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'))
    .map((name) => path.posix.join(folder, name.replaceAll(path.sep, '/')))
    .filter((file) => !file.startsWith('src/database/migrations/') && !file.startsWith('src/cli/'))
    .toSorted();
}

/** Finds all uses of these types, and whether each has failpoints or an exemption. */
function findingsIn(file: string, text: string): Finding[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const findings: Finding[] = [];
  const visit = (node: ts.Node): void => {
    if (isMeans(node)) findings.push(toFinding(node, file, source));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return findings;
}

function isMeans(node: ts.Node): boolean {
  if (ts.isCallExpression(node) && ts.isIdentifier(node.expression)) return BARE_CALLS.has(node.expression.text);
  if (!ts.isPropertyAccessExpression(node) || node.expression.kind !== ts.SyntaxKind.ThisKeyword) return false;
  return listMeans(node).has(node.name.text);
}

/** Returns the names of the parameters in the class around a node. */
function listMeans(node: ts.Node): Set<string> {
  const owner = listAncestors(node).find(ts.isClassDeclaration);
  const parameters = owner?.members.find(ts.isConstructorDeclaration)?.parameters ?? [];
  const given = [...parameters].filter(
    ({ type }) => type !== undefined && MEANS.has(type.getText().replace(/<.*/, '')),
  );
  return new Set(given.map(({ name }) => name.getText()));
}

function listAncestors(node: ts.Node): ts.Node[] {
  return node.parent === undefined ? [] : [node.parent, ...listAncestors(node.parent)];
}

function toFinding(node: ts.Node, file: string, source: ts.SourceFile): Finding {
  const ancestors = listAncestors(node);
  const method = ancestors.find((ancestor) => ts.isMethodDeclaration(ancestor) || ts.isFunctionDeclaration(ancestor));
  const folder = `${file.split('/').slice(0, 2).join('/')}/`;
  const entries = [folder, file, `${file} ${method?.name?.getText() ?? ''}`, ...listReads(ancestors)];
  const usedEntries = entries.filter((entry) => Object.hasOwn(EXEMPT, entry) || Object.hasOwn(READS, entry));
  const isBetween = ancestors.some((ancestor) => getCalledName(ancestor) === 'withFailpoints');
  const { line } = source.getLineAndCharacterOfPosition(node.getStart());
  const statement = ancestors.find(ts.isStatement) ?? node;
  const location = `${file}:${line + 1} ${statement.getText().split('\n')[0]}`;
  return { location, usedEntries, isCovered: isBetween || usedEntries.length > 0 };
}

/** Returns the called function and the SQL constant of a use. */
function listReads(ancestors: readonly ts.Node[]): string[] {
  const call = ancestors.find(ts.isCallExpression);
  if (call === undefined) return [];
  const statement = call.arguments[0];
  return [getCalledName(call), statement?.getText()].filter((name) => name !== undefined);
}

function getCalledName(node: ts.Node): string | undefined {
  return ts.isCallExpression(node) && ts.isIdentifier(node.expression) ? node.expression.text : undefined;
}

const findings = sourceFiles('src').flatMap((file) => findingsIn(file, readFileSync(file, 'utf8')));

describe('failpoints', () => {
  it('surround every transaction, committing statement and outbound call of the API and the dispatcher', () => {
    const missing = findings.filter(({ isCovered }) => !isCovered).map(({ location }) => location);
    expect(missing, 'put each between its failpoints: withFailpoints(BOUNDARY, () => …)').toEqual([]);
    expect(findings.length).toBeGreaterThan(40);
  });

  it('have no obsolete exceptions', () => {
    const used = new Set(findings.flatMap(({ usedEntries }) => usedEntries));
    expect([...Object.keys(EXEMPT), ...Object.keys(READS)].filter((entry) => !used.has(entry))).toEqual([]);
  });

  it('have a separate boundary for each step', () => {
    const texts = sourceFiles('src')
      .filter((file) => file !== 'src/common/failpoints/boundaries.ts')
      .map((file) => readFileSync(file, 'utf8'))
      .join('\n');
    // The last part of these names is the operation.
    const shared = { 'accept.submit': 'accept.', 'accept.cancel': 'accept.' } as Record<string, string>;
    const countUses = (boundary: Boundary): number => {
      const prefix = boundary.startsWith('call.') ? 'call.' : shared[boundary];
      return texts.split(prefix === undefined ? `'${boundary}'` : `withFailpoints(\`${prefix}\${`).length - 1;
    };
    expect((Object.keys(BOUNDARIES) as Boundary[]).filter((boundary) => countUses(boundary) !== 1)).toEqual([]);
  });

  it.each([
    ['a transaction', 'DataSource', 'this.means.transaction((tx) => work(tx))'],
    ["a tenant's transaction", 'TenantTransactions', 'this.means.inTenant(caller, work)'],
    ['a statement that commits by itself', 'DataSource', 'this.means.query(STORE)'],
    ['a repository of its own connection', 'Repository<ApiKey>', 'this.means.insert(key)'],
    ['a function that is handed the connection', 'DataSource', 'claimPoll(this.means.manager, wanted)'],
    ['a call out of the process', 'HttpService', 'this.means.axiosRef.request(options)'],
    ['a call that needs no means', 'string', "fetch('http://127.0.0.1')"],
  ])('are reported missing around %s', (_, type, expression) => {
    const inClass = (body: string): string =>
      `class Example {\n  constructor(private readonly means: ${type}) {}\n  run() {\n    return ${body};\n  }\n}`;
    const isCovered = (body: string): boolean[] => findingsIn('src/example.ts', inClass(body)).map((f) => f.isCovered);
    expect(isCovered(expression)).toEqual([false]);
    expect(isCovered(`withFailpoints('dispatch.claim', () => ${expression})`)).toEqual([true]);
    expect(findingsIn('src/example.ts', inClass(expression))[0].location).toMatch(/^src\/example\.ts:4 return /);
  });
});
