import path from 'node:path';
import ts from 'typescript';
import type { Plugin } from 'vite';

/** Suffix of a module specifier for a module that also exports its SQL statements. */
export const EXPOSED = '?statements';

/**
 * SQL texts of a module by the position of the `query` call, which may choose from several texts. A getter throws if
 * the text is neither a constant of the module nor listed in CHOICES.
 */
export type ExposedStatements = Readonly<Record<number, () => unknown>>;

const SUBMITTERS = `[null, { kind: 'key', id: '' }, { kind: 'user', id: '' }]`;

/** For calls that choose a statement at run time: an expression that lists all statements, by file and argument. */
export const CHOICES: Readonly<Record<string, string>> = {
  'housekeeping.loop.ts statement': 'TASKS.map(({ statement }) => statement)',
  'transaction-list.service.ts FIND_BY[by.kind]': 'Object.values(FIND_BY)',
  'transaction-list.service.ts text': `[
    { action: null },
    ...['needed', 'dismissed'].flatMap((action) => [null, 'text'].map((cause) => ({ action, cause })))].map((filter) =>
    buildPageStatement({ caller: {}, filter: { by: null, ...filter }, range: {}, limit: 1 }).text)`,
  'search.ts ofSet.text': 'Object.values(SET_PAGES).map(({ text }) => text)',
  'search.ts statement.text': 'Object.values(SETS).map(({ text }) => text)',
  'search.ts walk.page.text': 'Object.values(WALKS).map(({ page }) => page.text)',
  'search.ts count.text': 'Object.values(WALKS).map(({ count }) => count.text)',
  'search.ts end.text': 'Object.values(WALKS).map(({ end }) => end.text)',
  'batches.service.ts text': `${SUBMITTERS}.map((by) => readBatches(by).text)`,
};

export function getChoiceKey(file: string, call: ts.CallExpression): string {
  return `${path.basename(file)} ${call.arguments[0].getText()}`;
}

/** Lists the calls of `query` methods in a source file, outermost first. */
export function findQueryCalls(source: ts.SourceFile): ts.CallExpression[] {
  const calls: ts.CallExpression[] = [];
  const visit = (node: ts.Node): void => {
    const isCall = ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression);
    if (isCall && node.expression.name.text === 'query') calls.push(node);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return calls;
}

/** Vite plugin for imports of `FILE?statements`, which export the otherwise private statements of FILE. */
export function exposedStatements(): Plugin {
  return {
    name: 'exposed-statements',
    enforce: 'pre',
    transform(code, id) {
      if (!id.endsWith(EXPOSED)) return null;
      const file = id.slice(0, -EXPOSED.length);
      const source = ts.createSourceFile(file, code, ts.ScriptTarget.Latest, true);
      const texts = findQueryCalls(source).map((call) => {
        const text = CHOICES[getChoiceKey(file, call)] ?? call.arguments[0].getText();
        return `${call.getStart()}: () => ${text},`;
      });
      return { code: `${code}\nexport const exposedStatements = { ${texts.join('\n')} };`, map: null };
    },
  };
}
