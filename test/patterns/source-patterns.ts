import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

export interface SourcePattern {
  readonly file: string;
  /** The source text, such as `/^\d+$/u`, or the expression that composes the pattern at run time. */
  readonly text: string;
  /** Null for a pattern that is composed at run time. */
  readonly parsed: { readonly source: string; readonly flags: string } | null;
}

const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));
const LITERAL = /^\/(?<source>[^]*)\/(?<flags>\w*)$/;
/** Matches operators with a pattern, and functions whose second argument is a pattern. */
const SQL_OPERATOR = /(?:~\*?|\bSIMILAR\s+TO)\s*(E?'(?:[^']|'')*')/gi;
const SQL_FUNCTION = /\bregexp_\w+\s*\(/gi;
const SQL_TEXT = /^E?'(?<source>[^]*)'$/i;

/** Lists the patterns of `src/` and `simulator/`, including SQL. */
export function listPatterns(): SourcePattern[] {
  return ['src', 'simulator'].flatMap((folder) =>
    readdirSync(path.join(REPOSITORY, folder), { recursive: true, encoding: 'utf8' })
      .map((name) => path.join(folder, name))
      .filter((file) => /\.(?:ts|sql)$/.test(file) && !/\.(?:spec|fixtures)\.ts$/.test(file))
      .flatMap((file) => {
        const text = readFileSync(path.join(REPOSITORY, file), 'utf8');
        return file.endsWith('.sql') ? listSqlPatterns(file, text) : listScriptPatterns(file, text);
      }),
  );
}

/** Lists literals, constructor calls and the patterns of SQL statements in a script. */
export function listScriptPatterns(file: string, text: string): SourcePattern[] {
  const found: SourcePattern[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) found.push(readLiteral(file, node.text));
    else if (isConstruction(node)) found.push(readConstruction(file, node));
    else found.push(...listSqlPatterns(file, readText(node) ?? ''));
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
  return found;
}

export function listSqlPatterns(file: string, sql: string): SourcePattern[] {
  const operands = Array.from(sql.matchAll(SQL_OPERATOR), ([, operand]) => operand);
  const parameters = Array.from(sql.matchAll(SQL_FUNCTION), ({ 0: call, index }) => {
    return (
      splitArguments(sql.slice(index + call.length))
        .at(1)
        ?.trim() ?? ''
    );
  });
  return [...operands, ...parameters].map((text) => {
    const source = SQL_TEXT.exec(text)?.groups?.source.replaceAll("''", "'");
    return { file, text: `SQL ${text}`, parsed: source === undefined ? null : { source, flags: '' } };
  });
}

/** Splits the arguments of a call at its closing parenthesis. */
function splitArguments(sql: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const [token] of sql.matchAll(/'(?:[^']|'')*'|[^]/g)) {
    if (token === ')' && depth === 0) break;
    if (token === '(') depth += 1;
    if (token === ')') depth -= 1;
    if (token === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += token;
  }
  return parts;
}

/** Returns the text of a string or template with placeholders for its expressions. */
function readText(node: ts.Node): string | null {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return null;
  return node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join('');
}

type Construction = ts.NewExpression | ts.CallExpression;

/** Matches `RegExp(…)`, and `match`, `matchAll` and `search`, which compile a string. */
function isConstruction(node: ts.Node): node is Construction {
  if (!ts.isNewExpression(node) && !ts.isCallExpression(node)) return false;
  if (node.expression.getText() === 'RegExp') return true;
  if (!ts.isPropertyAccessExpression(node.expression)) return false;
  const [argument] = node.arguments ?? [];
  const isCompiled = argument !== undefined && ts.isStringLiteralLike(argument);
  return isCompiled && ['match', 'matchAll', 'search'].includes(node.expression.name.text);
}

function readConstruction(file: string, { arguments: given = [] as never }: Construction): SourcePattern {
  const [source, flags] = given as readonly (ts.Expression | undefined)[];
  if (
    source !== undefined &&
    ts.isStringLiteralLike(source) &&
    (flags === undefined || ts.isStringLiteralLike(flags))
  ) {
    return readLiteral(file, `/${source.text}/${flags?.text ?? ''}`);
  }
  return { file, text: (source?.getText() ?? '').replaceAll(/\s+/g, ' '), parsed: null };
}

function readLiteral(file: string, text: string): SourcePattern {
  const { source = '', flags = '' } = LITERAL.exec(text)?.groups ?? {};
  return { file, text, parsed: { source, flags } };
}
