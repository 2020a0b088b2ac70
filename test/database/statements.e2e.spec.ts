import path from 'node:path';
import pg from 'pg';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readFunctionFiles } from '../../src/database/migrations/baseline.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import {
  CHOICES,
  EXPOSED,
  type ExposedStatements,
  findQueryCalls,
  getChoiceKey,
} from '../support/exposed-statements.js';
import { type Columns, RowTypes } from './row-types.js';

const REPOSITORY = path.resolve(import.meta.dirname, '../..');
/** Runs on databases that may have no tables yet. */
const MIGRATES = /\/(?:migrate|assert-baseline|baseline)\.ts$/;
/** Wraps the `query` of every connection. */
const WRAPS = /\/(?:prepared-statements\.client|reliable\.client|reliable-data-source)\.ts$/;

const WRONG = path.join(REPOSITORY, 'test/support/fixtures/wrong-row-types.ts');

/** JSON columns whose members are not named in SQL. */
const FREE_JSON: ReadonlySet<string> = new Set(['totals', 'latest', 'stands', 'supplier', 'byStatus', 'refusal']);

/** A call that passes SQL to the database. */
interface Use {
  /** FILE:LINE. */
  readonly location: string;
  readonly call: ts.CallExpression;
  readonly text: () => unknown;
}

const program = createProgram();
const checker = program.getTypeChecker();
const rowTypes = new RowTypes(checker);
const uses = (await Promise.all(listSources().map(findUses))).flat();
const wrong = await findUses(getSource(WRONG));
let database: TestDatabase;
let client: pg.Client;
/** They also build JSON. */
const functions: ReadonlyMap<string, string> = new Map(
  readFunctionFiles().map(({ name, text }) => [name, text.split('$$')[1]]),
);

beforeAll(async () => {
  database = await createTestDatabase();
  client = new pg.Client({ connectionString: database.ownerUrl });
  await client.connect();
});

afterAll(async () => {
  await client.end();
  await database.drop();
});

describe('every SQL statement of the service', () => {
  it.each(uses.map((use) => [use.location, use] as const))(
    'at %s matches its row type when prepared',
    async (_, use) => {
      expect(await findProblems(use)).toEqual([]);
    },
  );

  it('is an argument of a recognised `query` call', () => {
    expect(listSources().flatMap(findHiddenQueries)).toEqual([]);
    expect(uses.length).toBeGreaterThan(100);
  });

  it('is a module constant or a listed choice', () => {
    const keys = new Set(uses.map(({ location, call }) => getChoiceKey(location.replace(/:\d+$/, ''), call)));
    expect(Object.keys(CHOICES).filter((key) => !keys.has(key))).toEqual([]);
  });
});

describe('the statement check', () => {
  it('reports a wrong row type', async () => {
    const found: string[][] = [];
    for (const use of wrong) found.push(await findProblems(use));
    expect(found).toEqual([
      ['count is string, its type says number'],
      ['changedAt is Date, its type says string | null'],
      ['facts is JSON, which never is { since: Date; }'],
      ['facts.since is named in no SQL'],
      ['tenantId is not returned', 'tenant_id is returned, and the row type has no such member'],
      ['UPDATE does not return rows'],
      ['SELECT does not return rows and count'],
      ['its result is used: name its row type'],
      ['its text is no constant of its module: text is not defined'],
      ['cannot be prepared: column "nickname" does not exist'],
    ]);
  });

  it('rejects a reference to `query` without a call', () => {
    expect(findHiddenQueries(getSource(WRONG))).toEqual([
      'test/support/fixtures/wrong-row-types.ts:5',
      'test/support/fixtures/wrong-row-types.ts:6',
    ]);
  });
});

async function findProblems({ call, text }: Use): Promise<string[]> {
  const problems: string[] = [];
  for (const statement of readTexts(text)) {
    if (statement instanceof Error) problems.push(`its text is no constant of its module: ${statement.message}`);
    else problems.push(...(await findMismatches(call, statement)));
  }
  return problems;
}

function readTexts(text: () => unknown): (string | Error)[] {
  try {
    const texts = [text()].flat();
    if (texts.length === 0) return [new Error('there is none')];
    return texts.map((one) => (typeof one === 'string' ? one : new Error(`it is ${typeof one}`)));
  } catch (error) {
    return [error as Error];
  }
}

async function findMismatches(call: ts.CallExpression, text: string): Promise<string[]> {
  const fields = await describeStatement(text);
  if (fields instanceof Error) return [`cannot be prepared: ${fields.message}`];
  const [rowType] = call.typeArguments ?? [];
  if (rowType === undefined)
    return fields.length === 0 || isDropped(call) ? [] : ['its result is used: name its row type'];
  const { form, columns } = rowTypes.read(rowType);
  const command = readCommand(text);
  const isChange = command === 'UPDATE' || command === 'DELETE';
  const problems = isChange === (form === 'rows and count') ? [] : [`${command} does not return ${form}`];
  return columns === null ? problems : [...problems, ...compareColumns(columns, fields, text)];
}

function compareColumns(columns: Columns, fields: readonly pg.FieldDef[], text: string): string[] {
  const returned = new Map(fields.map(({ name, dataTypeID }) => [name, dataTypeID]));
  const problems = Object.entries(columns).flatMap(([name, types]) => {
    const typeId = returned.get(name);
    if (typeId === undefined) return [`${name} is not returned`];
    const found = types.map((type) => rowTypes.findProblem(type, typeId)).filter((problem) => problem !== null);
    if (found.length > 0 || FREE_JSON.has(name)) return found.map((problem) => `${name} ${problem}`);
    const members = types.flatMap((type) => rowTypes.listJsonMembers(type, typeId));
    return members.filter((member) => !isNamed(member, text)).map((member) => `${name}.${member} is named in no SQL`);
  });
  const others = [...returned.keys()].filter((name) => columns[name] === undefined);
  return [...problems, ...others.map((name) => `${name} is returned, and the row type has no such member`)];
}

/** Matches a key of `json_build_object` or a column, in a statement or the functions that it calls. */
function isNamed(member: string, text: string): boolean {
  if (new RegExp(`'${member}'|"${member}"|(?:\\bAS |\\.)${member}\\b`).test(text)) return true;
  return [...functions].some(([name, body]) => text.includes(`${name}(`) && isNamed(member, body));
}

/** `await tx.query(…)` alone. */
function isDropped(call: ts.CallExpression): boolean {
  return ts.isAwaitExpression(call.parent) && ts.isExpressionStatement(call.parent.parent);
}

/** The verb of a statement, outside of its subqueries. */
function readCommand(text: string): string {
  let outermost = text.replaceAll(/--.*$/gm, '').replaceAll(/'[^']*'/g, '');
  for (let before = ''; before !== outermost;) {
    before = outermost;
    outermost = outermost.replaceAll(/\([^()]*\)/g, ' ');
  }
  return /\b(SELECT|INSERT|UPDATE|DELETE)\b/.exec(outermost)?.[0] ?? outermost;
}

/** Prepares a statement and returns its columns or its error. */
function describeStatement(text: string): Promise<pg.FieldDef[] | Error> {
  return new Promise((resolve) => {
    let fields: pg.FieldDef[] = [];
    client.query({
      submit(connection: pg.Connection): void {
        connection.parse({ name: '', text, types: [] }, true);
        connection.describe({ type: 'S', name: '' }, true);
        connection.sync();
      },
      handleRowDescription: (message: { fields: pg.FieldDef[] }) => (fields = message.fields),
      handleError: resolve,
      handleReadyForQuery: () => resolve(fields),
    } as unknown as pg.Submittable);
  });
}

function createProgram(): ts.Program {
  const { config } = ts.readConfigFile(path.join(REPOSITORY, 'tsconfig.json'), (file) => ts.sys.readFile(file));
  const { options } = ts.parseJsonConfigFileContent({ ...(config as object), include: ['src'] }, ts.sys, REPOSITORY);
  const files = ts.sys.readDirectory(path.join(REPOSITORY, 'src'), ['.ts'], ['**/*.spec.ts', '**/migrations/**']);
  return ts.createProgram([...files, WRONG], { ...options, noEmit: true });
}

function listSources(): ts.SourceFile[] {
  return program
    .getSourceFiles()
    .filter(({ fileName }) => fileName.startsWith(path.join(REPOSITORY, 'src/')))
    .filter(({ fileName }) => !MIGRATES.test(fileName) && !fileName.includes('/migrations/'));
}

function getSource(file: string): ts.SourceFile {
  const source = program.getSourceFile(file);
  if (source === undefined) throw new Error(`There is no ${file}`);
  return source;
}

async function findUses(source: ts.SourceFile): Promise<Use[]> {
  const calls = findQueryCalls(source);
  if (calls.length === 0) return [];
  const module = (await import(/* @vite-ignore */ source.fileName + EXPOSED)) as {
    exposedStatements: ExposedStatements;
  };
  return calls.map((call) => ({
    location: formatLocation(call),
    call,
    text: module.exposedStatements[call.getStart()],
  }));
}

/** Finds references to a `query` function without a call, because their statements cannot be checked. */
function findHiddenQueries(source: ts.SourceFile): string[] {
  if (WRAPS.test(source.fileName)) return [];
  const locations: string[] = [];
  const visit = (node: ts.Node): void => {
    const isHidden = isQueryTaken(node) && checker.getTypeAtLocation(node).getCallSignatures().length > 0;
    if (isHidden) locations.push(formatLocation(node));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return locations;
}

function isQueryTaken(node: ts.Node): boolean {
  if (ts.isBindingElement(node)) return (node.propertyName ?? node.name).getText() === 'query';
  if (ts.isElementAccessExpression(node)) return /^["'`]query["'`]$/.test(node.argumentExpression.getText());
  if (!ts.isPropertyAccessExpression(node) || node.name.text !== 'query') return false;
  return !ts.isCallExpression(node.parent) || node.parent.expression !== node;
}

function formatLocation(node: ts.Node): string {
  const source = node.getSourceFile();
  const { line } = source.getLineAndCharacterOfPosition(node.getStart());
  return `${path.relative(REPOSITORY, source.fileName)}:${line + 1}`;
}
