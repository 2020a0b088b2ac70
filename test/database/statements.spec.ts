import path from 'node:path';
import pg from 'pg';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { EXPOSED, type ExposedStatements, queryCallsIn } from '../support/exposed-statements.js';
import { RowTypes } from './row-types.js';

const REPOSITORY = path.resolve(import.meta.dirname, '../..');
/** The owner's own connection: what migrates reads of a database that may not be migrated yet. */
const MIGRATES = /\/(migrate|landed-migrations)\.ts$/;

const LIES = path.join(REPOSITORY, 'test/support/fixtures/lying-statements.ts');

/** A place where SQL is given to the database. */
interface Use {
  /** FILE:LINE. */
  readonly place: string;
  readonly call: ts.CallExpression;
  readonly text: () => unknown;
}

const program = createProgram();
const rowTypes = new RowTypes(program.getTypeChecker());
const uses = (await Promise.all(sources().map(usesIn))).flat();
const lies = await usesIn(sourceOf(LIES));
let database: TestDatabase;
let client: pg.Client;

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
  it.each(uses.map((use) => [use.place, use] as const))(
    'can be prepared at %s and gives what its row type says',
    async (_, { call, text }) => {
      const texts = [text()].flat();
      expect(texts.length).toBeGreaterThan(0);
      for (const statement of texts) {
        expect(statement, 'the text of a statement').toBeTypeOf('string');
        expect(await problemsOf(call, statement as string)).toEqual([]);
      }
    },
  );

  it('is among these, which are many', () => {
    expect(uses.length).toBeGreaterThan(100);
  });

  it('would be found out by a row type that says something else', async () => {
    const found = await Promise.all(lies.map(({ call, text }) => problemsOf(call, String(text()))));
    expect(found).toEqual([
      ['count is string, its type says number'],
      ['changedAt is Date, its type says string | null'],
      ['facts is JSON, which never is { since: Date; }'],
      ['tenantId is not given', 'tenant_id is given, and the row type has no such member'],
      ['UPDATE does not give rows'],
      ['SELECT does not give rows and count'],
      ['its result is used: say what rows it gives'],
    ]);
  });
});

async function problemsOf(call: ts.CallExpression, text: string): Promise<string[]> {
  const fields = await describeStatement(text);
  const [rowType] = call.typeArguments ?? [];
  if (rowType === undefined)
    return fields.length === 0 || isDropped(call) ? [] : ['its result is used: say what rows it gives'];
  const { form, columns } = rowTypes.read(rowType);
  const isChange = /^(UPDATE|DELETE)$/.test(commandOf(text));
  const problems = isChange === (form === 'rows and count') ? [] : [`${commandOf(text)} does not give ${form}`];
  if (columns === null) return problems;
  const given = new Map(fields.map(({ name, dataTypeID }) => [name, dataTypeID]));
  for (const [name, types] of Object.entries(columns)) {
    const typeId = given.get(name);
    const found = typeId === undefined ? ['is not given'] : types.map((type) => rowTypes.problem(type, typeId));
    problems.push(...found.filter((problem) => problem !== null).map((problem) => `${name} ${problem}`));
    given.delete(name);
  }
  return [...problems, ...[...given.keys()].map((name) => `${name} is given, and the row type has no such member`)];
}

/** `await tx.query(…)` alone. */
function isDropped(call: ts.CallExpression): boolean {
  return ts.isAwaitExpression(call.parent) && ts.isExpressionStatement(call.parent.parent);
}

/** What a statement does, after the subqueries and their names before it. */
function commandOf(text: string): string {
  let outermost = text.replaceAll(/--.*$/gm, '').replaceAll(/'[^']*'/g, '');
  for (let before = ''; before !== outermost;) {
    before = outermost;
    outermost = outermost.replaceAll(/\([^()]*\)/g, ' ');
  }
  return /\b(SELECT|INSERT|UPDATE|DELETE)\b/.exec(outermost)?.[0] ?? outermost;
}

/** The columns that PostgreSQL gives a statement when it is prepared. */
function describeStatement(text: string): Promise<pg.FieldDef[]> {
  return new Promise((resolve, reject) => {
    let fields: pg.FieldDef[] = [];
    client.query({
      submit(connection: pg.Connection): void {
        connection.parse({ name: '', text, types: [] }, true);
        connection.describe({ type: 'S', name: '' }, true);
        connection.sync();
      },
      handleRowDescription: (message: { fields: pg.FieldDef[] }) => (fields = message.fields),
      handleError: reject,
      handleReadyForQuery: () => resolve(fields),
    } as unknown as pg.Submittable);
  });
}

function createProgram(): ts.Program {
  const { config } = ts.readConfigFile(path.join(REPOSITORY, 'tsconfig.json'), (file) => ts.sys.readFile(file));
  const { options } = ts.parseJsonConfigFileContent({ ...(config as object), include: ['src'] }, ts.sys, REPOSITORY);
  const files = ts.sys.readDirectory(path.join(REPOSITORY, 'src'), ['.ts'], ['**/*.spec.ts', '**/migrations/**']);
  return ts.createProgram([...files, LIES], { ...options, noEmit: true });
}

function sources(): ts.SourceFile[] {
  return program
    .getSourceFiles()
    .filter(({ fileName }) => fileName.startsWith(path.join(REPOSITORY, 'src/')))
    .filter(({ fileName }) => !MIGRATES.test(fileName) && !fileName.includes('/migrations/'));
}

function sourceOf(file: string): ts.SourceFile {
  const source = program.getSourceFile(file);
  if (source === undefined) throw new Error(`There is no ${file}`);
  return source;
}

async function usesIn(source: ts.SourceFile): Promise<Use[]> {
  const calls = queryCallsIn(source);
  if (calls.length === 0) return [];
  const module = (await import(/* @vite-ignore */ source.fileName + EXPOSED)) as {
    exposedStatements: ExposedStatements;
  };
  return calls.map((call) => {
    const { line } = source.getLineAndCharacterOfPosition(call.getStart());
    const place = `${path.relative(REPOSITORY, source.fileName)}:${line + 1}`;
    return { place, call, text: module.exposedStatements[call.getStart()] };
  });
}
