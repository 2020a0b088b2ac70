import path from 'node:path';
import ts from 'typescript';
import type { Plugin } from 'vite';

/** Added to the address of a module, it exports its SQL. */
export const EXPOSED = '?statements';

/**
 * The texts of a module's SQL, by where they are given to `query`: one, or those of which one is chosen. To read a text
 * that is no constant of its module throws.
 */
export type ExposedStatements = Readonly<Record<number, () => unknown>>;

const SUBMITTERS = `[null, { kind: 'key', id: '' }, { kind: 'user', id: '' }]`;

/** Where a statement is chosen at run time: all that there are, by the end of the file's name and what chooses. */
const CHOICES: Readonly<Record<string, string>> = {
  'housekeeping.loop.ts statement': 'TASKS.map(({ statement }) => statement)',
  'transaction-list.service.ts FIND_BY[by.kind]': 'Object.values(FIND_BY)',
  'transaction-list.service.ts text': `[null, 'text'].flatMap((referenceId) => [null, 'id'].map((submissionBatchId) =>
    buildPageStatement({ caller: {}, filter: { by: null, referenceId, submissionBatchId }, range: {}, limit: 1 }).text))`,
  'batches.service.ts text': `${SUBMITTERS}.map((by) => readBatches(by).text)`,
};

/** The calls of a method `query` in a source, outermost first. */
export function queryCallsIn(source: ts.SourceFile): ts.CallExpression[] {
  const calls: ts.CallExpression[] = [];
  const visit = (node: ts.Node): void => {
    const isCall = ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression);
    if (isCall && node.expression.name.text === 'query') calls.push(node);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return calls;
}

/** A module that is imported as `FILE?statements` exports its statements, which it keeps to itself otherwise. */
export function exposedStatements(): Plugin {
  return {
    name: 'exposed-statements',
    enforce: 'pre',
    transform(code, id) {
      if (!id.endsWith(EXPOSED)) return null;
      const source = ts.createSourceFile(id, code, ts.ScriptTarget.Latest, true);
      const file = path.basename(id.slice(0, -EXPOSED.length));
      const texts = queryCallsIn(source).map((call) => {
        const text = call.arguments[0].getText();
        return `${call.getStart()}: () => ${CHOICES[`${file} ${text}`] ?? text},`;
      });
      return { code: `${code}\nexport const exposedStatements = { ${texts.join('\n')} };`, map: null };
    },
  };
}
